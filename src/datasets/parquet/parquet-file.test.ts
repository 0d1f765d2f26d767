import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import { compressors } from "hyparquet-compressors";
import { parquetWriteFile } from "hyparquet-writer";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type ByteSource, openLocalBytes } from "../../utils/files/byte-source.js";
import { type DuckDbWriter, openDuckDb } from "./duckdb-file.js";
import { openParquet } from "./index.js";
import { toPlainCell } from "./parquet-file.js";
import type { ParquetTable } from "./table.js";

let folder: string;
let duckdb: DuckDbWriter;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "assay-parquet-"));
  duckdb = await openDuckDb();
});
const opened: ByteSource[] = [];
afterAll(async () => {
  for (const source of opened) await source.close?.();
  duckdb.close();
  rmSync(folder, { recursive: true });
});

type Row = Record<string, unknown>;

async function rowsOf(table: ParquetTable, positions: Uint32Array | "all" = "all", columns?: string[]) {
  const rows: { position: number; row: Row }[] = [];
  for await (const batch of table.read(positions, columns)) rows.push(...batch);
  return rows;
}

async function written(name: string, query: string, options?: string): Promise<ParquetTable> {
  const path = join(folder, name);
  await duckdb.write(path, query, options);
  return openParquet(await opening(path));
}

/** Opens a file that is closed after the test. */
async function opening(path: string): Promise<ByteSource> {
  const source = await openLocalBytes(path);
  opened.push(source);
  return source;
}

/** Counts bytes and reads. */
function counted(source: ByteSource): ByteSource & { seen: { bytes: number; reads: number } } {
  const seen = { bytes: 0, reads: 0 };
  const read = (start: number, end: number) => {
    seen.bytes += end - start;
    seen.reads += 1;
    return source.read(start, end);
  };
  return { ...source, read, seen };
}

const MIXED = `SELECT i AS id, 'text ' || i || ' ' || md5(i::VARCHAR) AS text, CASE WHEN i % 3 = 0 THEN NULL ELSE 'v' || i % 20 END AS few,
  CASE WHEN i % 7 = 0 THEN NULL WHEN i % 5 = 0 THEN [] ELSE ['a' || i, NULL, md5((i * 3)::VARCHAR)] END AS list,
  CASE WHEN i % 11 = 0 THEN NULL ELSE {'name': 'n' || i, 'tags': [i, i + 1], 'inner': {'x': i / 2}} END AS struct,
  [{'question': 'q' || i, 'answers': ['x' || i]}, {'question': NULL, 'answers': []}] AS pairs, i % 2 = 0 AS flag`;

