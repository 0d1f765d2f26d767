import type { Encoding, ParquetType } from "hyparquet";

/** The first values of a page. */
export interface FirstValues {
  readonly view: DataView;
  readonly count: number;
  readonly type: ParquetType;
  /** Bytes of a value of fixed length. */
  readonly width: number;
  readonly encoding: Encoding | undefined;
}

const FIXED: Partial<Record<ParquetType, number>> = { INT32: 4, INT64: 8, INT96: 12, FLOAT: 4, DOUBLE: 8 };

/**
 * How many bytes the first values take. More than there are when they are cut off; null for encodings whose values
 * do not stand one after the other.
 */
export function bytesOfValues(values: FirstValues): number | null {
  if (values.encoding === "PLAIN") return plainSize(values);
  return values.encoding?.endsWith("_DICTIONARY") === true ? packedSize(values) : null;
}

function plainSize({ view, count, type, width }: FirstValues): number {
  if (type === "BOOLEAN") return Math.ceil(count / 8);
  if (type !== "BYTE_ARRAY") return count * (FIXED[type] ?? width);
  let at = 0;
  for (let i = 0; i < count && at <= view.byteLength; i++) {
    at += at + 4 <= view.byteLength ? 4 + view.getUint32(at, true) : Number.POSITIVE_INFINITY;
  }
  return at;
}

/** Positions in a dictionary: runs of one position repeated, or of positions packed into as few bits as possible. */
function packedSize({ view, count }: FirstValues): number {
  if (count === 0) return 0;
  if (view.byteLength === 0) return Number.POSITIVE_INFINITY;
  const bits = view.getUint8(0);
  let at = 1;
  let left = bits === 0 ? 0 : count;
  while (left > 0) {
    const { header, end } = varint(view, at);
    if (end > view.byteLength) return Number.POSITIVE_INFINITY;
    const isPacked = (header & 1) === 1;
    const inRun = isPacked ? (header >>> 1) * 8 : header >>> 1;
    at = end + (isPacked ? Math.ceil((Math.min(left, inRun) * bits) / 8) : Math.ceil(bits / 8));
    left -= inRun;
  }
  return at;
}

function varint(view: DataView, start: number): { header: number; end: number } {
  let header = 0;
  let at = start;
  for (let shift = 0; at < view.byteLength; shift += 7) {
    const byte = view.getUint8(at++);
    header |= (byte & 0x7f) << shift;
    if (byte < 0x80) return { header, end: at };
  }
  return { header, end: Number.POSITIVE_INFINITY };
}
