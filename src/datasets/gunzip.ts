import { createReadStream, statSync } from "node:fs";
import { createGunzip, gunzipSync } from "node:zlib";

// A separate module: Node's compression is slow to load, and few files need it.

/** Text compresses 10 to 50 times; a decompression bomb 1,000 times. */
const MAX_GZIP_RATIO = 100;
const MIN_LIMIT_BYTES = 64 * 1024 * 1024;

export function decompressGzip(bytes: Buffer): Buffer {
  return gunzipSync(bytes, { maxOutputLength: computeSizeLimit(bytes.length) });
}

/** Yields the decompressed bytes in chunks. */
export async function* readGzipFile(path: string): AsyncGenerator<Buffer> {
  const limit = computeSizeLimit(statSync(path).size);
  const file = createReadStream(path);
  const unzipped = createGunzip();
  file.once("error", (error) => unzipped.destroy(error));
  let length = 0;
  for await (const chunk of file.pipe(unzipped) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > limit)
      throw Object.assign(new RangeError(`more than ${limit} bytes`), { code: "ERR_BUFFER_TOO_LARGE" });
    yield chunk;
  }
}

function computeSizeLimit(storedBytes: number): number {
  return Math.max(MIN_LIMIT_BYTES, storedBytes * MAX_GZIP_RATIO);
}
