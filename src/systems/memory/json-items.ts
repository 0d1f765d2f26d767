import { isUtf8 } from "node:buffer";
import { createReadStream } from "node:fs";
import { DatasetError, getErrorMessage } from "../../core/index.js";
import { createUnreadableError, isGzip, readFirstBytes, readGzipFile } from "../../datasets/index.js";

/** One item of a file. */
export interface JsonItem {
  /** Starts at 1; for a file of lines, the line number. */
  readonly number: number;
  readonly text: string;
  /** Byte offsets of its start and its end (exclusive), in the decompressed file. */
  readonly start: number;
  readonly end: number;
}

export interface JsonItemsOptions {
  signal?: AbortSignal;
  /** Bytes per read. Default: 1 MiB. */
  chunkBytes?: number;
}

const LINES_FILE = /\.(?:jsonl|ndjson)(?:\.gz)?$/i;
const CHUNK_BYTES = 1 << 20;
const BYTE_ORDER_MARK = Buffer.of(0xef, 0xbb, 0xbf);
const LF = 0x0a;
const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Reads the items of a file one at a time, so that memory does not grow with the file. It contains one JSON array or, by
 * its extension, one item per line; it may be compressed.
 * @example
 * for await (const item of readJsonItems("longmemeval_m.json")) console.log(item.number, parseJsonItem("longmemeval_m.json", item));
 */
export async function* readJsonItems(path: string, options: JsonItemsOptions = {}): AsyncGenerator<JsonItem> {
  const { signal, chunkBytes = CHUNK_BYTES } = options;
  const scanner = LINES_FILE.test(path) ? new LineScanner(path) : new ListScanner(path);
  signal?.throwIfAborted();
  for await (const chunk of readChunks(path, chunkBytes)) {
    yield* scanner.scan(chunk);
    signal?.throwIfAborted();
  }
  yield* scanner.finish();
}

/** Parses an item. The error names the item if its text is not JSON. */
export function parseJsonItem(path: string, { number, text }: Pick<JsonItem, "number" | "text">): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const reason = text.trim() === "" ? "it is empty" : getErrorMessage(cause);
    throw new DatasetError(`Item ${number} of "${path}" is not valid JSON: ${reason}.`, { cause });
  }
}

/** Detects compression by the first bytes, because file extensions are unreliable. */
export function isCompressed(path: string): boolean {
  return isGzip(readFirstBytes(path));
}

async function* readChunks(path: string, chunkBytes: number): AsyncGenerator<Buffer> {
  const bytes = isCompressed(path) ? readGzipFile(path) : createReadStream(path, { highWaterMark: chunkBytes });
  let isFirst = true;
  try {
    for await (const chunk of bytes as AsyncIterable<Buffer>) {
      // Replaced by blanks, so that offsets stay the same.
      if (isFirst && chunk.subarray(0, 3).equals(BYTE_ORDER_MARK)) chunk.fill(" ", 0, 3);
      isFirst = false;
      yield chunk;
    }
  } catch (error) {
    throw createUnreadableError(path, error);
  }
}

/** Finds items in the chunks of a file. */
abstract class Scanner {
  protected readonly path: string;
  protected number = 1;
  /** Byte offset of the item. */
  protected start = 0;
  /** Byte offset of the current chunk. */
  protected at = 0;
  /** Parts of an item that began in an earlier chunk. */
  #parts: Buffer[] = [];

  constructor(path: string) {
    this.path = path;
  }

  /** Returns the items that end in a chunk. */
  abstract scan(chunk: Buffer): Iterable<JsonItem>;
  /** Returns what is left after the last chunk. */
  abstract finish(): Iterable<JsonItem>;

  protected keep(part: Buffer): void {
    this.#parts.push(part);
  }

