import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { type ColumnChunk, type DecodedArray, parquetSchema, type SchemaElement } from "hyparquet";
import { assembleNested } from "hyparquet/src/assemble.js";
import { DEFAULT_PARSERS } from "hyparquet/src/convert.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ByteSource, openLocalBytes } from "../../utils/files/byte-source.js";
import { selectColumns } from "./columns.js";
import { type DuckDbWriter, openDuckDb } from "./duckdb-file.js";
import { joinTables, openParquet, type ParquetTable } from "./index.js";

let folder: string;
let duckdb: DuckDbWriter;
const opened: ByteSource[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "assay-parquet-"));
  duckdb = await openDuckDb();
});
afterAll(async () => {
  for (const source of opened) await source.close?.();
  duckdb.close();
  rmSync(folder, { recursive: true });
});

type Row = Record<string, unknown>;

/** Writes a file and opens it, counting what is read. */
async function written(name: string, query: string, options?: string) {
  const path = join(folder, name);
  await duckdb.write(path, query, options);
  const source = await openLocalBytes(path, name);
  opened.push(source);
  const seen = { bytes: 0 };
  const read = (start: number, end: number) => {
    seen.bytes += end - start;
    return source.read(start, end);
  };
  return { table: await openParquet({ ...source, read }), seen };
}

async function rowsOf(table: ParquetTable, columns?: readonly string[], positions: Uint32Array | "all" = "all") {
  const rows: Row[] = [];
  for await (const batch of table.read(positions, columns)) rows.push(...batch.map(({ row }) => row));
  return rows;
}

const NESTED = `SELECT i AS id,
  CASE WHEN i % 11 = 0 THEN NULL ELSE {'kind': 'k' || i % 3, 'words': i * 2, 'price': (i / 4)::DECIMAL(8, 2),
    'summary': CASE WHEN i % 5 = 0 THEN NULL ELSE {'text': CASE WHEN i % 7 = 0 THEN NULL ELSE 's' || i END, 'tokens': ['t' || i, NULL], 'title': md5(i::VARCHAR)} END} END AS document,
  CASE WHEN i % 13 = 0 THEN NULL ELSE {'url': CASE WHEN i % 4 = 0 THEN [] ELSE ['u' || i] END, 'context': CASE WHEN i % 6 = 0 THEN NULL ELSE ['c' || i, NULL, 'd' || i] END} END AS results,
  CASE WHEN i % 9 = 0 THEN NULL WHEN i % 8 = 0 THEN [] ELSE [{'text': 'a' || i, 'tokens': ['x', 'y' || i], 'by': {'name': 'n' || i, 'age': i}}, NULL, {'text': NULL, 'tokens': NULL, 'by': NULL}] END AS answers,
  [[{'p': i, 'q': 'q' || i}], [], NULL] AS deep, MAP {'k' || i % 2: {'v': i}} AS map`;

const PATHS = [
  "id",
  "document.kind",
  "document.price",
  "document.summary",
  "document.summary.text",
  "document.summary.tokens",
  "results.context",
  "results.url",
  "answers.text",
  "answers.tokens",
  "answers.by.age",
  "deep.q",
  "map",
  "answers",
];

/** Reduces a value to these paths, as lists of names; an empty path keeps all of it. */
function projected(value: unknown, paths: readonly (readonly string[])[]): unknown {
  if (paths.some((path) => path.length === 0) || typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => projected(item, paths));
  const kept: Row = {};
  for (const [name, child] of Object.entries(value)) {
    const below = paths.filter(([first]) => first === name).map(([, ...rest]) => rest);
    if (below.length > 0) kept[name] = projected(child, below);
  }
  return kept;
}

