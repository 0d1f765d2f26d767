import type { Encoding, ParquetType } from "hyparquet";
import { type Library, viewOf } from "./library.js";

/** The beginning of a page's values, and how many of them are needed. */
export interface CutValues {
  readonly bytes: Uint8Array;
  readonly count: number;
  readonly type: ParquetType;
  /** Bytes of a value of fixed length. */
  readonly width: number;
  readonly encoding: Encoding;
}

/** Values that can be decoded, with all that they need. */
export interface FirstValues {
  readonly bytes: Uint8Array;
  readonly encoding: Encoding;
}

const FIXED: Partial<Record<ParquetType, number>> = { INT32: 4, INT64: 8, INT96: 12, FLOAT: 4, DOUBLE: 8 };
const CUT_OFF = { needed: Number.POSITIVE_INFINITY, runEnd: 0 };
/** Encodings that put the first values before the last ones. */
const IN_ORDER = new Set<Encoding>([
  "PLAIN",
  "PLAIN_DICTIONARY",
  "RLE_DICTIONARY",
  "DELTA_BINARY_PACKED",
  "DELTA_LENGTH_BYTE_ARRAY",
]);

/** True when the first values can be decoded without the last ones. */
export function isInOrder(encoding: Encoding | undefined): encoding is Encoding {
  return encoding !== undefined && IN_ORDER.has(encoding);
}

/** The first values of a page, or null when they are cut off. */
export function firstValues(library: Library, cut: CutValues): FirstValues | null {
  if (cut.count === 0) return { bytes: cut.bytes, encoding: cut.encoding };
  if (cut.encoding === "DELTA_BINARY_PACKED") return differences(library, cut);
  if (cut.encoding === "DELTA_LENGTH_BYTE_ARRAY") return textsByLength(library, cut);
  if (cut.encoding !== "PLAIN") return positions(cut);
  return plainSize(cut) > cut.bytes.byteLength ? null : { bytes: cut.bytes, encoding: "PLAIN" };
}

/** Positions in a dictionary. The decoder follows a run to its end, where zeros may stand for what is cut off. */
function positions({ bytes, count, encoding }: CutValues): FirstValues | null {
  const { needed, runEnd } = packedSize(viewOf(bytes), count);
  if (needed > bytes.byteLength) return null;
  const padding = new Uint8Array(Math.max(0, runEnd - bytes.byteLength) + 8);
  return { bytes: Buffer.concat([bytes, padding]), encoding };
}

/** Numbers that are stored as their differences, written out. */
function differences({ deltaBinaryUnpack }: Library, { bytes, count, type }: CutValues): FirstValues | null {
  const values = type === "INT32" ? new Int32Array(count) : new BigInt64Array(count);
  if (!isComplete(() => deltaBinaryUnpack({ view: viewOf(bytes), offset: 0 }, count, values))) return null;
  return { bytes: new Uint8Array(values.buffer), encoding: "PLAIN" };
}

/** Texts whose lengths all stand before the first of them, each written with its length before it. */
function textsByLength(library: Library, { bytes, count }: CutValues): FirstValues | null {
  const reader = { view: viewOf(bytes), offset: 0 };
  const total = countOfDifferences(reader.view);
  if (total === null) return null;
  const lengths = new Int32Array(total);
  if (!isComplete(() => library.deltaBinaryUnpack(reader, total, lengths))) return null;
  const texts: Uint8Array[] = [];
  let at = reader.offset;
  for (const length of lengths.subarray(0, count)) {
    texts.push(littleEndian(length), bytes.subarray(at, at + length));
    at += length;
  }
  return at > bytes.byteLength ? null : { bytes: Buffer.concat(texts), encoding: "PLAIN" };
}

/** The decoder runs over the end of bytes that are cut off. */
function isComplete(decode: () => void): boolean {
  try {
    decode();
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** How many numbers follow, which stands behind the size and the number of their blocks. */
function countOfDifferences(view: DataView): number | null {
  const blocks = varint(view, varint(view, 0).end);
  const { header, end } = varint(view, blocks.end);
  return end > view.byteLength ? null : header;
}

function littleEndian(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function plainSize({ bytes, count, type, width }: CutValues): number {
  if (type === "BOOLEAN") return Math.ceil(count / 8);
  if (type !== "BYTE_ARRAY") return count * (FIXED[type] ?? width);
  const view = viewOf(bytes);
  let at = 0;
  for (let i = 0; i < count && at <= view.byteLength; i++) {
    at += at + 4 <= view.byteLength ? 4 + view.getUint32(at, true) : Number.POSITIVE_INFINITY;
  }
  return at;
}

/**
 * What the first positions take, and where the last of their runs ends. A run is one position repeated, or positions
 * packed into as few bits as possible.
 */
function packedSize(view: DataView, count: number): { needed: number; runEnd: number } {
  if (view.byteLength === 0) return CUT_OFF;
  const bits = view.getUint8(0);
  let size = { needed: 1, runEnd: 1 };
  for (let left = bits === 0 ? 0 : count; left > 0; ) {
    const { header, end } = varint(view, size.runEnd);
    if (end > view.byteLength) return CUT_OFF;
    const isPacked = (header & 1) === 1;
    const inRun = isPacked ? (header >>> 1) * 8 : header >>> 1;
    const bytesOf = (values: number) => end + Math.ceil((bits * (isPacked ? values : 1)) / 8);
    size = { needed: bytesOf(Math.min(left, inRun)), runEnd: bytesOf(inRun) };
    left -= inRun;
  }
  return size;
}

function varint(view: DataView, start: number): { header: number; end: number } {
  let header = 0;
  let at = start;
  for (let shift = 0; at < view.byteLength; shift += 7) {
    const byte = view.getUint8(at++);
    header |= (byte & 0x7f) << shift;
    if (byte < 0x80) return { header, end: at };
  }
  return { header, end: Number.POSITIVE_INFINITY };
}
