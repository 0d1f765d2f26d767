import { closeSync, createReadStream, openSync, readSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { createGunzip } from "node:zlib";
import { firstBytes, isGzip } from "../datasets/read-bytes.js";

const CHUNK_BYTES = 1 << 20;
const MARK = Buffer.of(0xef, 0xbb, 0xbf);

/** Whether a file is compressed, by its first bytes: names lose and keep their endings as they like. */
export function isCompressed(path: string): boolean {
  return isGzip(firstBytes(path));
}

/** The bytes of a file, a chunk at a time, decompressed where it is compressed; a byte order mark is blanked out. */
export async function* fileChunks(path: string, chunkBytes = CHUNK_BYTES): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const chunk of isCompressed(path) ? unzipped(path) : plain(path, chunkBytes)) {
    yield isFirst ? withoutMark(chunk) : chunk;
    isFirst = false;
  }
}

async function* plain(path: string, chunkBytes: number): AsyncGenerator<Buffer> {
  const file = openSync(path, "r");
  try {
    for (let at = 0; ; ) {
      const chunk = Buffer.allocUnsafe(chunkBytes);
      const size = readSync(file, chunk, 0, chunkBytes, at);
      if (size === 0) return;
      yield chunk.subarray(0, size);
      at += size;
      // Lets signals and timers have their turn while a large file is read.
      if (at % CHUNK_BYTES === 0) await setImmediate();
    }
  } finally {
    closeSync(file);
  }
}

async function* unzipped(path: string): AsyncGenerator<Buffer> {
  const file = createReadStream(path);
  const unzip = createGunzip({ chunkSize: CHUNK_BYTES });
  file.once("error", (error) => unzip.destroy(error));
  try {
    for await (const chunk of file.pipe(unzip)) yield chunk as Buffer;
  } finally {
    file.destroy();
  }
}

/** As blanks, so that places stay what they are. */
function withoutMark(chunk: Buffer): Buffer {
  if (chunk.subarray(0, MARK.length).equals(MARK)) chunk.fill(" ", 0, MARK.length);
  return chunk;
}
