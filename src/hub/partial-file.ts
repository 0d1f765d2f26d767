import { open, readFile, rm, stat, writeFile } from "node:fs/promises";

/** A file that is still coming, with the tag of the version that it is a part of. */
export class PartialFile {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  /** How much of it is there. */
  async bytes(): Promise<number> {
    return stat(this.path).then(
      ({ size }) => size,
      () => 0,
    );
  }

  /** What can be gone on from: nothing, when it is not known what it is a part of, or when it is too long. */
  async have(size: number): Promise<{ bytes: number; etag: string }> {
    const bytes = await this.bytes();
    const etag = await readFile(this.#etagPath, "utf8").catch(() => "");
    return isStrong(etag) && bytes <= size ? { bytes, etag } : { bytes: 0, etag: "" };
  }

  /** Emptied before its new tag is written: killed in between, there is nothing that the tag could be wrong about. */
  async begin(etag: string | null): Promise<void> {
    await writeFile(this.path, "");
    await writeFile(this.#etagPath, etag ?? "");
  }

  /** Adds what comes to its end; gives the bytes it has then. Stops as soon as there is more than `size`. */
  async append(chunks: AsyncIterable<Uint8Array>, size: number): Promise<number> {
    const file = await open(this.path, "a");
    try {
      let { size: bytes } = await file.stat();
      for await (const chunk of chunks) {
        await file.appendFile(chunk);
        bytes += chunk.length;
        if (bytes > size) break;
      }
      await file.sync();
      return bytes;
    } finally {
      await file.close();
    }
  }

  async remove(): Promise<void> {
    await rm(this.path, { force: true });
    await rm(this.#etagPath, { force: true });
  }

  get #etagPath(): string {
    return `${this.path}.etag`;
  }
}

/** Only a strong tag promises the same bytes. */
function isStrong(etag: string): boolean {
  return etag.startsWith('"');
}
