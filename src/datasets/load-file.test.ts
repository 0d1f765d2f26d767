import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LoadOptions } from "../core/dataset.js";
import { DatasetError, UsageError } from "../core/errors.js";
import { loadFile } from "./load-file.js";
import { createUnreadableError } from "./read-bytes.js";

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "assay-load-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function jsonl(rows: readonly unknown[], name = "data.jsonl"): string {
  return file(name, rows.map((row) => (typeof row === "string" ? row : JSON.stringify(row))).join("\n"));
}

async function failure(path: string, options?: LoadOptions): Promise<string> {
  const error: unknown = await loadFile(path, options).then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(DatasetError);
  return (error as DatasetError).message.replaceAll(`${folder}/`, "");
}

const ADVICE = "Fix the row, or pass --skip-bad-rows (skipBadRows: true) to skip such rows.";

describe("loadFile", () => {
  it.each([
    ["image", "charts/a.png", true],
    ["Photo", ["a.JPG"], true],
    ["image_url", "https://example.com/a.webp?size=2", true],
    ["picture", { bytes: "\u0089PNG", path: null }, true],
    ["image", "a mental image", false],
    ["diagram", "a.png", false],
  ])("notes that %s with %j is not sent to models: %s", async (column, value, isNoted) => {
    const path = jsonl([{ id: 1, question: "What is shown?", [column]: value }], "shown.jsonl");
    const note = `${path}: the column "${column}" looks like images, but models are not sent it: pass --map images=${column}, or call it "images"`;
    expect((await loadFile(path)).notes).toEqual(isNoted ? [note] : []);
  });

  it("loads the same examples from every format", async () => {
    const rows = [
      { id: "1", question: "Why?", answer: "Because, well" },
      { id: "2", question: "How?", answer: 'By "magic"' },
    ];
    const paths = [
      jsonl(rows, "a.jsonl"),
      jsonl(rows, "b.ndjson"),
      file("c.json", JSON.stringify({ data: rows })),
      file("d.csv", 'id,question,answer\n1,Why?,"Because, well"\n2,How?,"By ""magic"""\n'),
      jsonl(rows, "E.JSONL"),
    ];
    for (const path of paths) {
      const dataset = await loadFile(path);
      const examples = rows.map((row) => ({ ...row, dataset: dataset.name }));
      expect(dataset.examples).toEqual(examples);
      expect([...dataset]).toEqual(examples);
      expect(dataset.notes).toEqual([]);
    }
    expect((await loadFile(paths[0] as string)).name).toBe("a");
    expect((await loadFile(paths[3] as string)).name).toBe("d");
  });

  describe("samples", () => {
    const rows = Array.from({ length: 200 }, (_, id) => ({ id, question: `q${id}` }));
    const ids = async (options: LoadOptions) =>
      (await loadFile(jsonl(rows), options)).examples.map(({ id }) => Number(id));

    it("takes a seeded sample in file order", async () => {
      const sample = await ids({ maxExamples: 20, seed: 5 });
      expect(sample).toHaveLength(20);
      expect(sample).toEqual(sample.toSorted((a, b) => a - b));
      expect(sample.at(-1)).toBeGreaterThan(19);
      expect(await ids({ maxExamples: 20, seed: 5 })).toEqual(sample);
      expect(await ids({ maxExamples: 20, seed: 6 })).not.toEqual(sample);
    });

    it("takes the first rows and reads no further", async () => {
      expect(await ids({ maxExamples: 3, head: true })).toEqual([0, 1, 2]);
      const { examples } = await loadFile(jsonl([...rows.slice(0, 3), "{broken"]), { maxExamples: 3, head: true });
      expect(examples).toHaveLength(3);
    });

    it("samples after the filter", async () => {
      const path = jsonl(rows.map((row) => ({ ...row, even: row.id % 2 === 0 })));
      const { examples } = await loadFile(path, { filter: { even: "true" }, maxExamples: 30 });
      expect(examples).toHaveLength(30);
      expect(examples.every(({ id }) => Number(id) % 2 === 0)).toBe(true);
    });

    it("rejects an invalid count", async () => {
      await expect(loadFile(jsonl(rows), { maxExamples: 0 })).rejects.toThrow(UsageError);
    });
  });

  describe("bad rows", () => {
    const rows = [{ id: 1, question: "a" }, "{nope", { id: 2, question: "b" }, { id: 3 }, { id: 4, question: {} }];

    it("stop the load at the first, with its place and a remedy", async () => {
      expect(await failure(jsonl(rows))).toMatch(
        /^data\.jsonl:2: the row is not valid JSON \(.+\)\. Fix the row, or pass --skip/,
      );
      expect(await failure(jsonl([rows[0], rows[3]]))).toBe(
        `data.jsonl:2: the row has neither a context nor a question (its columns: id; choose one with --map question=COLUMN, or insert them with --prompt). ${ADVICE}`,
      );
      expect(await failure(file("bad.csv", "id,question\n1,a\n2,b,c\n"))).toBe(
        `bad.csv:3: the row has 3 cells, but the header has 2. ${ADVICE}`,
      );
      expect(await failure(file("bad.json", '[{"question":"a"}, 5]'))).toBe(
        `bad.json row 2: the row is the number 5, not an object. ${ADVICE}`,
      );
    });

    it("are counted if they are skipped", async () => {
      const dataset = await loadFile(jsonl(rows), { skipBadRows: true });
      expect(dataset.examples.map(({ id }) => id)).toEqual([1, 2]);
      expect(dataset.notes).toHaveLength(1);
      expect(dataset.notes?.[0]).toMatch(/^3 bad rows skipped \(first: .*data\.jsonl:2: the row is not valid JSON/);
      const one = await loadFile(jsonl(rows.slice(0, 2)), { skipBadRows: true });
      expect(one.notes?.[0]).toMatch(/^1 bad row skipped/);
    });

    it("are an error if nothing is left", async () => {
      expect(await failure(jsonl(["{", "}"]), { skipBadRows: true })).toMatch(
        /^No row of "data\.jsonl" could be used \(first problem: data\.jsonl:1: /,
      );
    });
  });

  describe("columns", () => {
    const rows = [
      { id: 1, prompt: "a", gold: "x", subject: "law" },
      { id: 2, prompt: "b", gold: "y", subject: "art" },
    ];

    it("maps columns, which the first rows may lack", async () => {
      const { examples } = await loadFile(jsonl(rows), { map: { question: "prompt", answer: "gold" } });
      expect(examples).toMatchObject([
        { question: "a", answer: "x" },
        { question: "b", answer: "y" },
      ]);
      const late = await loadFile(
        jsonl([{ id: 0, question: "z" }, ...rows.map((row) => ({ ...row, question: "q" }))]),
        {
          map: { answer: "gold" },
        },
      );
      expect(late.examples.map(({ answer }) => answer)).toEqual([undefined, "x", "y"]);
    });

    it("reports a column that no row has before bad rows", async () => {
      expect(await failure(jsonl(rows), { map: { question: "promt" } })).toBe(
        'No row of "data.jsonl" has a column "promt" (--map question=promt). Did you mean "prompt"? Its columns: id, prompt, gold, subject.',
      );
      expect(await failure(jsonl(rows), { map: { question: "promt" }, skipBadRows: true })).toMatch(
        /has a column "promt"/,
      );
      expect(await failure(jsonl(rows), { map: { question: "prompt" }, filter: { topic: "law" } })).toMatch(
        /^No row of "data\.jsonl" has a column "topic" \(--filter topic=law\)/,
      );
    });

    it("reports a bad row once the mapped column is known to exist", async () => {
      const path = jsonl([{ id: 0 }, ...rows]);
      expect(await failure(path, { map: { question: "prompt" } })).toMatch(/^data\.jsonl:1: the row has neither/);
    });

    it("filters by text, number and boolean", async () => {
      const map = { question: "prompt" };
      expect((await loadFile(jsonl(rows), { map, filter: { subject: "art" } })).examples).toMatchObject([{ id: 2 }]);
      expect((await loadFile(jsonl(rows), { map, filter: { id: "1", subject: "law" } })).examples).toMatchObject([
        { id: 1 },
      ]);
    });

    it("lists the values if the filter matches nothing", async () => {
      expect(await failure(jsonl(rows), { map: { question: "prompt" }, filter: { subject: "Law" } })).toBe(
        'No row of "data.jsonl" matches subject=Law. Did you mean "law"? Values of subject: law, art.',
      );
    });
  });

  describe("ids", () => {
    it("rejects a repeated id with both places, also for a number and its text", async () => {
      expect(
        await failure(
          jsonl([
            { id: 1, question: "a" },
            { id: 2, question: "b" },
            { id: "1", question: "c" },
          ]),
        ),
      ).toMatch(/^data\.jsonl:3: the id "1" is already used at data\.jsonl:1\. Make ids unique/);
    });

    it("keeps equal rows without ids apart, with a note", async () => {
      const row = { question: "a" };
      const first = await loadFile(jsonl([row, { question: "b" }, row, row]));
      const ids = first.examples.map(({ id }) => id);
      expect(new Set(ids).size).toBe(4);
      expect(ids[2]).toBe(`${ids[0]}-2`);
      expect(ids[3]).toBe(`${ids[0]}-3`);
      expect(first.notes?.[0]).toMatch(/^2 rows of .*data\.jsonl without an id repeat an earlier one/);
    });
  });

  describe("files", () => {
    it("reports what is wrong with the path", async () => {
      expect(await failure(join(folder, "missing.jsonl"))).toMatch(/^File not found: "missing\.jsonl" \(.+\)\. Check/);
      expect(await failure(join(file("plain.jsonl", "{}"), "below.jsonl"))).toMatch(/^File not found: /);
      mkdirSync(join(folder, "sub.jsonl"));
      expect(await failure(join(folder, "sub.jsonl"))).toBe(
        '"sub.jsonl" is a folder. Pass a file inside it (.jsonl, .ndjson, .json, .csv, .tsv, .parquet).',
      );
      expect(await failure(file("data.doc", "x"))).toBe(
        '"data.doc" has the extension ".doc", which is not a known format. Supported: .jsonl, .ndjson, .json, .csv, .tsv, .parquet, each also with .gz.',
      );
      expect(await failure(file("data", "x"))).toMatch(/^"data" has no extension/);
    });

    it.each(["empty.jsonl", "empty.json", "empty.csv"])("reports that %s is empty", async (name) => {
      expect(await failure(file(name, ""))).toBe(`"${name}" is empty: it has no rows.`);
    });

    it("reports that a file without rows is empty, whatever the options", async () => {
      expect(await failure(file("header.csv", "id,question\n"))).toMatch(/is empty/);
      expect(await failure(file("blank.jsonl", "\n\n"), { map: { question: "q" } })).toMatch(/is empty/);
    });

    it("reports that a file is not readable, and passes on unknown errors", () => {
      expect(createUnreadableError("a.csv", { code: "EACCES" }).message).toBe(
        '"a.csv" is not readable. Check its permissions.',
      );
      const cause = new Error("EIO: i/o error");
      expect(createUnreadableError("a.csv", cause)).toMatchObject({
        message: '"a.csv" could not be read: EIO: i/o error.',
        cause,
      });
    });

    it("has no configs", async () => {
      await expect(loadFile(jsonl([{ question: "a" }]), { config: "main" })).rejects.toThrow(/has no config "main"/);
    });
  });

  it("loads a large file without keeping its text in memory", async () => {
    const path = join(folder, "large.jsonl");
    const padding = "x".repeat(2000);
    writeFileSync(
      path,
      Array.from({ length: 50_000 }, (_, id) => JSON.stringify({ id, question: `q${id}`, padding })).join("\n"),
    );
    const script = `
      import { createJiti } from "jiti";
      const { loadFile } = await createJiti(process.cwd()).import(${JSON.stringify(join(import.meta.dirname, "load-file.ts"))});
      await loadFile(${JSON.stringify(path)}, { maxExamples: 10, head: true });
      const { examples } = await loadFile(${JSON.stringify(path)}, { filter: { id: "49999" } });
      globalThis.gc();
      console.log(JSON.stringify({ n: examples.length, heap: process.memoryUsage().heapUsed, peak: process.resourceUsage().maxRSS }));`;
    const args = ["--expose-gc", "--input-type=module", "-e", script];
    const { n, heap, peak } = JSON.parse(
      execFileSync(process.execPath, args, { encoding: "utf8", cwd: import.meta.dirname }),
    );
    expect(n).toBe(1);
    // The file is 100 MB; one row of it must not keep the rest in memory.
    expect(heap).toBeLessThan(40e6);
    expect(peak).toBeLessThan(400e3);
  });
});
