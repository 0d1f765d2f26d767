import type { DecodedArray, ParquetParsers } from "hyparquet";

/** The parts of the Parquet library that are used here; its large entry points read more than we need. */
export type Library = Awaited<ReturnType<typeof loadLibrary>>;

/** Loads the library when the first Parquet file is opened: nothing else needs it. */
export async function loadLibrary() {
  const [metadata, column, schema, assemble, indexes, encoding, delta, convert, { compressors }] = await Promise.all([
    import("hyparquet/src/metadata.js"),
    import("hyparquet/src/column.js"),
    import("hyparquet/src/schema.js"),
    import("hyparquet/src/assemble.js"),
    import("hyparquet/src/indexes.js"),
    import("hyparquet/src/encoding.js"),
    import("hyparquet/src/delta.js"),
    import("hyparquet/src/convert.js"),
    import("hyparquet-compressors"),
  ]);
  return {
    parquetMetadata: metadata.parquetMetadata,
    parquetSchema: metadata.parquetSchema,
    parquetHeader: column.parquetHeader,
    readPage: column.readPage,
    isListLike: schema.isListLike,
    isMapLike: schema.isMapLike,
    assembleNested: assemble.assembleNested,
    readOffsetIndex: indexes.readOffsetIndex,
    readRleBitPackedHybrid: encoding.readRleBitPackedHybrid,
    deltaBinaryUnpack: delta.deltaBinaryUnpack,
    convert: convert.convert,
    compressors,
    parsers: { ...convert.DEFAULT_PARSERS, dateFromDays, jsonFromBytes } satisfies ParquetParsers,
  };
}

/** Values as they are decoded: a list, or a typed array. */
export type Decoded = DecodedArray;

/** A view on bytes, wherever they lie in their buffer. */
export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const MS_PER_DAY = 86_400_000;

/** A day has no time: midnight would be made up. */
function dateFromDays(days: number | undefined): string | undefined {
  return days === undefined ? undefined : new Date(days * MS_PER_DAY).toISOString().slice(0, 10);
}

/** A column may say that it holds JSON and hold something else; the text is kept then. */
function jsonFromBytes(bytes: Uint8Array | undefined): unknown {
  if (bytes === undefined) return undefined;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
