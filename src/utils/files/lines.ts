import { closeSync, openSync, readSync, writeFileSync } from "node:fs";

// Synchronous: parsing a chunk takes longer than reading it from a local disk, and a round trip through the thread pool
// takes longer than both.
const CHUNK_BYTES = 1 << 20;
export const LF = 10;

function* readFileChunks(path: string | number): Generator<Buffer> {
  const file = typeof path === "number" ? path : openSync(path, "r");
  try {
    for (;;) {
      const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
      const size = readSync(file, buffer);
      if (size === 0) return;
      yield buffer.subarray(0, size);
    }
  } finally {
    closeSync(file);
  }
}

/** Joins chunks into blocks of whole lines. A line feed is never part of a longer UTF-8 sequence, so no block ends inside a character. */
export class LineBlockSplitter {
  /** Joined only when a line feed arrives; joining at every chunk would be quadratic in the line length. */
  #pending: Buffer[] = [];

  /** The lines completed by this chunk; null if there are none. */
  push(chunk: Buffer): Buffer | null {
    const end = chunk.lastIndexOf(LF) + 1;
    const lines = chunk.subarray(0, end);
    const block = end === 0 ? null : this.#pending.length === 0 ? lines : Buffer.concat([...this.#pending, lines]);
    if (end > 0) this.#pending = [];
    if (end < chunk.length) this.#pending.push(chunk.subarray(end));
    return block;
  }

  /** The last line, if it has no line feed. */
  flush(): Buffer | null {
    return this.#pending.length === 0 ? null : Buffer.concat(this.#pending);
  }
}

/**
 * Reads a file, by path or descriptor, in blocks of whole lines. Holds one block at a time; only the last may lack its
 * line feed.
 */
export function* readLineBlocks(path: string | number): Generator<Buffer> {
  const blocks = new LineBlockSplitter();
  for (const chunk of readFileChunks(path)) {
    const block = blocks.push(chunk);
    if (block !== null) yield block;
  }
  const rest = blocks.flush();
  if (rest !== null) yield rest;
}

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
