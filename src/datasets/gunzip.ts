import { createReadStream } from "node:fs";
import { createGunzip, gunzipSync } from "node:zlib";

// Apart from what reads plain files: Node takes a while to load its compression, and few files need it.

/** The bytes that were compressed. */
export function gunzip(bytes: Buffer): Buffer {
  return gunzipSync(bytes);
}

/** The bytes that a compressed file holds, a piece at a time. */
export async function* gunzipped(path: string): AsyncGenerator<Buffer> {
  const file = createReadStream(path);
  const unzipped = createGunzip();
  file.once("error", (error) => unzipped.destroy(error));
  for await (const chunk of file.pipe(unzipped)) yield chunk as Buffer;
}
