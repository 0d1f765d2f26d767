import { DatasetError, messageOf } from "../core/errors.js";
import { fileChunks } from "./file-chunks.js";
import type { JsonItem } from "./item-scanner.js";
import { LineScanner } from "./line-scanner.js";
import { ListScanner } from "./list-scanner.js";

export interface JsonItemsOptions {
  signal?: AbortSignal;
  /** Bytes that are read at a time; a mebibyte unless told. */
  chunkBytes?: number;
}

const LINES = /\.(?:jsonl|ndjson)(?:\.gz)?$/i;

/**
 * The items of a file, one at a time: no more than an item is held, however large the file. It holds one JSON array, or,
 * by its name, an item on each line; it may be compressed.
 * @example
 * for await (const item of jsonItems("longmemeval_m.json")) console.log(item.number, parseItem("longmemeval_m.json", item));
 */
export async function* jsonItems(path: string, options: JsonItemsOptions = {}): AsyncGenerator<JsonItem> {
  const { signal, chunkBytes } = options;
  const scanner = LINES.test(path) ? new LineScanner(path) : new ListScanner(path);
  let at = 0;
  signal?.throwIfAborted();
  for await (const chunk of fileChunks(path, chunkBytes)) {
    yield* scanner.scan(chunk, at);
    at += chunk.length;
    signal?.throwIfAborted();
  }
  yield* scanner.finish();
}

/** The value of an item. Throws with the item's number when its text is no JSON. */
export function parseItem(path: string, { number, text }: Pick<JsonItem, "number" | "text">): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const reason = text.trim() === "" ? "there is nothing where it should stand" : messageOf(cause);
    throw new DatasetError(`Item ${number} of "${path}" is not valid JSON: ${reason}.`, { cause });
  }
}
