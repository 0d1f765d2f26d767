import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LoadOptions } from "../core/dataset.js";
import { convertRow } from "./convert-row.js";
import { type LoadedRows, type LoadRowsOptions, loadRows } from "./load-rows.js";
import { type DuckDbWriter, openDuckDb } from "./parquet/duckdb-file.js";
import { closeFiles, openRowFile } from "./row-file.js";

let folder: string;
let duckdb: DuckDbWriter;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "assay-rows-"));
  duckdb = await openDuckDb();
});
afterAll(() => {
  duckdb.close();
  rmSync(folder, { recursive: true });
});

async function parquet(name: string, query: string, options = ""): Promise<string> {
  const path = join(folder, `${name}.parquet`);
  await duckdb.write(path, query, options);
  return path;
}

/** The same rows in both formats. */
async function both(name: string, rows: readonly object[]): Promise<[jsonl: string, parquet: string]> {
  const path = join(folder, `${name}.jsonl`);
  writeFileSync(path, rows.map((row) => JSON.stringify(row)).join("\n"));
  return [path, await parquet(name, `SELECT * FROM read_json('${path}')`)];
}

type Options = LoadOptions & Partial<LoadRowsOptions>;

async function load(paths: readonly string[], options: Options = {}): Promise<LoadedRows> {
  const rowFiles = await Promise.all(paths.map((path) => openRowFile({ path, name: path.slice(folder.length + 1) })));
  try {
    return await loadRows({ name: "data", rowFiles, convert: (row) => convertRow(row), ...options });
  } finally {
    await closeFiles(rowFiles);
  }
}

const idsOf = ({ examples }: LoadedRows) => examples.map(({ id }) => id);

describe("files with different columns", () => {
  let paths: string[];
  beforeAll(async () => {
    paths = [
      await parquet("plain", "SELECT 'q' || i AS question FROM range(40) t(i)"),
      await parquet("marked", "SELECT 'r' || i AS question, i % 4 AS mark, 'x' AS gold FROM range(40) t(i)"),
    ];
  });

  it("keep their own columns and ids in a sample", async () => {
    const all = new Map((await load(paths)).examples.map((example) => [example.id, example]));
    for (const options of [{ maxExamples: 30 }, { maxExamples: 60, head: true }]) {
      const { examples } = await load(paths, options);
      expect(examples).toHaveLength(options.maxExamples);
      expect(examples.some(({ mark }) => mark !== undefined)).toBe(true);
      for (const example of examples) expect(example).toEqual(all.get(example.id));
    }
  });

  it("are filtered by a column that only one of them has", async () => {
    const filter = { mark: "3" };
    for (const files of [paths, paths.toReversed()]) {
      const all = await load(files, { filter });
      expect(all.examples).toHaveLength(10);
      expect(idsOf(await load(files, { filter, maxExamples: 10 }))).toEqual(idsOf(all));
      expect((await load(files, { filter, maxExamples: 4 })).examples).toHaveLength(4);
    }
  });

  it("may be mapped by a column that no row of the sample has", async () => {
    const map = { answer: "gold" };
    const options = { map, convert: (row: object) => convertRow({ ...row }, { map }) };
    expect((await load(paths, { ...options, maxExamples: 3, head: true })).examples).toHaveLength(3);
    await expect(load(paths, { ...options, map: { answer: "golden" }, maxExamples: 3 })).rejects.toThrow(
      'No row of "data" has a column "golden" (--map answer=golden). Did you mean "gold"? Its columns: question, mark, gold.',
    );
  });

  it("may be the same file twice", async () => {
    const [path = ""] = paths;
    const { examples } = await load([path, path], {
      maxExamples: 80,
      convert: (row, file) => convertRow({ ...row, file }),
    });
    expect(examples.filter(({ file }) => file === 1)).toHaveLength(40);
  });
});

