import { AssayError, DatasetError, messageOf } from "../core/errors.js";
import type { ByteSource } from "../files/byte-source.js";
import { truncated } from "./problems.js";

/** Bytes from `start` up to, not including, `end`. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Reads a stretch of bytes, whole. */
export type ReadSpan = (span: Span) => Promise<Uint8Array>;

/** Two reads closer together than this are one: a request costs more than the bytes between. */
const GAP = 64 * 1024;

/** Spans in order, those close together as one. */
function joinSpans(spans: readonly Span[]): Span[] {
  const joined: { start: number; end: number }[] = [];
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last !== undefined && start - last.end < GAP) last.end = Math.max(last.end, end);
    else joined.push({ start, end });
  }
  return joined;
}

/** How many bytes spans cover once they are joined. */
export function joinedSize(spans: readonly Span[]): number {
  return joinSpans(spans).reduce((sum, { start, end }) => sum + end - start, 0);
}

/** Reads that fail clearly: a source that ends early is a truncated file, not a puzzle for the decoder. */
export function wholeReads(bytes: ByteSource): ReadSpan {
  return async ({ start, end }) => {
    const read = await bytes.read(start, end).catch((error: unknown) => {
      if (error instanceof AssayError) throw error;
      throw new DatasetError(`"${bytes.name}" cannot be read: ${messageOf(error)}. Check the file.`, { cause: error });
    });
    if (read.byteLength >= end - start) return read.subarray(0, end - start);
    throw truncated(bytes.name, `it ends before byte ${end}, where its footer says that data is`);
  };
}

/** Fetches spans, joined, and then answers reads inside them from memory; other reads go on to the source. */
export async function prefetch(read: ReadSpan, spans: readonly Span[]): Promise<ReadSpan> {
  const held = await Promise.all(joinSpans(spans).map(async (span) => ({ ...span, bytes: await read(span) })));
  return (span) => {
    const found = held.find(({ start, end }) => start <= span.start && span.end <= end);
    if (found === undefined) return read(span);
    return Promise.resolve(found.bytes.subarray(span.start - found.start, span.end - found.start));
  };
}

/**
 * Reads forward in steps: what is asked for next is mostly in memory already, and no byte is fetched twice.
 * Nothing is read beyond `limit`.
 */
export function readAhead(read: ReadSpan, { limit, step }: { limit: number; step: number }): ReadSpan {
  let start = 0;
  let held: Uint8Array = new Uint8Array(0);
  return async (span) => {
    const end = start + held.byteLength;
    const follows = span.start >= start && span.start <= end;
    const kept = follows ? held.subarray(span.start - start) : new Uint8Array(0);
    if (span.end - span.start > kept.byteLength) {
      const from = span.start + kept.byteLength;
      const fresh = await read({ start: from, end: Math.min(limit, Math.max(span.end, from + step)) });
      held = kept.byteLength === 0 ? fresh : Buffer.concat([kept, fresh]);
      start = span.start;
    }
    return held.subarray(span.start - start, span.end - start);
  };
}
