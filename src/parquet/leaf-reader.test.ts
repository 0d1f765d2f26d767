import type { ColumnMetaData, SchemaElement } from "hyparquet";
import { ByteWriter } from "hyparquet-writer";
import { serializeTCompactProtocol } from "hyparquet-writer/src/thrift.js";
import { expect, it } from "vitest";
import { Decoder } from "./decoder.js";
import { type Leaf, layoutOf } from "./layout.js";
import { openLeaf } from "./leaf-reader.js";
import { loadLibrary } from "./library.js";

const SCHEMA: SchemaElement[] = [
  { name: "schema", num_children: 1 },
  { name: "list", repetition_type: "REQUIRED", num_children: 1, converted_type: "LIST" },
  { name: "list", repetition_type: "REPEATED", num_children: 1 },
  { name: "element", repetition_type: "REQUIRED", type: "INT32" },
];

const FLAT: SchemaElement[] = [
  { name: "schema", num_children: 1 },
  { name: "number", repetition_type: "OPTIONAL", type: "INT32" },
];

/** Levels as runs of one, with their length before them. */
function section(levels: readonly number[]): Buffer {
  const runs = Buffer.from(levels.flatMap((level) => [2, level]));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(runs.length);
  return Buffer.concat([length, runs]);
}

/** A data page of the older kind, of numbers. */
function pageOf(levels: readonly (readonly number[])[], values: readonly number[]): Uint8Array {
  const data = Buffer.concat([...levels.map(section), Buffer.from(Int32Array.from(values).buffer)]);
  const writer = new ByteWriter();
  const header = { field_1: levels[0]?.length ?? 0, field_2: 0, field_3: 3, field_4: 3 };
  serializeTCompactProtocol(writer, { field_1: 0, field_2: data.length, field_3: data.length, field_5: header });
  return Buffer.concat([writer.getBytes(), data]);
}

const listPage = (repetition: readonly number[], values: readonly number[]) =>
  pageOf([repetition, values.map(() => 1)], values);

/** Reads these rows of a chunk made of the pages, in two goes. */
async function readRows(schema: SchemaElement[], pages: readonly Uint8Array[], rows: readonly number[]) {
  const library = await loadLibrary();
  const bytes = Buffer.concat(pages);
  const metadata = { version: 1, schema, num_rows: 0n, row_groups: [], metadata_length: 0 };
  const [leaf] = layoutOf(library, metadata, { name: "x", size: 0 }).leaves as [Leaf];
  const meta = { type: "INT32", codec: "UNCOMPRESSED" } as ColumnMetaData;
  const chunk = { meta, start: 0, end: bytes.length, offsetIndex: null, dictionaryBytes: 0 };
  const read = ({ start, end }: { start: number; end: number }) => Promise.resolve(bytes.subarray(start, end));
  const decoder = new Decoder(library, leaf, chunk, "x");
  const reader = await openLeaf({ decoder, chunk, read, wanted: Uint32Array.from(rows), rows: 40 });
  const half = rows.length >> 1;
  return [...(await reader.take(0, half)), ...(await reader.take(half, rows.length))];
}

it("puts lists together that go on from page to page", async () => {
  const pages = [listPage([0, 1, 0], [1, 2, 3]), listPage([1, 1], [4, 5]), listPage([1, 0, 0, 1], [6, 7, 8, 9])];
  const expected = [[1, 2], [3, 4, 5, 6], [7], [8, 9]];
  for (const rows of [[0, 1, 2, 3], [1], [3], [0, 2], [1, 3]]) {
    expect(await readRows(SCHEMA, pages, rows)).toEqual(rows.map((row) => expected[row]));
  }
});

it("finds rows of older pages by their headers, nulls counted", async () => {
  const pages = [pageOf([[1, 0, 1]], [10, 12]), pageOf([[0, 0]], []), pageOf([[1, 1, 1, 0]], [15, 16, 17])];
  const expected = [10, null, 12, null, null, 15, 16, 17, null];
  for (const rows of [[0, 1, 2, 3, 4, 5, 6, 7, 8], [1, 5], [4], [8], [2, 7]]) {
    const values = await readRows(FLAT, pages, rows);
    expect(values.map((value) => value ?? null)).toEqual(rows.map((row) => expected[row]));
  }
  await expect(readRows(FLAT, pages, [9])).rejects.toThrow(/no page holds row 10/);
});
