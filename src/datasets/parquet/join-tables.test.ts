import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openLocalBytes } from "../../utils/files/byte-source.js";
import { openDuckDb } from "./duckdb-file.js";
import { joinTables, openParquet, type ParquetTable } from "./index.js";

let folder: string;
let table: ParquetTable;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "assay-parquet-"));
  const duckdb = await openDuckDb();
  const shards = [
    [0, 3000],
    [3000, 3000],
    [3000, 7000],
  ];
  const tables: ParquetTable[] = [];
  for (const [at, [from, to]] of shards.entries()) {
    const path = join(folder, `${at}.parquet`);
    const extra = at === 2 ? ", 'only here' AS extra" : "";
    await duckdb.write(
      path,
      `SELECT i AS id, 'q' || i AS question${extra} FROM range(${from}, ${to}) t(i)`,
      "ROW_GROUP_SIZE 2048",
    );
    tables.push(await openParquet(await openLocalBytes(path, `part-${at}`)));
  }
  duckdb.close();
  table = joinTables(tables);
});
afterAll(async () => {
  await table.close();
  rmSync(folder, { recursive: true });
});

describe("joinTables", () => {
  it("numbers rows continuously across files", async () => {
    expect(table.rows).toBe(7000);
    expect(table.columns).toEqual(["id", "question", "extra"]);
    const positions = Uint32Array.of(0, 2999, 3000, 6999);
    const found: unknown[] = [];
    for await (const rows of table.read(positions)) found.push(...rows.map(({ position, row }) => [position, row.id]));
    expect(found).toEqual(Array.from(positions, (position) => [position, position]));
    expect(await table.readColumn("id")).toEqual(Array.from({ length: 7000 }, (_, at) => at));
  });

  it("locates the file of a row and its number there", () => {
    expect(table.locateRow(0)).toEqual({ name: "part-0", file: 0, row: 1 });
    expect(table.locateRow(2999)).toEqual({ name: "part-0", file: 0, row: 3000 });
    expect(table.locateRow(3000)).toEqual({ name: "part-2", file: 2, row: 1 });
    expect(table.locateRow(6999)).toEqual({ name: "part-2", file: 2, row: 4000 });
  });

  it("draws a sample from all files", async () => {
    const { positions, note } = await table.sample({ count: 200, seed: 1, columns: ["id"] });
    expect(note).toBeNull();
    expect(positions.filter((position) => position < 3000).length).toBeGreaterThan(50);
    expect(positions.filter((position) => position >= 3000).length).toBeGreaterThan(50);
  });

  it("reads each file with its own columns", async () => {
    const around = Uint32Array.of(2999, 3000);
    const rowsOf = async (columns?: readonly string[]) => {
      const found: unknown[] = [];
      for await (const rows of table.read(around, columns)) found.push(...rows.map(({ row }) => row));
      return found;
    };
    expect(await rowsOf()).toEqual([
      { id: 2999, question: "q2999" },
      { id: 3000, question: "q3000", extra: "only here" },
    ]);
    expect(await rowsOf(["id", "extra"])).toEqual([{ id: 2999 }, { id: 3000, extra: "only here" }]);
    expect(await rowsOf(["extra"])).toEqual([{}, { extra: "only here" }]);
    const values = await table.readColumn("extra");
    expect(values).toHaveLength(7000);
    expect(values.slice(2999, 3001)).toEqual([undefined, "only here"]);
    expect(await table.listRegions(["extra"])).toHaveLength((await table.listRegions(["id"])).length);
  });

  it("lists the existing columns if no file has the requested one", async () => {
    const read = async () => {
      for await (const _ of table.read("all", ["extras"]));
    };
    await expect(read()).rejects.toThrow(
      '"part-0 and 2 more" has no column "extras". Did you mean "extra"? Its columns: id, question, extra.',
    );
    expect(() => joinTables([])).toThrow(/No Parquet files given/);
  });
});
