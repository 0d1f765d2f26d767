import { describe, expect, it } from "vitest";
import type { ReportOptions } from "../core/index.js";
import { type EvalRow, makeRow } from "../core/row.js";
import { standardMetrics } from "../metrics/index.js";
import { makeConfig, makeTiming } from "../testing/make-run.js";
import { RunResult } from "./result.js";

const CONFIG = makeConfig({
  title: "tasks",
  systems: ["a"],
  datasets: [{ name: "tasks", examples: 1, fingerprint: "f", tags: ["d"], primaryField: "f1", evaluators: {} }],
  evaluators: ["e"],
  scoreField: "f1",
});
const TIMING = makeTiming();

/** The table of one trial that did not pass. */
function renderRow(more: Partial<EvalRow>, options: ReportOptions = {}): string {
  const failed = { system: "a", exampleId: 1, outcome: "fail", passed: false, scores: { f1: 0 }, primaryField: "f1" };
  const rows = [makeRow({ ...failed, outcome: "fail", latency: 1, durationMs: 1000, ...more })];
  const metrics = standardMetrics(1, 1);
  return new RunResult({ rows, metrics, config: CONFIG, timing: TIMING, runDir: null, notes: [] }).toTable(options);
}

describe("the table of speed and efficiency", () => {
  it.each<Partial<EvalRow>>([
    { errorCategory: "cost_killed" },
    { turns: 3 },
    { firstAttemptMs: 20 },
    { tokensPerSec: 50 },
    { turns: 2, outcome: "error", passed: null, scores: {} },
  ])("is shown when nothing passed but something was measured: %o", (more) => {
    expect(renderRow(more)).toContain("Speed and efficiency:");
  });

  it("counts stopped trials", () => {
    expect(renderRow({ errorCategory: "cost_killed" })).toMatch(
      /\| +cost killed \| +slow \|\n.*\n\| a .*\| +1 \| +0 \|/,
    );
  });

  it.each<Partial<EvalRow>>([{}, { firstAttemptMs: 0, tokensPerSec: 0, successAtMs: 0 }, { errorCategory: "refused" }])(
    "is left out when nothing was: %o",
    (more) => {
      expect(renderRow(more)).not.toContain("Speed and efficiency");
    },
  );
});

describe("speed and efficiency in a terminal", () => {
  const passed: Partial<EvalRow> = { outcome: "pass", passed: true, scores: { f1: 1 }, turns: 1, firstAttemptMs: 20 };

  it("is only named below 120 columns if the main table says as much", () => {
    expect(renderRow(passed, { width: 119 })).toContain("Left out: speed and efficiency. See it with --columns speed.");
    expect(renderRow(passed, { width: 119 })).not.toContain("Speed and efficiency:");
  });

  it.each<[Partial<EvalRow>, ReportOptions]>([
    [{}, { width: 120 }],
    [{}, {}],
    [{}, { width: 80, columns: ["speed"] }],
    [{ turns: 2 }, { width: 80 }],
    [{ tokensPerSec: 50 }, { width: 80 }],
    [{ errorCategory: "cost_killed" }, { width: 80 }],
  ])("is shown with %o in %o", (more, options) => {
    expect(renderRow({ ...passed, ...more }, options)).toContain("Speed and efficiency:");
  });
});

describe("measures", () => {
  it("have their own table with intervals, and are not listed as metrics", () => {
    const rows = [100, 200, 300].map((characters, exampleId) =>
      makeRow({ system: "a", exampleId, outcome: "pass", passed: true, scores: { f1: 1 }, measures: { characters } }),
    );
    const parts = { rows, metrics: standardMetrics(1, 1), config: CONFIG, timing: TIMING, runDir: null, notes: [] };
    const table = new RunResult(parts).toTable();
    expect(table).toContain("Mean measures of evaluators; they do not affect verdicts.\n\n| system |");
    expect(table).toMatch(/\| +characters \[95 %\] \|\n.*\n\| a +\| +200 \[-48\.414, 448\.4\] \|/);
    expect(table).not.toContain("measure:");
    expect(new RunResult(parts).toTable({ columns: ["quality"] })).not.toContain("Measures");
  });
});

describe("the table of agents", () => {
  const agent = (system: string, more: Partial<EvalRow> = {}) =>
    makeRow({
      ...{ system, exampleId: 1, dataset: "d", outcome: "pass", passed: true, scores: { f1: 1 }, primaryField: "f1" },
      ...{ inputTokens: 70, outputTokens: 17, costUsd: 0.01, metadata: { agent: "codex" }, outcome: "pass" },
      ...more,
    });
  const tableOfRows = (rows: EvalRow[]) => {
    const config = { ...CONFIG, systems: [...new Set(rows.map(({ system }) => system))] };
    const metrics = standardMetrics(config.systems.length, 1);
    return new RunResult({ rows, metrics, config, timing: TIMING, runDir: null, notes: [] });
  };

  it("has no tokens of prompt and last message, and ranks by dollars", () => {
    const result = tableOfRows([
      agent("terse", { outputTokens: 1, costUsd: 0.5 }),
      agent("wordy", { outputTokens: 900, costUsd: 0.01 }),
    ]);
    const table = result.toTable();
    for (const title of ["tokens in → out", "compression", "cost of pass (tokens)"]) expect(table).not.toContain(title);
    expect(table).toContain("| Pareto rank |");
    expect(table).toContain("- Pareto rank by mean score and dollars per pass");
    const { summary } = result.toJSON();
    expect(summary.wordy).toMatchObject({ pareto_rank: 1, pareto_basis: "usd" });
    expect(summary.terse).toMatchObject({ pareto_rank: 2, pareto_basis: "usd" });
  });

  it("has them for models beside agents, and dashes for the agents", () => {
    const table = tableOfRows([agent("agent"), agent("model", { metadata: null })]).toTable();
    expect(table).toContain("70 → 17");
    expect(table.match(/70 → 17/g)).toHaveLength(1);
  });

  it("says so when ranks are by tokens", () => {
    const result = tableOfRows([agent("a", { metadata: null }), agent("b", { metadata: null, costUsd: null })]);
    expect(result.toTable()).toContain("- Pareto rank by mean score and output tokens per pass");
    expect(result.toJSON().summary.a).toMatchObject({ pareto_basis: "tokens" });
  });
});