describe("values", () => {
  it("are converted to JSON types", async () => {
    const table = await written(
      "values.parquet",
      `SELECT 7::BIGINT AS safe, 9007199254740993::BIGINT AS large, 1.5::DOUBLE AS double, 0.3::DECIMAL(4, 1) AS decimal, true AS flag,
        'größe' AS text, 'raw'::BLOB AS blob, '\\xFF\\xFE'::BLOB AS bytes, TIMESTAMP '2024-02-03 04:05:06' AS moment,
        DATE '2024-02-03' AS day, NULL::VARCHAR AS nothing, MAP {'a': 1, 'b': 2} AS map, [[1, 2], []] AS lists,
        uuid '5a3c9f5e-0d4d-4b8e-9a55-0c6f4bdf2b11' AS uuid, '{"k": [1]}'::JSON AS json, 200::UTINYINT AS small`,
    );
    expect((await rowsOf(table))[0]?.row).toEqual({
      safe: 7,
      large: "9007199254740993",
      double: 1.5,
      decimal: 0.3,
      flag: true,
      text: "größe",
      blob: "raw",
      bytes: "//4=",
      moment: "2024-02-03T04:05:06.000Z",
      day: "2024-02-03",
      nothing: null,
      map: { a: 1, b: 2 },
      lists: [[1, 2], []],
      uuid: "5a3c9f5e-0d4d-4b8e-9a55-0c6f4bdf2b11",
      json: { k: [1] },
      small: 200,
    });
  });

  it("distinguish lists of structs, structs of lists and nulls", async () => {
    const table = await written("nested.parquet", `${MIXED} FROM range(12) t(i)`);
    const rows = await rowsOf(table);
    expect(rows[0]?.row).toMatchObject({ few: null, list: null, struct: null, flag: true });
    expect(rows[10]?.row).toMatchObject({ list: [], struct: { name: "n10", tags: [10, 11], inner: { x: 5 } } });
    expect(rows[1]?.row).toMatchObject({
      list: ["a1", null, expect.any(String)],
      pairs: [
        { question: "q1", answers: ["x1"] },
        { question: null, answers: [] },
      ],
    });
  });

  it.each(["uncompressed", "snappy", "gzip", "zstd", "brotli", "lz4_raw"])("reads %s", async (codec) => {
    const table = await written(`${codec}.parquet`, `${MIXED} FROM range(500) t(i)`, `CODEC ${codec}`);
    const rows = await rowsOf(table);
    expect(rows.map(({ row }) => row.id)).toEqual(Array.from({ length: 500 }, (_, i) => i));
    expect(rows[499]?.row.text).toMatch(/^text 499 [0-9a-f]{32}$/);
  });

  it("reads a table without rows", async () => {
    const table = await written("empty.parquet", `${MIXED} FROM range(0) t(i)`);
    expect(table.rows).toBe(0);
    expect(table.columns).toContain("struct");
    expect(await rowsOf(table)).toEqual([]);
    expect((await table.sample({ count: 10, seed: 1 })).positions).toHaveLength(0);
    expect(await table.readColumn("id")).toEqual([]);
  });

  it("returns one column, and only the requested columns", async () => {
    const table = await written("columns.parquet", `${MIXED} FROM range(5000) t(i)`, "ROW_GROUP_SIZE 2048");
    expect((await table.readColumn("few")).slice(0, 4)).toEqual([null, "v1", "v2", null]);
    const [first] = await rowsOf(table, Uint32Array.of(4321), ["id", "flag"]);
    expect(first).toEqual({ position: 4321, row: { id: 4321, flag: false } });
    expect(table.locateRow(4321)).toEqual({ name: table.name, file: 0, row: 4322 });
  });
});

/** Files of every page layout, each with enough rows for more than one row group. */
const LAYOUTS: Record<string, (path: string) => Promise<void>> = {
  "older pages, one a column": (path) =>
    duckdb.write(path, `${MIXED} FROM range(30000) t(i)`, "CODEC snappy, ROW_GROUP_SIZE 20000"),
  "newer encodings": (path) =>
    duckdb.write(path, `${MIXED} FROM range(30000) t(i)`, "CODEC zstd, PARQUET_VERSION v2, ROW_GROUP_SIZE 20000"),
  gzip: (path) => duckdb.write(path, `${MIXED} FROM range(30000) t(i)`, "CODEC gzip, ROW_GROUP_SIZE 30720"),
  "many pages, with an offset index": (path) => writePages(path, true),
  "many pages, without": (path) => writePages(path, false),
};

async function writePages(filename: string, offsetIndex: boolean): Promise<void> {
  const rows = Array.from({ length: 30_000 }, (_, i) => i);
  const column = (name: string, data: unknown[]) => ({ name, data, offsetIndex });
  const text = rows.map(
    (i) =>
      `text ${i} ${Math.imul(i + 1, 0x9e3779b1)
        .toString(36)
        .repeat(3)}`,
  );
  await Promise.resolve(
    parquetWriteFile({
      filename,
      columnData: [
        { ...column("id", rows), type: "INT32" },
        { ...column("text", text), type: "STRING", encoding: "PLAIN" },
        {
          ...column(
            "few",
            rows.map((i) => (i % 3 === 0 ? null : `v${i % 20}`)),
          ),
          type: "STRING",
        },
        { ...column("delta", text), type: "STRING", encoding: "DELTA_LENGTH_BYTE_ARRAY" },
        {
          ...column(
            "number",
            rows.map((i) => (i % 4 === 0 ? null : i / 3)),
          ),
          type: "DOUBLE",
        },
      ],
      rowGroupSize: [1000, 14_500],
      pageSize: 20_000,
    }),
  );
}

