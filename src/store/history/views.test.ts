import { describe, expect, test } from "vitest";
import type { Evaluator } from "../../core/evaluator.js";
import type { Price } from "../../core/price.js";
import { ROW_FIELDS } from "../../core/row.js";
import type { System } from "../../core/system.js";
import { evaluate } from "../../evaluate.js";
import { keepLastRows } from "../../runs/load-run.js";
import { queryFixtureRuns, writeFixtureRuns } from "../../testing/fixture-runs.js";
import { TempProject } from "../../testing/temp-project.js";
import { readRows } from "../journal.js";
import { queryRuns } from "./query-runs.js";
import { EXAMPLE_STATEMENTS, VIEW_NAMES, VIEWS } from "./schema.js";

const EXACT: Evaluator = {
  name: "exact",
  fields: ["em", "length"],
  primaryFields: ["em"],
  score: ({ answer }, { response = "" }) => ({
    scores: { em: response === answer ? 1 : 0, length: response.length },
    evidence: { em: `asked for ${answer}` },
  }),
};

const PRICE: Price = { input: 1e6, output: 2e6, cacheRead: 1e5, cacheWrite: 3e6, cacheWrite1h: 4e6, source: "test" };

const PARIS: System = {
  name: "paris",
  model: "atlas",
  limits: { price: PRICE, maxCostUsd: null, hardTimeoutMs: null },
  process: () => ({ response: "Paris", usage: { input: 100, output: 10, cacheRead: 7 }, metadata: { kind: "city" } }),
};

const BROKEN: System = {
  name: "broken",
  process: () => {
    throw new Error("the cable is out");
  },
};

const EXAMPLES = [
  { id: 1, dataset: "west", question: "Capital of France?", answer: "Paris" },
  { id: "it", dataset: "south", question: "Capital of Italy?", answer: "Rome" },
];

/** A run made by the real runner. */
async function realRun(): Promise<TempProject> {
  const space = new TempProject();
  const systems = [PARIS, BROKEN];
  await evaluate({ systems, dataset: EXAMPLES, evaluators: [EXACT], trials: 2, runsDir: space.path("runs") });
  return space;
}