describe("parts of columns", () => {
  let table: ParquetTable;
  let all: Row[];
  beforeAll(async () => {
    ({ table } = await written("nested.parquet", `${NESTED} FROM range(6000) t(i)`, "ROW_GROUP_SIZE 2048"));
    all = await rowsOf(table);
  });

  it("are returned as nested objects with only these parts", async () => {
    const [row] = await rowsOf(
      table,
      ["document.summary.text", "document.kind", "results.context", "answers.text"],
      Uint32Array.of(1),
    );
    expect(row).toEqual({
      document: { kind: "k1", summary: { text: "s1" } },
      results: { context: ["c1", null, "d1"] },
      answers: [{ text: "a1" }, null, { text: null }],
    });
  });

  it("equal those of a full read, nulls and empty lists included", async () => {
    const paths = fc.uniqueArray(fc.constantFrom(...PATHS), { minLength: 1 });
    const positions = fc.uniqueArray(fc.nat({ max: 5999 }), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(paths, positions, async (columns, chosen) => {
        const order = Uint32Array.from(chosen).sort();
        const names = columns.map((column) => column.split("."));
        const expected = Array.from(order, (position) => projected(all[position], names));
        expect(await rowsOf(table, columns, order)).toEqual(expected);
      }),
      { numRuns: 12, seed: 7 },
    );
    const names = PATHS.map((path) => path.split("."));
    expect(await rowsOf(table, PATHS)).toEqual(all.map((row) => projected(row, names)));
  });

  it("do not narrow a column that is also requested as a whole", async () => {
    const columns = ["document.kind", "document"];
    const [row] = await rowsOf(table, columns, Uint32Array.of(1));
    expect(row).toEqual({ document: all[1]?.document });
  });

  it("return only their values as a column", async () => {
    expect((await table.readColumn("document.kind")).slice(0, 3)).toEqual([null, "k1", "k2"]);
    expect((await table.readColumn("document.summary.text")).slice(4, 8)).toEqual(["s4", null, "s6", null]);
    expect((await table.readColumn("answers.by.age")).slice(7, 10)).toEqual([[7, null, null], [], null]);
    expect((await table.readColumn("document")).slice(1, 3)).toEqual(all.slice(1, 3).map((row) => row.document));
  });

  it("are found by path, whole columns by name", () => {
    expect(table.columns).toEqual(["id", "document", "results", "answers", "deep", "map"]);
    for (const path of PATHS) expect(table.has(path), path).toBe(true);
    const missing = ["x", "document.x", "document.summary.text.x", "answers.0", "answers.list", "map.k1", "map.v", ""];
    for (const path of missing) expect(table.has(path), path).toBe(false);
  });

  it.each([
    [
      "document.summary.txt",
      "document.summary.text",
      "document.summary.text, document.summary.tokens, document.summary.title",
    ],
    ["document.knd", "document.kind", "document.kind, document.words, document.price, document.summary"],
    ["answers.texts", "answers.text", "answers.text, answers.tokens, answers.by"],
    ["id.value", null, "id, document, results, answers, deep, map"],
    ["dokument.kind", null, "id, document, results, answers, deep, map"],
  ])("are an error that lists the existing ones if they are missing: %s", async (path, guess, known) => {
    const hint = guess === null ? "" : ` Did you mean "${guess}"?`;
    const message = `"nested.parquet" has no column "${path}".${hint} Its columns: ${known}.`;
    await expect(rowsOf(table, ["id", path])).rejects.toThrow(message);
    await expect(table.sample({ count: 1, seed: 1, columns: [path] })).rejects.toThrow(message);
    await expect(table.readColumn(path)).rejects.toThrow(message);
  });

  it("are read from several files, as far as each has them", async () => {
    const { table: other } = await written(
      "other.parquet",
      "SELECT {'kind': 'other', 'summary': {'txt': 'x'}} AS document, [{'text': 'last'}] AS answers",
    );
    const both = joinTables([table, other]);
    const rows = await rowsOf(both, ["document.kind", "answers.text"], Uint32Array.of(1, 6000));
    expect(rows[1]).toEqual({ document: { kind: "other" }, answers: [{ text: "last" }] });
    expect((await both.readColumn("document.kind")).at(-1)).toBe("other");
    const paths = ["document.kind", "document.summary.text", "document.summary.txt", "document.text2"];
    expect(paths.map((path) => both.has(path))).toEqual([true, true, true, false]);
    expect((await both.readColumn("document.summary.text")).at(-1)).toBeUndefined();
    expect(await rowsOf(both, ["document.summary.text"], Uint32Array.of(6000))).toEqual([{}]);
    await expect(rowsOf(both, ["document.text2"])).rejects.toThrow(
      /^"nested.parquet and 1 more" has no column "document.text2". .*Its columns: document\./,
    );
  });

  it("yield to columns with dots in their names", async () => {
    const query = `SELECT {'b': 'inside', 'c.d': {'e': 1, 'f': 2}, 'c': 3} AS a, 'whole' AS "a.b"`;
    const { table: dotted } = await written("dotted.parquet", query);
    expect(await rowsOf(dotted)).toEqual([{ a: { b: "inside", "c.d": { e: 1, f: 2 }, c: 3 }, "a.b": "whole" }]);
    expect(await rowsOf(dotted, ["a.b"])).toEqual([{ "a.b": "whole" }]);
    expect(await rowsOf(dotted, ["a.b", "a.c.d.f"])).toEqual([{ a: { "c.d": { f: 2 } }, "a.b": "whole" }]);
    expect([await dotted.readColumn("a.b"), await dotted.readColumn("a.c.d.f")]).toEqual([["whole"], [2]]);
  });
});

