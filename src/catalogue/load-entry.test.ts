import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DuckDbWriter, openDuckDb } from "../parquet/duckdb-file.js";
import { narrativeqaFixture } from "./entries/narrativeqa.fixture.js";
import { narrativeqa } from "./entries/narrativeqa.js";
import { triviaqaFixture } from "./entries/triviaqa.fixture.js";
import { triviaqa } from "./entries/triviaqa.js";
import type { CatalogueEntry } from "./entry.js";
import type { Fixture } from "./fixture.js";
import { loadEntry } from "./load-entry.js";

let folder: string;
let duckdb: DuckDbWriter;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "assay-entry-"));
  duckdb = await openDuckDb();
});
afterAll(() => {
  duckdb.close();
  rmSync(folder, { recursive: true });
});

/** The rows of a fixture as JSONL, changed as a test needs them, and the types of their columns. */
function rowsOf({ files }: Fixture, change: (row: object) => object = (row) => row) {
  const [file] = Object.values(files);
  if (file === undefined || !("rows" in file)) throw new Error("the fixture has no rows");
  return { jsonl: file.rows.map((row) => JSON.stringify(change(row))).join("\n"), types: file.columns };
}

function writeJsonl(name: string, jsonl: string): string {
  const path = join(folder, name);
  writeFileSync(path, jsonl);
  return path;
}

async function writeParquet(name: string, jsonl: string, types: Readonly<Record<string, string>>): Promise<string> {
  const source = writeJsonl(`${name}-rows.jsonl`, jsonl);
  const columns = Object.entries(types).map(([column, type]) => `'${column}': '${type}'`);
  const path = join(folder, name);
  await duckdb.write(path, `SELECT * FROM read_json('${source}', columns = {${columns.join(", ")}})`);
  return path;
}

const load = (entry: CatalogueEntry, path: string) => loadEntry({ name: "it", entry }, { files: [path] });

const PARTLY_READ: readonly [string, CatalogueEntry, Fixture][] = [
  ["narrativeqa", narrativeqa, narrativeqaFixture],
  ["triviaqa", triviaqa, triviaqaFixture],
];

describe.each(PARTLY_READ)("%s, of which parts of columns are read", (name, entry, fixture) => {
  it("has the same ids from Parquet and from JSONL", async () => {
    const { jsonl, types } = rowsOf(fixture);
    const whole = await load(entry, writeJsonl(`${name}.jsonl`, jsonl));
    const parts = await load(entry, await writeParquet(`${name}.parquet`, jsonl, types));
    expect(parts.examples).toEqual(whole.examples);
    expect(parts.examples).toMatchObject(fixture.expected);
    expect(new Set([...parts.examples].map(({ id }) => id)).size).toBe(fixture.expected.length);
  });
});

describe("a part that is not there", () => {
  const { jsonl, types } = rowsOf(narrativeqaFixture);

  it("is an error before any row of Parquet is read, with what is there instead", async () => {
    const changed = { ...types, answers: "STRUCT(texts VARCHAR)[]" };
    const path = await writeParquet("changed.parquet", jsonl, changed);
    await expect(load(narrativeqa, path)).rejects.toThrow(
      `"${path}" has no column "answers.text", which this dataset is read by. Did you mean "answers.texts"? Its columns: answers.texts. It may have changed`,
    );
  });

  it("is a row's problem in JSONL, where rows may differ", async () => {
    const { jsonl: broken } = rowsOf(narrativeqaFixture, (row) => ({ ...row, document: { kind: "movie" } }));
    const path = writeJsonl("broken.jsonl", broken);
    await expect(load(narrativeqa, path)).rejects.toThrow(
      /broken\.jsonl:1: the row has .* in "document\.summary\.text"/,
    );
  });

  it("is a missing column in JSONL when its column is", async () => {
    const { jsonl: other } = rowsOf(narrativeqaFixture, (row) => ({ ...row, document: undefined }));
    const path = writeJsonl("other.jsonl", other);
    await expect(load(narrativeqa, path)).rejects.toThrow(
      /has no column "document".* Its columns: question, answers\.$/,
    );
  });
});

describe("an id that is made from content", () => {
  type Book = { readonly document: object };
  const ids = async (name: string, change: (row: object) => object) => {
    const { examples } = await load(narrativeqa, writeJsonl(name, rowsOf(narrativeqaFixture, change).jsonl));
    return [...examples].map(({ id }) => id);
  };

  it("changes with the parts that are read, and with no other", async () => {
    const before = await ids("before.jsonl", (row) => row);
    const unread = (row: object) => ({
      ...row,
      document: { ...(row as Book).document, text: "Another book" },
      extra: 1,
    });
    expect(await ids("unread.jsonl", unread)).toEqual(before);
    const retold = (row: object) => ({ ...row, answers: [{ text: "Another", tokens: [] }] });
    for (const [at, id] of (await ids("retold.jsonl", retold)).entries()) expect(id).not.toBe(before[at]);
  });
});