describe("repeated ids", () => {
  const rows = Array.from({ length: 60 }, (_, at) => ({ question: `q${at % 7}` }));

  it("are numbered the same way in every format and sample", async () => {
    const [jsonl, table] = await both("repeats", rows);
    const all = new Set(idsOf(await load([jsonl])));
    expect(all.size).toBe(60);
    for (const options of [{}, { maxExamples: 20 }, { maxExamples: 20, seed: 3 }, { maxExamples: 20, head: true }]) {
      const fromText = await load([jsonl], options);
      const fromTable = await load([table], options);
      expect(fromTable).toEqual(fromText);
      expect(new Set(idsOf(fromText)).size).toBe(fromText.examples.length);
      expect(idsOf(fromText).every((id) => all.has(id))).toBe(true);
      expect(fromText.notes[0]).toMatch(/^\d+ rows of data without an id repeat an earlier one/);
    }
  });

  it("never get the id of another row", async () => {
    const [first = ""] = idsOf(await load((await both("once", [{ question: "q" }])).slice(0, 1)));
    const [jsonl] = await both("taken", [{ question: "q" }, { question: "q" }, { id: `${first}-2`, question: "r" }]);
    expect(idsOf(await load([jsonl]))).toEqual([first, `${first}-3`, `${first}-2`]);
  });

  it("are rejected if they are the rows' own, as far as they are read", async () => {
    const own = Array.from({ length: 60 }, (_, id) => ({ id: id === 59 ? 0 : id, question: "q" }));
    const [jsonl, table] = await both("own", own);
    const message = /row 60|:60: the id "0" is already used/;
    for (const path of [jsonl, table]) await expect(load([path])).rejects.toThrow(message);
    await expect(load([jsonl], { maxExamples: 5 })).rejects.toThrow(message);
    expect((await load([table], { maxExamples: 5, head: true })).examples).toHaveLength(5);
  });

  it("are numbered if the user cannot fix them", async () => {
    const own = [1, 2, 1, 1].map((id, at) => ({ id, question: `q${at}` }));
    for (const path of await both("dataset", own)) {
      const loaded = await load([path], { numbersRepeatedIds: true });
      expect(idsOf(loaded)).toEqual([1, 2, "1-2", "1-3"]);
      expect(loaded.notes).toEqual(["2 rows of data repeat an earlier one; kept with numbered ids"]);
    }
  });
});

describe("skipped bad rows", () => {
  const QUERY = "SELECT i AS id, CASE WHEN i % 3 = 0 THEN 'q' || i END AS question FROM range(90) t(i)";

  it.each([{ head: true }, { head: false }, { head: false, seed: 4 }])("are replaced: %o", async (sampling) => {
    const path = await parquet("bad", QUERY);
    const take = async (maxExamples: number) =>
      idsOf(await load([path], { ...sampling, maxExamples, skipBadRows: true }));
    const ids = await take(10);
    expect(ids).toHaveLength(10);
    expect(ids).toEqual(ids.toSorted((a, b) => Number(a) - Number(b)));
    expect(new Set(ids).size).toBe(10);
    if (sampling.head) expect(ids).toEqual(Array.from({ length: 10 }, (_, at) => at * 3));
    const more = await take(17);
    expect(more).toHaveLength(17);
    expect(more).toEqual(expect.arrayContaining(ids));
    expect(await take(80)).toHaveLength(30);
  });

  it("are replaced within the filter", async () => {
    const path = await parquet("bad-filtered", `SELECT *, id % 2 AS odd FROM (${QUERY})`);
    const { examples } = await load([path], { filter: { odd: "1" }, maxExamples: 12, skipBadRows: true });
    expect(examples).toHaveLength(12);
    expect(examples.every(({ id }) => Number(id) % 6 === 3)).toBe(true);
  });

  it("stop the load if they are not skipped", async () => {
    await expect(load([await parquet("bad", QUERY)], { maxExamples: 10, head: true })).rejects.toThrow(
      /^bad\.parquet row 2: the row has neither/,
    );
  });

  it("may be all of them", async () => {
    const path = await parquet("all-bad", "SELECT i AS id FROM range(5000) t(i)");
    await expect(load([path], { maxExamples: 10, skipBadRows: true })).rejects.toThrow(
      /No row of "data" could be used/,
    );
  });
});