describe("the bytes read for parts of columns", () => {
  const TEXT = "array_to_string(list_transform(range(300), x -> md5((i * 1000 + x)::VARCHAR)), ' ')";
  const BOOKS = `SELECT 'q' || i AS question, {'kind': 'k' || i % 3, 'summary': {'text': 's' || i || md5(i::VARCHAR), 'title': 't'}, 'text': ${TEXT}} AS document FROM range(600) t(i)`;

  it.each(["snappy", "zstd"])("are a small part of the whole column (%s)", async (codec) => {
    const options = `CODEC ${codec}, ROW_GROUP_SIZE 2048`;
    const costs: number[] = [];
    for (const columns of [["document"], ["document.summary.text", "document.kind"]]) {
      const { table, seen } = await written(`${codec}-${columns.length}.parquet`, BOOKS, options);
      const before = seen.bytes;
      const { positions, note } = await table.sample({ count: 40, seed: 3, columns });
      expect(note).toBeNull();
      const rows = await rowsOf(table, columns, positions);
      expect(rows).toMatchObject(
        Array.from(positions, (i) => ({
          document: { kind: `k${i % 3}`, summary: { text: expect.stringMatching(`^s${i}[0-9a-f]{32}$`) } },
        })),
      );
      costs.push(seen.bytes - before);
    }
    const [whole = 0, parts = 0] = costs;
    expect(whole).toBeGreaterThan(2_000_000);
    expect(parts).toBeLessThan(whole / 20);
  });

  it("decide how a sample is drawn: from all rows if the parts are small", async () => {
    const query = "SELECT {'kind': 'k' || i % 5, 'text': md5(i::VARCHAR)} AS s FROM range(1000000) t(i)";
    const { table, seen } = await written("large.parquet", query, "ROW_GROUP_SIZE 40960");
    expect((await table.sample({ count: 100, seed: 1, columns: ["s"] })).note).toMatch(/blocks of the file/);
    const before = seen.bytes;
    const { positions, note } = await table.sample({ count: 100, seed: 1, columns: ["s.kind"] });
    expect(note).toBeNull();
    expect(await rowsOf(table, ["s.kind"], positions)).toEqual(
      Array.from(positions, (i) => ({ s: { kind: `k${i % 5}` } })),
    );
    expect(seen.bytes - before).toBeLessThan(table.bytes * 0.04);
  });

  it("are counted by leaf column", async () => {
    const { table } = await written("books.parquet", BOOKS);
    const bytesOf = async (columns?: readonly string[]) =>
      (await table.listRegions(columns)).reduce((sum, { bytes }) => sum + bytes, 0);
    expect(await bytesOf(["document.text"])).toBeGreaterThan((await bytesOf()) * 0.9);
    expect(await bytesOf(["document.kind", "document.summary.text"])).toBeLessThan((await bytesOf()) * 0.05);
  });
});

describe("lists in older layouts", () => {
  const SCHEMA: SchemaElement[] = [
    { name: "schema", num_children: 1 },
    { name: "answers", repetition_type: "REQUIRED", num_children: 1, converted_type: "LIST" },
    { name: "array", repetition_type: "REPEATED", num_children: 2 },
    { name: "text", repetition_type: "REQUIRED", type: "INT32" },
    { name: "other", repetition_type: "REQUIRED", type: "INT32" },
  ];

  it("keep their shape if only a part of them is read", () => {
    const column = (name: string) => ({ meta_data: { path_in_schema: ["answers", "array", name] } }) as ColumnChunk;
    const group = { columns: [column("text"), column("other")], total_byte_size: 0n, num_rows: 2n };
    const metadata = { version: 1, schema: SCHEMA, num_rows: 2n, row_groups: [group], metadata_length: 0 };
    const assembled = (paths?: string[]) => {
      const selected = selectColumns(metadata, "old", paths);
      const leaves = selected.row_groups[0]?.columns.map(({ meta_data }) => meta_data?.path_in_schema.join(".") ?? "");
      const values = new Map<string, DecodedArray>(leaves?.map((path) => [path, [[1, 2], [3]]]));
      for (const node of parquetSchema(selected).children) assembleNested(values, node, DEFAULT_PARSERS);
      return values.get("answers");
    };
    expect(assembled()).toEqual([
      {
        array: [
          { text: 1, other: 1 },
          { text: 2, other: 2 },
        ],
      },
      { array: [{ text: 3, other: 3 }] },
    ]);
    expect(assembled(["answers.array.text"])).toEqual([
      { array: [{ text: 1 }, { text: 2 }] },
      { array: [{ text: 3 }] },
    ]);
  });
});
