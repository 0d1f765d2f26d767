import { writeFileSync } from "node:fs";
import { LF, readLineBlocks } from "./blocks.js";

/** One line of a text file, without its line feed. */
export interface TextLine {
  text: string;
  /** Counted from 1. */
  number: number;
  /** Byte offset just after the line and its line feed. */
  end: number;
  /** False for a last line without a line feed. */
  terminated: boolean;
}

/**
 * Reads the lines of a file, by path or descriptor, split only at LF (JSON may contain an unescaped U+2028).
 * @example
 * for (const { text, number } of readLines("rows.jsonl")) console.log(number, JSON.parse(text));
 */
export function* readLines(path: string | number): Generator<TextLine> {
  let number = 0;
  let end = 0;
  for (const block of readLineBlocks(path)) {
    for (let start = 0; start < block.length; ) {
      const feed = block.indexOf(LF, start);
      const stop = feed === -1 ? block.length : feed;
      const next = feed === -1 ? stop : stop + 1;
      number += 1;
      end += next - start;
      yield { text: block.toString("utf8", start, stop), number, end, terminated: feed !== -1 };
      start = next;
    }
  }
}

/** Characters per write: few calls for short lines, without exceeding the maximum string length. */
const WRITE_CHUNK_CHARS = 1 << 20;

/** Writes lines to an open file in large chunks. */
export function writeLines(file: number, lines: Iterable<string>): void {
  let text = "";
  for (const line of lines) {
    text += `${line}\n`;
    if (text.length < WRITE_CHUNK_CHARS) continue;
    writeFileSync(file, text);
    text = "";
  }
  if (text !== "") writeFileSync(file, text);
}
