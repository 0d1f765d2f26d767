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
 * The lines of a file, split by LF alone (JSON may hold U+2028 unescaped).
 * @example
 * for (const { text, number } of readLines("rows.jsonl")) console.log(number, JSON.parse(text));
 */
export function* readLines(path: string): Generator<Line> {
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