describe.each(Object.entries(LAYOUTS))("rows by position: %s", (name, write) => {
  let source: ByteSource;
  let all: Row[];
  beforeAll(async () => {
    const path = join(folder, `${name}.parquet`);
    await write(path);
    source = await opening(path);
    all = (await rowsOf(await openParquet(source))).map(({ row }) => row);
  });

  it("reads all rows as the library does", async () => {
    const file = await asyncBufferFromFile(source.name);
    const expected = await parquetReadObjects({ file, compressors, rowStart: 19_000, rowEnd: 21_000 });
    expect(all).toHaveLength(30_000);
    expect(all.slice(19_000, 21_000)).toEqual(expected.map(toPlainCell));
  });

  it("returns exactly the rows at the positions", async () => {
    const table = await openParquet(source);
    const positions = fc.uniqueArray(fc.nat({ max: 29_999 }), { minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(positions, async (chosen) => {
        const order = Uint32Array.from(chosen).sort();
        const rows = await rowsOf(table, order);
        expect(rows).toEqual(Array.from(order, (position) => ({ position, row: all[position] })));
      }),
      { numRuns: 4, seed: 5 },
    );
  });

  it("reads little for the first rows and those at the start of a row group", async () => {
    for (const positions of [Uint32Array.of(0, 3, 50), Uint32Array.of(1000, 1700), Uint32Array.of(29_999)]) {
      const rows = await rowsOf(await openParquet(source), positions);
      expect(rows.map(({ row }) => row)).toEqual(Array.from(positions, (position) => all[position]));
    }
  });
});

describe("the bytes read", () => {
  it("are a small part for a few rows if the file lists its pages", async () => {
    const path = join(folder, "listed.parquet");
    await writePages(path, true);
    const source = counted(await opening(path));
    const table = await openParquet(source);
    const before = source.seen.bytes;
    const rows = await rowsOf(table, Uint32Array.of(5, 7000, 21_060), ["id", "text"]);
    expect(rows.map(({ row }) => row.id)).toEqual([5, 7000, 21_060]);
    expect(rows.map(({ row }) => String(row.text).split(" ")[1])).toEqual(["5", "7000", "21060"]);
    expect(source.seen.bytes - before).toBeLessThan(source.size * 0.15);
  });

  it("are one row group for a row if the file does not list its pages", async () => {
    const path = join(folder, "wide.parquet");
    const query = "SELECT i AS id, repeat(md5(i::VARCHAR), 4) || i AS text FROM range(60000) t(i)";
    await duckdb.write(path, query, "ROW_GROUP_SIZE 20480");
    const source = counted(await opening(path));
    const table = await openParquet(source);
    const before = source.seen.bytes;
    const rows = await rowsOf(table, Uint32Array.of(21_000));
    expect(rows[0]?.row.id).toBe(21_000);
    expect(source.seen.bytes - before).toBeLessThan(source.size * 0.4);
  });

  it("are read at once for adjacent columns of a small row group", async () => {
    const path = join(folder, "small-groups.parquet");
    await duckdb.write(path, `${MIXED} FROM range(100000) t(i)`, "ROW_GROUP_SIZE 2048");
    const source = counted(await opening(path));
    const table = await openParquet(source);
    const before = source.seen.reads;
    await rowsOf(table, Uint32Array.of(50_000));
    expect(source.seen.reads - before).toBe(1);
  });

  it("are only the end of the file until rows are requested", async () => {
    const source = counted(await opening(join(folder, "small-groups.parquet")));
    await openParquet(source);
    expect(source.seen.reads).toBeLessThanOrEqual(2);
    expect(source.seen.bytes).toBeLessThan(Math.max(source.size * 0.05, 65_537));
  });
});
