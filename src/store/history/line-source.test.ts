import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { computeCost, toDollars } from "../../budget/index.js";
import type { Price } from "../../core/price.js";
import { keepLastRows } from "../../runs/load-run.js";
import { queryFixtureRuns, writeFixtureRuns } from "../../testing/fixture-runs.js";
import { TempProject } from "../../testing/temp-project.js";
import { readRows } from "../journal.js";
import { queryRuns } from "./query-runs.js";
import { createTestRow, writeTestRun } from "./run-testing.js";

const PRICE: Price = { input: 1e6, output: 2e6, cacheRead: 1e5, cacheWrite: 3e6, cacheWrite1h: 4e6, source: "test" };

describe("the files of a run", () => {
  test("count the last row of a trial, like the report", async () => {
    const anyRow = fc.record({
      system: fc.constantFrom("a", "b"),
      exampleId: fc.constantFrom<(string | number)[]>(1, "1", 2),
      trial: fc.constantFrom(0, 1),
      outcome: fc.constantFrom("pass", "fail", "error"),
      outputTokens: fc.nat(1000),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(anyRow, { maxLength: 30 }), async (rows) => {
        const dir = join(tmpdir(), `assay-history-${process.pid}`);
        try {
          writeTestRun(join(dir, "r"), { rows });
          const sql = "select system, example_id, trial, outcome, output_tokens from rows";
          const { rows: found } = await queryRuns({ runsDir: dir, sql });
          const expected = keepLastRows(readRows(join(dir, "r"))).map((each) => [
            each.system,
            String(each.exampleId),
            each.trial,
            each.outcome,
            each.outputTokens,
          ]);
          const inOrder = (lines: unknown[]) => lines.map((line) => JSON.stringify(line)).sort();
          expect(inOrder(found.map((line) => Object.values(line)))).toEqual(inOrder(expected));
        } finally {
          rmSync(dir, { recursive: true, force: true });
        }
      }),
      { numRuns: 15 },
    );
  });

  test("count the last of many lines when several threads read them", async () => {
    const rows = Array.from({ length: 40_000 }, (_, i) =>
      createTestRow({ exampleId: i, outcome: "error", metadata: { pad: "x".repeat(800) } }),
    );
    const again = rows.filter((_, i) => i % 2 === 0).map((each) => ({ ...each, outcome: "pass" }));
    const space = writeFixtureRuns({ rows: [...rows, ...again] });
    expect(await queryFixtureRuns(space, "select outcome, count(*) as n from rows group by 1 order by 1")).toEqual([
      { outcome: "error", n: 20_000 },
      { outcome: "pass", n: 20_000 },
    ]);
  });

  test("are read without a torn last line, with a note, even if only the line feed is missing", async () => {
    const space = writeFixtureRuns({ rows: [createTestRow()] }, { rows: [createTestRow()] });
    appendFileSync(space.path("runs/run-0/rows.jsonl"), '{"system":"one","dataset":"d","exampleId":2,"tri');
    appendFileSync(space.path("runs/run-1/rows.jsonl"), JSON.stringify(createTestRow({ exampleId: 2 })));
    const { rows, notes } = await queryRuns({
      runsDir: space.path("runs"),
      sql: "select run, example_id from rows order by run",
    });
    expect(rows).toEqual([
      { run: "run-0", example_id: "1" },
      { run: "run-1", example_id: "1" },
    ]);
    expect(notes).toEqual([
      "run-0: the torn last line of rows.jsonl was skipped",
      "run-1: the torn last line of rows.jsonl was skipped",
    ]);
  });

  test("hold no row if they are empty or only a torn line", async () => {
    const space = writeFixtureRuns({}, {});
    writeFileSync(space.path("runs/run-0/rows.jsonl"), `{"system":${" ".repeat(200_000)}`);
    expect(await queryFixtureRuns(space, "select count(*) as n from rows")).toEqual([{ n: 0 }]);
  });

  test("are skipped with a note if they are damaged or of a foreign format, and nothing else is", async () => {
    const space = writeFixtureRuns(
      {
        rows: [
          createTestRow(),
          "}{",
          "[1]",
          { system: "one" },
          createTestRow({ exampleId: 2, outcome: "odd" }),
          createTestRow({ exampleId: 3 }),
        ],
      },
      { rows: [createTestRow()], manifest: { schema: "assay.run/9" } },
      { rows: [createTestRow()], manifest: { schema: "somebody/1" } },
      { rows: [createTestRow()] },
      { rows: [createTestRow()] },
    );
    writeFileSync(space.path("runs/run-3/manifest.json"), "{");
    rmSync(space.path("runs/run-4/manifest.json"));
    mkdirSync(space.path("runs/not-a-run"));
    const { rows, notes } = await queryRuns({
      runsDir: space.path("runs"),
      sql: "select run, example_id from rows order by 2",
    });
    expect(rows).toEqual([
      { run: "run-0", example_id: "1" },
      { run: "run-0", example_id: "3" },
    ]);
    expect(notes).toHaveLength(5);
    expect(notes[0]).toMatch(/^run-1 was skipped: .*assay\.run\/9.*Update Assay/);
    expect(notes[1]).toMatch(/^run-2 was skipped: .*not written by Assay/);
    expect(notes[2]).toMatch(/^run-3 was skipped: .*cannot be read/);
    expect(notes[3]).toMatch(/^run-4 was skipped: .*has no manifest\.json/);
    expect(notes[4]).toBe("run-0: 4 lines of rows.jsonl cannot be read and were skipped");
  });

  test("with split characters or invalid UTF-8 are read as in the report", async () => {
    const half = "cut \ud83d";
    const space = writeFixtureRuns({
      rows: [createTestRow({ notes: [half] }), createTestRow({ exampleId: half }), "}{"],
      outputs: [
        { ...createTestRow(), output: { response: half } },
        { ...createTestRow({ exampleId: half }), file: "outputs/a.json" },
      ],
      examples: [{ dataset: "d", id: half, question: half }],
    });
    space.write("runs/run-0/outputs/a.json", `${JSON.stringify({ output: { response: `${half} off` } })}\n`);
    space.write("runs/run-0/outputs/b.json", "{");
    const bytes = Buffer.concat([Buffer.from('{"system":"'), Buffer.from([0xe9]), Buffer.from('","exampleId":3,')]);
    appendFileSync(space.path("runs/run-0/rows.jsonl"), bytes);
    appendFileSync(space.path("runs/run-0/rows.jsonl"), '"outcome":"pass"}\n');
    const { rows, notes } = await queryRuns({
      runsDir: space.path("runs"),
      sql: "select system, example_id as id, notes, question, response from trials order by id",
    });
    expect(rows).toEqual([
      { system: "one", id: "1", notes: ["cut \ufffd"], question: null, response: "cut \ufffd" },
      { system: "\ufffd", id: "3", notes: [], question: null, response: null },
      { system: "one", id: "cut \ufffd", notes: [], question: "cut \ufffd", response: "cut \ufffd off" },
    ]);
    expect(notes).toEqual([
      "run-0: 1 line of rows.jsonl cannot be read and was skipped",
      "run-0: an output in a separate file cannot be read and was skipped",
    ]);
  });

  test("are not confused if torn and their runs differ only in special characters", async () => {
    const space = new TempProject();
    for (const [index, name] of ["ä", "ö", "a b", "a_b"].entries()) {
      const dir = writeTestRun(space.path("runs", name), { rows: [createTestRow({ exampleId: index })] });
      appendFileSync(join(dir, "rows.jsonl"), "{");
    }
    expect(await queryFixtureRuns(space, "select run, example_id as id from rows order by id")).toEqual([
      { run: "ä", id: "0" },
      { run: "ö", id: "1" },
      { run: "a b", id: "2" },
      { run: "a_b", id: "3" },
    ]);
  });

  test("with a manifest of wrong types give NULL", async () => {
    const space = writeFixtureRuns({
      rows: [createTestRow()],
      manifest: { createdAt: "yesterday", planned: "many" as never },
    });
    writeTestRun(space.path("runs", "whole"), { rows: [createTestRow()] });
    expect(
      await queryFixtureRuns(space, "select run, created_at is null as undated, planned from runs order by run"),
    ).toEqual([
      { run: "run-0", undated: true, planned: null },
      { run: "whole", undated: false, planned: 2 },
    ]);
    expect(await queryFixtureRuns(space, "select count(*) as n, count(created_at) as dated from rows")).toEqual([
      { n: 2, dated: 1 },
    ]);
  });

  test("affect only their own run if access is denied", async () => {
    const space = writeFixtureRuns({ rows: [createTestRow()] }, { rows: [] });
    rmSync(space.path("runs/run-1/rows.jsonl"));
    mkdirSync(space.path("runs/run-1/rows.jsonl"));
    const { rows, notes } = await queryRuns({ runsDir: space.path("runs"), sql: "select run from rows" });
    expect(rows).toEqual([{ run: "run-0" }]);
    expect(notes).toEqual(["run-1: rows.jsonl cannot be read and was skipped"]);
  });

  test("affect only their own run if they cannot be read at all", async () => {
    const space = writeFixtureRuns(
      { rows: [createTestRow()] },
      { rows: [`{"system":"${"x".repeat(40 << 20)}"}`, createTestRow()] },
    );
    const { rows, notes } = await queryRuns({ runsDir: space.path("runs"), sql: "select run from rows" });
    expect(rows).toEqual([{ run: "run-0" }]);
    expect(notes).toEqual(["run-1: rows.jsonl cannot be read and was skipped"]);
  });

  test("give NULL for fields of another type and fields missing in older files", async () => {
    const space = writeFixtureRuns({
      rows: [{ system: "one", exampleId: 1, outcome: "pass", latency: "slow", scores: 3 }],
    });
    expect(
      await queryFixtureRuns(space, "select latency, scores, ttft_ms, dataset, trial, group_id, usage from rows"),
    ).toEqual([{ latency: null, scores: {}, ttft_ms: null, dataset: "", trial: 0, group_id: null, usage: null }]);
  });

  test("may have quotes and stars in their folder names", async () => {
    const space = new TempProject();
    const runsDir = space.path("it's [1] * ?");
    writeTestRun(join(runsDir, "r'"), {
      rows: [createTestRow()],
      outputs: [{ ...createTestRow(), output: { response: "x" } }],
    });
    const { rows } = await queryRuns({ runsDir, sql: "select run, response from trials" });
    expect(rows).toEqual([{ run: "r'", response: "x" }]);
  });

  test("name large outputs in separate files; the last line counts", async () => {
    const key = { system: "one", dataset: "d", exampleId: 1, trial: 0 };
    const space = writeFixtureRuns({
      rows: [createTestRow(), createTestRow({ exampleId: 2 }), createTestRow({ exampleId: 3 })],
      outputs: [
        { ...key, file: "outputs/a.json" },
        { ...key, exampleId: 2, output: { response: "small before" } },
        { ...key, exampleId: 2, file: "outputs/b.json" },
        { ...key, exampleId: 3, file: "outputs/b.json" },
        { ...key, exampleId: 3, output: { response: "small again" }, grades: [{ name: "g", passed: true }] },
        { ...key, exampleId: 1, file: "../../../../../../etc/passwd" },
        { ...key, exampleId: 1, file: "outputs/a.json" },
      ],
    });
    mkdirSync(space.path("runs/run-0/outputs"));
    const large = (name: string, size: number) =>
      writeFileSync(
        space.path(`runs/run-0/outputs/${name}.json`),
        JSON.stringify({ ...key, output: { response: name.repeat(size), context: "c" }, evidence: { em: "why" } }),
      );
    large("a", 40 << 20);
    large("b", 10);
    expect(
      await queryFixtureRuns(
        space,
        "select length(response) as size, context, evidence, grades from trials order by example_id",
      ),
    ).toEqual([
      { size: 40 << 20, context: "c", evidence: { em: "why" }, grades: null },
      { size: 10, context: "c", evidence: { em: "why" }, grades: null },
      { size: 11, context: null, evidence: null, grades: [{ name: "g", passed: true }] },
    ]);
  });

  test('distinguish the ids 1 and "1"', async () => {
    const ids = [1, "1"];
    const space = writeFixtureRuns({
      rows: ids.map((exampleId) => createTestRow({ exampleId })),
      outputs: ids.map((exampleId) => ({ ...createTestRow({ exampleId }), output: { response: typeof exampleId } })),
      examples: ids.map((id) => ({ dataset: "d", id, question: typeof id, answers: ["first", "second"] })),
    });
    expect(await queryFixtureRuns(space, "select question, response, answer from trials order by 1")).toEqual([
      { question: "number", response: "number", answer: "first" },
      { question: "string", response: "string", answer: "first" },
    ]);
  });

  test("apply prices of longer prompts to trials of one call", async () => {
    const price: Price = {
      ...PRICE,
      tiers: [
        { ...PRICE, over: 100, input: 9e6 },
        { ...PRICE, over: 1000, input: 99e6 },
      ],
    };
    const usages = [50, 101, 5000].map((input) => ({
      input,
      output: 1,
      cacheWrite: 10,
      cacheWrite1h: 4,
      reasoning: 1,
    }));
    const space = writeFixtureRuns({
      manifest: { systems: { one: { fingerprint: "f", limits: { price, maxCostUsd: null, hardTimeoutMs: null } } } },
      rows: [
        ...usages.map((usage, exampleId) => createTestRow({ exampleId, usage })),
        createTestRow({ exampleId: 9, usage: { input: 50, output: 1 }, turns: 2, metadata: { model: "said" } }),
      ],
    });
    const found = await queryFixtureRuns(
      space,
      "select example_id, sum(cost_usd) as cost, any_value(model) as model from usage group by 1 order by 1",
    );
    const expected = usages.map((usage) => toDollars(computeCost(price, usage)));
    for (const [index, cost] of expected.entries()) expect(found[index]?.cost).toBeCloseTo(cost, 12);
    expect(found[3]).toEqual({ example_id: "9", cost: null, model: "said" });
    expect(await queryFixtureRuns(space, "select distinct cost_usd from usage where class = 'reasoning'")).toEqual([
      { cost_usd: null },
    ]);
  });
});
