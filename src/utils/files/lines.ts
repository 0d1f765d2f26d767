import { writeFileSync } from "node:fs";
import { LF, readLineBlocks } from "./blocks.js";

/** One line of a text file, without its line feed. */
export interface Line {
  text: string;
  /** Counted from 1. */
  number: number;
  /** Byte offset just after the line and its line feed. */
  end: number;
  /** False for a last line that was never finished. */
  terminated: boolean;
}

/**
 * The lines of a file, by its path or open, split by LF alone (JSON may hold U+2028 unescaped).
 * @example
 * for (const { text, number } of readLines("rows.jsonl")) console.log(number, JSON.parse(text));
 */
export function* readLines(path: string | number): Generator<Line> {
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

/** Characters in one write: few calls for short lines, and no text grows beyond what a string can hold. */
const WRITE_CHARS = 1 << 20;

/** Writes lines to an open file, many at a time. */
export function writeLines(file: number, lines: Iterable<string>): void {
  let text = "";
  for (const line of lines) {
    text += `${line}\n`;
    if (text.length < WRITE_CHARS) continue;
    writeFileSync(file, text);
    text = "";
  }
  if (text !== "") writeFileSync(file, text);
}
