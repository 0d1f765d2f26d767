import type { FileMetaData } from "hyparquet";
import type { ByteSource } from "../files/byte-source.js";
import { type Library, viewOf } from "./library.js";
import { badFooter, encrypted, notParquet, truncated } from "./problems.js";
import { wholeReads } from "./spans.js";

/** Read at once: most footers fit. */
const TAIL = 64 * 1024;
const MARK = "PAR1";
const ENCRYPTED_MARK = "PARE";
/** The length of the footer and the mark. */
const END = 8;

/** What a file says about itself. */
export async function readFooter(library: Library, bytes: ByteSource): Promise<FileMetaData> {
  const footer = await footerBytes(bytes);
  try {
    return library.parquetMetadata(footer, { parsers: library.parsers, geoparquet: false });
  } catch (error) {
    throw badFooter(bytes.name, error);
  }
}

async function footerBytes(bytes: ByteSource): Promise<Uint8Array> {
  const read = wholeReads(bytes);
  const { name, size } = bytes;
  const tail = await read({ start: Math.max(0, size - TAIL), end: size });
  await requireMark(bytes, tail);
  const length = viewOf(tail).getUint32(tail.byteLength - END, true) + END;
  if (length > size) throw truncated(name, `its footer has ${length} bytes, the whole file only ${size}`);
  if (length <= tail.byteLength) return tail;
  const start = await read({ start: size - length, end: size - tail.byteLength });
  return Buffer.concat([start, tail]);
}

async function requireMark(bytes: ByteSource, tail: Uint8Array): Promise<void> {
  const { name, size } = bytes;
  const mark = textOf(tail.subarray(-MARK.length));
  if (mark === ENCRYPTED_MARK) throw encrypted(name, "its footer is");
  if (mark === MARK && tail.byteLength >= END) return;
  const head = textOf(await bytes.read(0, Math.min(size, MARK.length)));
  throw head === MARK ? truncated(name, "it starts as a Parquet file, but its footer is missing") : notParquet(name);
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1");
}
