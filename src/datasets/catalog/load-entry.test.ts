import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DuckDbWriter, openDuckDb } from "../parquet/duckdb-file.js";
import type { RawRow } from "../source-row.js";
import { catalog } from "./catalog.js";
import { narrativeqaFixture } from "./entries/narrativeqa.fixture.js";
import { narrativeqa } from "./entries/narrativeqa.js";
import { triviaqaFixture } from "./entries/triviaqa.fixture.js";
import { triviaqa } from "./entries/triviaqa.js";
import type { CatalogEntry, ExampleFields, RowContext } from "./entry.js";
import type { Fixture } from "./fixture.js";
import { loadEntry, readCaution } from "./load-entry.js";

const CONTEXT: RowContext = { config: "", contentId: "", lookups: {} };

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

/** The rows of a fixture as JSONL, changed for the test, and the types of their columns. */
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

const load = (entry: CatalogEntry, path: string) => loadEntry({ name: "it", entry }, { files: [path] });

const PARTLY_READ: readonly [string, CatalogEntry, Fixture][] = [
  ["narrativeqa", narrativeqa, narrativeqaFixture],
  ["triviaqa", triviaqa, triviaqaFixture],
];

describe.each(PARTLY_READ)("%s, which reads parts of columns", (name, entry, fixture) => {
  it("has the same ids from Parquet and from JSONL", async () => {
    const { jsonl, types } = rowsOf(fixture);
    const whole = await load(entry, writeJsonl(`${name}.jsonl`, jsonl));
    const parts = await load(entry, await writeParquet(`${name}.parquet`, jsonl, types));
    expect(parts.examples).toEqual(whole.examples);
    expect(parts.examples).toMatchObject(fixture.expected);
    expect(new Set([...parts.examples].map(({ id }) => id)).size).toBe(fixture.expected.length);
  });
});

describe("a missing part of a column", () => {
  const { jsonl, types } = rowsOf(narrativeqaFixture);

  it("is an error before any Parquet row is read, listing the existing parts", async () => {
    const changed = { ...types, answers: "STRUCT(texts VARCHAR)[]" };
    const path = await writeParquet("changed.parquet", jsonl, changed);
    await expect(load(narrativeqa, path)).rejects.toThrow(
      `"${path}" has no column "answers.text", which this dataset requires. Did you mean "answers.texts"? Its columns: answers.texts. The dataset may have changed`,
    );
  });

  it("is a problem of the row in JSONL, where rows may differ", async () => {
    const { jsonl: broken } = rowsOf(narrativeqaFixture, (row) => ({ ...row, document: { kind: "movie" } }));
    const path = writeJsonl("broken.jsonl", broken);
    await expect(load(narrativeqa, path)).rejects.toThrow(
      /broken\.jsonl:1: the row has .* in "document\.summary\.text"/,
    );
  });

  it("is a missing column in JSONL if the whole column is missing", async () => {
    const { jsonl: other } = rowsOf(narrativeqaFixture, (row) => ({ ...row, document: undefined }));
    const path = writeJsonl("other.jsonl", other);
    await expect(load(narrativeqa, path)).rejects.toThrow(
      /has no column "document".* Its columns: question, answers\.$/,
    );
  });
});

describe("an id computed from content", () => {
  type Book = { readonly document: object };
  const ids = async (name: string, change: (row: object) => object) => {
    const { examples } = await load(narrativeqa, writeJsonl(name, rowsOf(narrativeqaFixture, change).jsonl));
    return [...examples].map(({ id }) => id);
  };

  it("depends only on the parts that are read", async () => {
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

describe("ids of rows", () => {
  const entry: CatalogEntry = {
    about: "Sums.",
    repo: "own/sums",
    license: "mit",
    size: 2,
    sources: () => [{ config: "main", split: "test" }],
    columns: ["question", "answer"],
    examples: (row) => ({ question: String(row.question), answer: String(row.answer) }),
    evaluators: ["answer_quality"],
    primaryField: "f1",
  };
  const idsOf = async (rows: readonly object[], of: CatalogEntry = entry) => {
    const path = writeJsonl("ids.jsonl", rows.map((row) => JSON.stringify(row)).join("\n"));
    return [...(await load(of, path)).examples].map(({ id }) => id);
  };

  it.each(["id", "task_id", "question_id", "_id", "qid", "unique_id", "idx"])("are taken from %s", async (column) => {
    const rows = [
      { [column]: "a/1", question: "1 + 1?", answer: "2" },
      { [column]: 7, question: "2 + 2?", answer: "4" },
    ];
    expect(await idsOf(rows)).toEqual(["a/1", 7]);
  });

  it("are taken from a Parquet column that the dataset does not read", async () => {
    const rows = [{ id: 12, question: "1 + 1?", answer: "2" }].map((row) => JSON.stringify(row)).join("\n");
    const types = { id: "BIGINT", question: "VARCHAR", answer: "VARCHAR" };
    const { examples } = await load(entry, await writeParquet("ids.parquet", rows, types));
    expect([...examples].map(({ id }) => id)).toEqual([12]);
  });

  it("are computed from the content if a row has none", async () => {
    const [empty, none] = await idsOf([
      { id: "", question: "1 + 1?", answer: "2" },
      { question: "2 + 2?", answer: "4", id: { nested: true } },
    ]);
    expect(empty).toMatch(/^[0-9a-f]{16}$/);
    expect(none).toMatch(/^[0-9a-f]{16}$/);
    expect(await idsOf([{ question: "1 + 1?", answer: "2" }])).toEqual([empty]);
  });

  it("are taken from the dataset's own column first", async () => {
    const own = { ...entry, examples: (row: RawRow) => ({ ...entry.examples(row, CONTEXT), id: String(row.key) }) };
    expect(await idsOf([{ key: "k", id: 1, question: "1 + 1?", answer: "2" }], own)).toEqual(["k"]);
  });

  it("are numbered if a row gives several examples", async () => {
    const twice = {
      ...entry,
      isExpanding: true,
      examples: (row: RawRow) => [0, 1].map(() => entry.examples(row, CONTEXT) as ExampleFields),
    };
    expect(await idsOf([{ id: "r", question: "1 + 1?", answer: "2" }], twice)).toEqual(["r-1", "r-2"]);
  });
});

describe("cautions", () => {
  it.each([
    ["longbench", "dureader"],
    ["longbench", "multifieldqa_zh"],
    ["longbench", "vcsum"],
    ["longbench", "lsht"],
    ["longbench", "passage_retrieval_zh"],
    ["infinitebench", "longbook_qa_chn"],
  ] as const)("state that %s:%s is scored differently from the published method", (name, config) => {
    expect(readCaution(catalog[name], config)).toMatch(/^the published score .*; here /);
  });

  it("are absent for a config that is scored as published", () => {
    expect(readCaution(catalog.longbench, "narrativeqa")).toBeUndefined();
  });
});
