import { open } from "node:fs/promises";

/** Bytes that can be read in ranges, such as a local file or one behind HTTP. */
export interface ByteSource {
  /** As shown in messages. */
  readonly name: string;
  readonly size: number;
  /** The bytes from `start` up to but excluding `end`. */
  read(start: number, end: number): Promise<Uint8Array>;
  close?(): Promise<void>;
}

/**
 * Opens a local file.
 * @example
 * const bytes = await openLocalBytes("data.parquet");
 * await bytes.read(0, 4); // the bytes of "PAR1"
 */
export async function openLocalBytes(path: string, name = path): Promise<ByteSource> {
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

export function createMemoryBytes(name: string, bytes: Uint8Array): ByteSource {
  return { name, size: bytes.length, read: async (start, end) => bytes.subarray(start, end) };
}