describe("filters on examples", () => {
  const rows = Array.from({ length: 40 }, (_, id) => ({ id, question: "q", kind: id % 2 === 0 ? "even" : "odd" }));
  /** Has a field that hides the column of the same name. */
  const options: Options = {
    filtersExamples: true,
    columns: { required: ["id", "question", "kind"], optional: [] },
    convert: (row) => ({
      example: { id: Number(row.id), question: "q", kind: Number(row.id) < 20 ? "low" : "high" },
      idFromContent: false,
    }),
  };

  it.each([
    ["even", 20],
    ["low", 20],
  ])("match the column or the field, with and without a sample: %s", async (kind, count) => {
    for (const path of await both("kinds", rows)) {
      const all = await load([path], { ...options, filter: { kind } });
      expect(all.examples).toHaveLength(count);
      expect(idsOf(await load([path], { ...options, filter: { kind }, maxExamples: count }))).toEqual(idsOf(all));
      const some = await load([path], { ...options, filter: { kind }, maxExamples: 5, head: true });
      expect(idsOf(some)).toEqual(idsOf(all).slice(0, 5));
    }
  });

  it("list values of both if nothing matches", async () => {
    for (const path of await both("kinds", rows)) {
      for (const maxExamples of [5, 40])
        await expect(load([path], { ...options, filter: { kind: "lowe" }, maxExamples })).rejects.toThrow(
          'No row of "data" matches kind=lowe. Did you mean "low"? Values of kind: even, low, odd, high.',
        );
    }
  });
});

describe("a filter without matches", () => {
  it("lists a few short values and suggests the most similar one", async () => {
    const query = "SELECT 'value ' || i AS kind, repeat('x', 1000) || i AS long, 'q' AS question FROM range(800) t(i)";
    const path = await parquet("values", query);
    const told = async (filter: Record<string, string>, options: Options = {}) =>
      load([path], { filter, ...options }).then(
        () => "",
        (error: unknown) => (error as Error).message,
      );
    for (const options of [{}, { maxExamples: 5 }]) {
      const message = await told({ kind: "valeu 555" }, options);
      expect(message).toMatch(
        /^No row of "data" matches kind=valeu 555\. Did you mean "value 555"\? Values of kind: value 0, /,
      );
      expect(message).toMatch(/value 9, …\.$/);
      const long = await told({ long: "y" }, options);
      expect(long).toContain(`Values of long: ${"x".repeat(39)}…, `);
      expect(long.length).toBeLessThan(520);
      expect(await told({ kind: "value 1", question: "r" }, options)).toMatch(/matches kind=value 1 and question=r\./);
    }
  });
});

describe("a sample from blocks", () => {
  it("stores its block in each example, which clusters intervals", async () => {
    const query = "SELECT 'q' || i || md5(i::VARCHAR) AS question, 1 AS block FROM range(1000000) t(i)";
    const path = await parquet("blocks", query);
    const options: Options = { columns: { required: ["question"], optional: [] }, maxExamples: 100 };
    const { examples, groupBy, notes } = await load([path], options);
    expect(groupBy).toBe("sampleBlock");
    expect(new Set(examples.map(({ sampleBlock }) => sampleBlock)).size).toBe(2);
    expect(notes).toEqual([
      expect.stringMatching(
        /^data: the sample is drawn from 2 of 9 blocks.* no offset index.*intervals are clustered by block$/,
      ),
    ]);
    const renamed = await parquet("blocks-2", `SELECT question FROM '${path}'`);
    const other = await load([renamed], options);
    expect(other.groupBy).toBe("block");
    expect(other.examples.every(({ block }) => Number.isInteger(block))).toBe(true);
    expect(idsOf(other)).toEqual(idsOf(await load([renamed], options)));
    expect(await load([renamed], { ...options, maxExamples: 5, head: true })).not.toHaveProperty("groupBy");
  });
});
