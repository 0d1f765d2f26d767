import { createHash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { DatasetError } from "../../core/errors.js";
import { unreadable } from "../../datasets/read-bytes.js";
import { isCompressed, type JsonItem } from "./json-items.js";

/** Where an item is found again, and the hash of its text. */
export type ItemPlace = InFile | Kept;

interface InFile extends Omit<JsonItem, "text"> {
  readonly hash: string;
}

/** An item of a compressed file, which cannot be entered in the middle: kept, compressed by itself. */
interface Kept {
  readonly number: number;
  readonly hash: string;
  readonly packed: Buffer;
}

/** Quick rather than small. */
const LEVEL = { level: 1 };

/** What gives the items of a file their places. */
export function placing(path: string): (item: JsonItem) => ItemPlace {
  if (!isCompressed(path)) return ({ text, ...place }) => ({ ...place, hash: hashOf(text) });
  return ({ number, text }) => ({ number, hash: hashOf(text), packed: deflateRawSync(text, LEVEL) });
}

/** The text of an item. Throws when it is no longer the one that was placed. */
export function textAt(path: string, place: ItemPlace): string {
  if ("packed" in place) return inflateRawSync(place.packed).toString("utf8");
  const text = textBetween(path, place);
  if (hashOf(text) === place.hash) return text;
  throw new DatasetError(`Item ${place.number} of "${path}" has changed since the file was loaded. Load it again.`);
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

function textBetween(path: string, { start, end }: Pick<JsonItem, "start" | "end">): string {
  try {
    const file = openSync(path, "r");
    try {
      const buffer = Buffer.alloc(end - start);
      let filled = 0;
      for (let size = -1; filled < buffer.length && size !== 0; filled += size)
        size = readSync(file, buffer, filled, buffer.length - filled, start + filled);
      return buffer.toString("utf8", 0, filled);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw unreadable(path, error);
  }
}