describe("the views", () => {
  test("have the documented columns and types, full and empty", async () => {
    const spaces = [await realRun(), writeFixtureRuns({})];
    for (const space of spaces) {
      for (const name of VIEW_NAMES) {
        const { columns } = await queryRuns({ runsDir: space.path("runs"), sql: `from ${name} limit 1` });
        const documented = VIEWS[name].columns.map(([column, type]) => [column, type.replaceAll('"', "")]);
        expect(columns.map(({ name: column, type }) => [column, type.replaceAll('"', "")])).toEqual(documented);
      }
    }
  });

  test("have every field of a row", () => {
    const columns = new Set(VIEWS.rows.columns.map(([name]) => name));
    const snake = ROW_FIELDS.map((field) => field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
    expect(snake.filter((field) => !columns.has(field === "group" ? "group_id" : field))).toEqual([]);
  });

  test("answer the example statements", async () => {
    const space = await realRun();
    for (const sql of EXAMPLE_STATEMENTS) expect((await queryFixtureRuns(space, sql)).length).toBeGreaterThan(0);
  });

  test("runs: one row per run, from manifest and summary", async () => {
    const space = await realRun();
    const [run, ...others] = await queryFixtureRuns(space, "from runs");
    expect(others).toEqual([]);
    expect(run).toMatchObject({
      // One trial ended in an error: all have finished.
      status: "complete",
      planned: 8,
      done: 8,
      trials: 2,
      threshold: 0.7,
      systems: ["paris", "broken"],
      command: null,
      parent: null,
    });
    expect(run?.created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$/);
    expect(run?.wall_seconds).toBeGreaterThan(0);
  });

  test("rows: the same as in the report, including default values", async () => {
    const space = await realRun();
    const [dir = ""] = space.runs("runs");
    const stored = keepLastRows(readRows(space.path(dir)));
    const rows = await queryFixtureRuns(space, "from rows");
    expect(rows).toHaveLength(8);
    for (const expected of stored) {
      const { system, exampleId, trial } = expected;
      const found = rows.find(
        (each) => each.system === system && each.example_id === String(exampleId) && each.trial === trial,
      );
      expect(found).toMatchObject({
        dataset: expected.dataset,
        outcome: expected.outcome,
        error_category: expected.errorCategory,
        scores: expected.scores,
        score: expected.scores.em ?? null,
        cost_usd: expected.costUsd,
        cost_source: expected.costSource,
        cached: expected.cached,
        cost_killed_at: 0,
        notes: expected.notes,
        metadata: expected.metadata,
        attempts: expected.attempts.map(({ errorCategory, message, durationMs }) => ({
          error_category: errorCategory,
          message,
          duration_ms: durationMs,
        })),
      });
    }
    expect(rows[0]?.run).toBe(dir.slice("runs/".length));
  });

  test("trials: with question, output and evidence", async () => {
    const space = await realRun();
    const trials = await queryFixtureRuns(space, "from trials where trial = 1 order by system, example_id");
    expect(trials).toHaveLength(4);
    expect(trials[0]).toMatchObject({
      system: "broken",
      question: "Capital of France?",
      answer: "Paris",
      response: null,
    });
    expect(trials[3]).toMatchObject({
      system: "paris",
      example_id: "it",
      question: "Capital of Italy?",
      answer: "Rome",
      response: "Paris",
      evidence: { em: "asked for Rome" },
      output: { response: "Paris", usage: { input: 100 } },
    });
  });

  test("usage: one row per class, with its cost at the stored price", async () => {
    const space = await realRun();
    const lines = await queryFixtureRuns(space, "from usage where example_id = '1' and trial = 0 order by class");
    expect(lines.map((line) => [line.class, line.tokens, line.cost_usd])).toEqual([
      ["cache_read", 7, 7e-7],
      ["input", 100, 1e-4],
      ["output", 10, 2e-5],
    ]);
    expect(lines[0]).toMatchObject({ system: "paris", model: "atlas", dataset: "west" });
    const [total] = await queryFixtureRuns(
      space,
      "select sum(u.cost_usd) as usage, (select sum(cost_usd) from rows) as rows from usage u",
    );
    expect(total?.usage).toBeCloseTo(Number(total?.rows), 12);
  });

  test("summary: the same as summary.json, including efficiency", async () => {
    const space = await realRun();
    const [dir = ""] = space.runs("runs");
    const { summary } = JSON.parse(space.read(dir, "summary.json")) as {
      summary: Record<string, Record<string, number> & { efficiency: Record<string, number> }>;
    };
    const lines = await queryFixtureRuns(space, "from summary where system = 'paris'");
    const found = new Map(lines.map((line) => [line.metric as string, line]));
    const paris = summary.paris;
    expect(found.get("pass_rate")).toMatchObject({
      value: paris?.pass_rate,
      ci_low: paris?.pass_rate_ci_low,
      ci_high: paris?.pass_rate_ci_high,
      n: 2,
      reason: null,
    });
    expect(found.get("speed_efficiency_score")?.value).toBe(paris?.efficiency.speed_efficiency_score);
    expect([...found.keys()].filter((key) => /_(ci_low|ci_high|reason)$/.test(key))).toEqual([]);
    const [unknown] = await queryFixtureRuns(
      space,
      "from summary where system = 'broken' and metric = 'mean_cost_usd'",
    );
    expect(unknown).toMatchObject({ value: null, reason: "no trial has a known cost" });
    const [unscored] = await queryFixtureRuns(space, "from summary where system = 'broken' and metric = 'mean_score'");
    expect(unscored).toMatchObject({ value: null, n: 0 });
  });

  test("runs and summary do not read rows, and unnamed views are not read", async () => {
    const space = writeFixtureRuns({
      rows: ["not a row"],
      summary: { complete: true, summary: { one: { pass_rate: 1 } } },
    });
    for (const sql of ["from runs", "from summary", "describe rows", "show tables", "select 1"]) {
      const { notes } = await queryRuns({ runsDir: space.path("runs"), sql });
      expect(notes).toEqual([]);
    }
    const { notes } = await queryRuns({ runsDir: space.path("runs"), sql: "from rows" });
    expect(notes).toEqual(["run-0: 1 line of rows.jsonl cannot be read and was skipped"]);
  });
});

describe("trial counts in a run's summary", () => {
  const outcomes = { pass: 4, fail: 2, error: 1, unscored: 0, skipped: 3 };
  const told = async (costUsd: number | null, unknown: number) => {
    const counts = { one: { trials: 10, outcomes, categories: {}, costUsd } };
    const summary = { complete: false, summary: { one: { cost_unknown_trials: unknown } }, counts };
    const [run] = await queryFixtureRuns(writeFixtureRuns({ summary }), "select done, cost_usd from runs");
    return [run?.done, run?.cost_usd];
  };

  test("give the finished trials and their cost, unless the cost of some is unknown", async () => {
    expect(await told(1.2, 0)).toEqual([7, 1.2]);
    expect(await told(1.2, 1)).toEqual([7, null]);
    expect(await told(null, 0)).toEqual([7, null]);
  });

  test("are NULL in files of versions without counts", async () => {
    const [run] = await queryFixtureRuns(
      writeFixtureRuns({ summary: { complete: true, summary: { one: {} } } }),
      "select done, cost_usd from runs",
    );
    expect(run).toEqual({ done: null, cost_usd: null });
  });
});