  /** Ends the item, and begins the next one `gap` bytes later. */
  protected take(last: Buffer, gap: number): JsonItem {
    const bytes = Buffer.concat([...this.#parts, last]);
    this.#parts = [];
    if (!isUtf8(bytes)) throw new DatasetError(`Item ${this.number} of "${this.path}" is not valid UTF-8 text.`);
    const item = { number: this.number, text: bytes.toString(), start: this.start, end: this.start + bytes.length };
    this.number += 1;
    this.start = item.end + gap;
    return item;
  }
}

/** Finds the items of a file with one item per line; skips blank lines. */
class LineScanner extends Scanner {
  *scan(chunk: Buffer): Generator<JsonItem> {
    let from = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, from)) {
      yield* this.#takeLine(chunk.subarray(from, end));
      from = end + 1;
    }
    this.keep(chunk.subarray(from));
  }

  finish(): Iterable<JsonItem> {
    return this.#takeLine(Buffer.alloc(0));
  }

  *#takeLine(last: Buffer): Generator<JsonItem> {
    const { text, start, ...item } = this.take(last, 1);
    // The blanks that replaced a byte order mark are not in the file.
    const bare = text.replace(/^ +/, "");
    if (bare.trim() !== "") yield { ...item, text: bare, start: start + text.length - bare.length };
  }
}

/** Finds the items of a JSON array. Only counts brackets of any kind; the parser checks the rest. */
class ListScanner extends Scanner {
  #place: "before" | "inside" | "after" = "before";
  #depth = 0;
  #isText = false;
  #isEscaped = false;

  *scan(chunk: Buffer): Generator<JsonItem> {
    let from = 0;
    for (let i = 0; i < chunk.length; i++) {
      if (this.#isText) {
        i = this.#skipText(chunk, i);
        continue;
      }
      const byte = chunk[i] ?? 0;
      if (this.#place !== "inside") {
        this.#readOutside(byte, chunk, i);
        from = i + 1;
      } else if (this.#endsItem(byte)) {
        const item = this.take(chunk.subarray(from, i), 1);
        from = i + 1;
        if (byte === CLOSE_LIST) this.#place = "after";
        const isEmptyList = this.#place === "after" && item.number === 1 && item.text.trim() === "";
        if (!isEmptyList) yield item;
      }
    }
    if (this.#place === "inside") this.keep(chunk.subarray(from));
    this.at += chunk.length;
  }

  finish(): Iterable<JsonItem> {
    if (this.#place === "after") return [];
    throw new DatasetError(
      this.#place === "before"
        ? `"${this.path}" is empty: it must contain a JSON array.`
        : `"${this.path}" ends in the middle of item ${this.number}: it is truncated. Get a complete copy.`,
    );
  }

  /** Skips to the end of a string or of the chunk; returns the last position read. */
  #skipText(chunk: Buffer, from: number): number {
    for (let i = from; i < chunk.length; i++) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (chunk[i] === BACKSLASH) this.#isEscaped = true;
      else if (chunk[i] === QUOTE) {
        this.#isText = false;
        return i;
      }
    }
    return chunk.length;
  }

  /** Only white space is allowed before and after the array. */
  #readOutside(byte: number, chunk: Buffer, i: number): void {
    if (byte === 0x20 || byte === LF || byte === 0x0d || byte === 0x09) return;
    const isFirst = this.#place === "before";
    if (isFirst && byte === OPEN_LIST) {
      this.#place = "inside";
      this.start = this.at + i + 1;
      return;
    }
    const shown = JSON.stringify(chunk.toString("utf8", i, i + 20));
    throw new DatasetError(
      isFirst
        ? `"${this.path}" does not contain a JSON array: it begins with ${shown}.`
        : `"${this.path}" continues with ${shown} after its array of items, whose last item is ${this.number - 1}.`,
    );
  }

  /** Reads one byte of an item; true if it is the first byte after the item. */
  #endsItem(byte: number): boolean {
    if (byte === QUOTE) this.#isText = true;
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) this.#depth += 1;
    else if (byte === COMMA) return this.#depth === 0;
    else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) {
      if (this.#depth === 0 && byte === CLOSE_LIST) return true;
      if (this.#depth === 0)
        throw new DatasetError(`Item ${this.number} of "${this.path}" is not valid JSON: it has an extra "}".`);
      this.#depth -= 1;
    }
    return false;
  }
}
