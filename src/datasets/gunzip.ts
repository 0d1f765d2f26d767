import { createReadStream, statSync } from "node:fs";
import { createGunzip, gunzipSync } from "node:zlib";

// Apart from what reads plain files: Node takes a while to load its compression, and few files need it.

/** What holds text grows ten- to fiftyfold. A file that was made to fill the memory grows a thousandfold. */
const MAX_GROWTH = 100;
const MIN_LIMIT_BYTES = 64 * 1024 * 1024;

/** The bytes that were compressed. */
export function gunzip(bytes: Buffer): Buffer {
  return gunzipSync(bytes, { maxOutputLength: computeLimit(bytes.length) });
}

/** The bytes that a compressed file holds, a piece at a time. */
export async function* gunzipped(path: string): AsyncGenerator<Buffer> {
  const limit = computeLimit(statSync(path).size);
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

function computeLimit(storedBytes: number): number {
  return Math.max(MIN_LIMIT_BYTES, storedBytes * MAX_GROWTH);
}
