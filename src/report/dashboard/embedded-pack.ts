import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";

/** A multiple of three, so that pieces of base64 can be put behind each other. */
const PIECE_BYTES = 3 << 15;

/** Presses texts together as they come, so that the whole of them is nowhere in memory. */
export async function packed(pieces: AsyncIterable<string>): Promise<Buffer> {
  const parts: Buffer[] = [];
  await pipeline(Readable.from(pieces), createGzip(), async (gzipped: AsyncIterable<Buffer>) => {
    for await (const part of gzipped) parts.push(part);
  });
  return Buffer.concat(parts);
}

/** Bytes as base64, a line for each piece. */
export function* base64Lines(bytes: Buffer): Generator<string> {
  for (let start = 0; start < bytes.length; start += PIECE_BYTES)
    yield `${bytes.toString("base64", start, Math.min(bytes.length, start + PIECE_BYTES))}\n`;
}
