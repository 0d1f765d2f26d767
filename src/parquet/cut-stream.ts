import { brotliDecompressSync, constants, gunzipSync } from "node:zlib";
import type { Library } from "./library.js";

/** Decompresses the beginning of a compressed stream as far as it goes. */
export type CutStream = (start: Uint8Array) => Uint8Array;

/** How to decompress the beginning of a page without its end; null for compressions where that cannot be done. */
export function cutStream({ compressors }: Library, codec: string): CutStream | null {
  const { SNAPPY, ZSTD } = compressors;
  if (codec === "UNCOMPRESSED") return (start) => start;
  if (codec === "GZIP") return (start) => gunzipSync(start, { finishFlush: constants.Z_SYNC_FLUSH });
  if (codec === "BROTLI") return cutBrotli;
  if (codec === "SNAPPY" && SNAPPY !== undefined) return (start) => SNAPPY(...wholeSnappy(start));
  if (codec === "ZSTD" && ZSTD !== undefined) return (start) => ZSTD(wholeZstd(start), 0);
  return null;
}

function cutBrotli(start: Uint8Array): Uint8Array {
  return brotliDecompressSync(start, { finishFlush: constants.BROTLI_OPERATION_FLUSH });
}

/** A stream of the elements that are complete, and of what is there of the next one, with its length. */
function wholeSnappy(cut: Uint8Array): [stream: Uint8Array, length: number] {
  let body = 0;
  while ((cut[body] ?? 0) >= 0x80) body++;
  body++;
  let end = body;
  let length = 0;
  let next = snappyElement(cut, end);
  for (; next.end <= cut.length; next = snappyElement(cut, end)) {
    end = next.end;
    length += next.length;
  }
  // Data that does not compress is one long literal: waiting for its end would mean reading all of it.
  const rest = next.literalAt === undefined ? new Uint8Array(0) : cut.subarray(next.literalAt);
  const total = length + rest.length;
  return [Buffer.concat([varint(total), cut.subarray(body, end), snappyLiteral(rest), rest]), total];
}

/** The tag of a literal, with its length in four bytes. */
function snappyLiteral({ length }: Uint8Array): Uint8Array {
  if (length === 0) return new Uint8Array(0);
  const tag = Buffer.alloc(5);
  tag.writeUInt8(63 << 2);
  tag.writeUInt32LE(length - 1, 1);
  return tag;
}

interface SnappyElement {
  readonly end: number;
  /** How many bytes it stands for. */
  readonly length: number;
  /** Where its bytes begin, if it is made of them. */
  readonly literalAt?: number;
}

function snappyElement(bytes: Uint8Array, at: number): SnappyElement {
  const tag = bytes[at];
  if (tag === undefined) return { end: Number.POSITIVE_INFINITY, length: 0 };
  const high = tag >> 2;
  switch (tag & 3) {
    case 0:
      return literalElement(bytes, at, high);
    case 1:
      return { end: at + 2, length: (high & 7) + 4 };
    case 2:
      return { end: at + 3, length: high + 1 };
    default:
      return { end: at + 5, length: high + 1 };
  }
}

/** Lengths up to 60 stand in the tag; longer ones in one to four bytes behind it. */
function literalElement(bytes: Uint8Array, at: number, high: number): SnappyElement {
  if (high < 60) return { end: at + 2 + high, length: high + 1, literalAt: at + 1 };
  const extra = high - 59;
  const literalAt = at + 1 + extra;
  let length = 1;
  for (let i = 0; i < extra; i++) length += (bytes[at + 1 + i] ?? 0) * 2 ** (8 * i);
  return { end: literalAt + length, length, literalAt };
}

/** A number in groups of seven bits, the lowest first. */
export function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) + 0x80);
  return Uint8Array.from([...bytes, rest]);
}

const ZSTD_MAGIC = [0x28, 0xb5, 0x2f, 0xfd];
const ZSTD_BLOCK = 128 * 1024;

/** A frame of the complete blocks of the one that was cut: its header promises no length, its last block is the last. */
function wholeZstd(cut: Uint8Array): Uint8Array {
  if (ZSTD_MAGIC.some((byte, at) => cut[at] !== byte)) throw new Error("a page is not a Zstandard stream");
  const flags = cut[4] ?? 0;
  const isSingle = (flags & 0x20) !== 0;
  const body = 5 + (isSingle ? 0 : 1) + ([0, 1, 2, 4][flags & 3] ?? 0) + contentSizeBytes(flags, isSingle);
  const blocks = completeBlocks(cut, body);
  const window = isSingle ? windowFor(blocks.count * ZSTD_BLOCK) : (cut[5] ?? 0);
  const frame = Buffer.concat([Uint8Array.from([...ZSTD_MAGIC, 0, window]), cut.subarray(body, blocks.end)]);
  if (blocks.count === 0) return Buffer.concat([frame, Uint8Array.of(1, 0, 0)]);
  const last = blocks.last - body + 6;
  frame[last] = (frame[last] ?? 0) | 1;
  return frame;
}

function contentSizeBytes(flags: number, isSingle: boolean): number {
  const kind = flags >> 6;
  return kind === 0 ? Number(isSingle) : 2 ** kind;
}

function completeBlocks(cut: Uint8Array, body: number): { end: number; last: number; count: number } {
  const found = { end: body, last: body, count: 0 };
  while (found.end + 3 <= cut.length) {
    const header = (cut[found.end] ?? 0) | ((cut[found.end + 1] ?? 0) << 8) | ((cut[found.end + 2] ?? 0) << 16);
    // A block of one repeated byte has that byte alone, whatever its length.
    const size = ((header >> 1) & 3) === 1 ? 1 : header >> 3;
    if (found.end + 3 + size > cut.length) break;
    found.last = found.end;
    found.end += 3 + size;
    found.count += 1;
    if ((header & 1) === 1) break;
  }
  return found;
}

/** The smallest window of a power of two that reaches back over so many bytes. */
function windowFor(bytes: number): number {
  return Math.max(0, Math.ceil(Math.log2(Math.max(1, bytes))) - 10) << 3;
}
