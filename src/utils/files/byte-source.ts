import { open } from "node:fs/promises";

/** Bytes that can be read in part, such as a file on disk or one behind HTTP. */
export interface ByteSource {
  /** As messages name it. */
  readonly name: string;
  readonly size: number;
  /** The bytes from `start` up to, not including, `end`. */
  read(start: number, end: number): Promise<Uint8Array>;
  close?(): Promise<void>;
}

/**
 * A local file as bytes.
 * @example
 * const bytes = await openBytes("data.parquet");
 * await bytes.read(0, 4); // the bytes of "PAR1"
 */
export async function openBytes(path: string, name = path): Promise<ByteSource> {
  const file = await open(path, "r");
  const { size } = await file.stat();
  return {
    name,
    size,
    async read(start, end) {
      const buffer = new Uint8Array(Math.max(0, Math.min(end, size) - start));
      let filled = 0;
      while (filled < buffer.length) {
        const { bytesRead } = await file.read(buffer, filled, buffer.length - filled, start + filled);
        if (bytesRead === 0) break;
        filled += bytesRead;
      }
      return filled === buffer.length ? buffer : buffer.subarray(0, filled);
    },
    close: () => file.close(),
  };
}

/** Bytes that are in memory already. */
export function bytesInMemory(name: string, bytes: Uint8Array): ByteSource {
  return { name, size: bytes.length, read: async (start, end) => bytes.subarray(start, end) };
}
