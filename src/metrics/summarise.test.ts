import { describe, expect, it } from "vitest";
import type { Metric } from "../core/metric.js";
import { type EvalRow, makeRow, type Outcome } from "../core/row.js";
import {
  CompressionRatio,
  CostOfPass,
  Latency,
  MeanScore,
  ParetoRank,
  PassRate,
  PerDatasetBreakdown,
  summarise,
} from "./index.js";

const CONTEXT = { scoreField: "score", threshold: 0.7, seed: 0 };
const SEVEN: Metric[] = [
  new MeanScore(),
  new PassRate(),
  new CompressionRatio(),
  new CostOfPass(),
  new Latency(),
  new PerDatasetBreakdown(),
  new ParetoRank(),
];

function row(system: string, exampleId: number, outcome: Outcome, more: Partial<EvalRow> = {}): EvalRow {
  const scored = outcome === "pass" || outcome === "fail";
  return makeRow({
    system,
    exampleId,
    outcome,
    passed: scored ? outcome === "pass" : null,
    scores: scored ? { score: outcome === "pass" ? 1 : 0 } : {},
    inputTokens: 100,
    outputTokens: 10,
    latency: 0.5,
    ...more,
  });
}

describe("summarise", () => {
  it("has an interval and its n beside every mean, rate and ratio", () => {
    const usage = { input: 50, output: 10 };
    const rows = [0, 1, 2, 3].flatMap((id) =>
      [0, 1].map((trial) => row("s", id, id === trial ? "fail" : "pass", { trial, costUsd: 0.1, usage, dataset: "d" })),
    );
    const summary = summarise(rows, SEVEN, CONTEXT).summary.s ?? {};
    const withInterval = [
      "mean_score",
      "pass_rate",
      "compression_ratio",
      "mean_input_tokens",
      "mean_output_tokens",
      "cost_of_pass",
      "latency_mean",
      "latency_median",
      "latency_p95",
      "latency_p99",
      "dataset:d",
      "coverage",
      "error_rate",
      "cost_per_pass_usd",
      "mean_cost_usd",
      "tokens_per_pass_input",
      "tokens_per_pass_output",
      "tokens_per_pass_total",
      "prompt_compression_ratio",
      "pass_at_1",
      "pass_hat_1",
      "pass_at_2",
      "pass_hat_2",
      "flaky_rate",
    ];
    for (const key of withInterval) {
      expect(summary[key], key).toEqual(expect.any(Number));
      expect(summary[`${key}_ci_low`], key).toBeLessThanOrEqual(summary[key] ?? Number.NaN);
      expect(summary[`${key}_ci_high`], key).toBeGreaterThanOrEqual(summary[key] ?? Number.NaN);
      expect(summary[`${key}_n`], key).toBe(4);
    }
    const counts = ["num_passing", "num_planned", "num_pass", "num_fail", "num_error", "num_unscored", "num_skipped"];
    const others = [...counts, "cost_unknown_trials", "pareto_rank"];
    const keys = Object.keys(summary).filter((key) => !/_(ci_low|ci_high|n)$/.test(key));
    expect(keys.sort()).toEqual([...withInterval, ...others].sort());
  });

  it("counts every outcome, and coverage as scored of planned", () => {
    const outcomes: Outcome[] = ["pass", "pass", "fail", "error", "unscored", "skipped", "skipped", "skipped"];
    const rows = outcomes.map((outcome, id) => row("s", id, outcome));
    expect(summarise(rows, [], CONTEXT).summary.s).toMatchObject({
      num_planned: 8,
      num_pass: 2,
      num_fail: 1,
      num_error: 1,
      num_unscored: 1,
      num_skipped: 3,
      coverage: 0.375,
      error_rate: 0.125,
    });
  });

  it("reduces each system by itself, and ranks them against each other", () => {
    const rows = [row("good", 1, "pass"), row("bad", 1, "fail"), row("good", 2, "pass"), row("bad", 2, "pass")];
    const { summary, across } = summarise(rows, SEVEN, CONTEXT);
    expect(summary.good).toMatchObject({ mean_score: 1, pareto_rank: 1, cost_of_pass: 10 });
    expect(summary.bad).toMatchObject({ mean_score: 0.5, pareto_rank: 2, cost_of_pass: 20 });
    expect(across.frontier_cost_of_pass).toBe(10);
    expect(across).not.toHaveProperty("frontier_cost_of_pass_usd");
  });

  it("leaves the rank of a system alone at its placeholder, and has nothing across one system", () => {
    const { summary, across } = summarise([row("only", 1, "pass")], SEVEN, CONTEXT);
    expect(summary.only?.pareto_rank).toBe(0);
    expect(across).toEqual({});
  });

  it("knows the frontier in dollars when every cost is known", () => {
    const rows = [row("a", 1, "pass", { costUsd: 0.5 }), row("b", 1, "pass", { costUsd: 0.2 })];
    expect(summarise(rows, [], CONTEXT).across.frontier_cost_of_pass_usd).toBe(0.2);
  });

  it("loses only the keys of a metric that throws, and says so", () => {
    const throwing: Metric = {
      name: "broken",
      compute: () => {
        throw new Error("no idea");
      },
    };
    const { summary, notes } = summarise([row("s", 1, "pass")], [throwing, new MeanScore()], CONTEXT);
    expect(summary.s).toMatchObject({ mean_score: 1, coverage: 1 });
    expect(notes).toEqual(["metric broken failed for s: no idea"]);
  });

  it.each([
    ["nothing", () => undefined],
    ["a promise", async () => ({ late: 1 })],
    ["a promise that fails", () => Promise.reject(new Error("late"))],
  ])("notes a metric that returns %s", (_, compute) => {
    const metric = { name: "odd", compute } as unknown as Metric;
    const { summary, notes } = summarise([row("s", 1, "pass")], [metric, new MeanScore()], CONTEXT);
    expect(summary.s?.mean_score).toBe(1);
    expect(notes).toEqual([expect.stringContaining("metric odd failed for s")]);
  });

  it("turns what is no number into null, with its reason", () => {
    const values = { nan: Number.NaN, text: "0.5" as unknown as number, unsaid: null, fine: 2 };
    const plain: Metric = { name: "plain", compute: () => values };
    const estimating: Metric = {
      name: "estimating",
      compute: () => ({ unknown: null }),
      estimate: () => ({ unknown: { value: null, reason: "the moon was down" } }),
    };
    const { summary, reasons } = summarise([row("s", 1, "pass")], [plain, estimating], CONTEXT);
    expect(summary.s).toMatchObject({ nan: null, text: null, unknown: null, unsaid: null, fine: 2 });
    expect(reasons.s).toMatchObject({
      nan: "not a number",
      text: "not a number",
      unknown: "the moon was down",
      unsaid: "not measured",
    });
    expect(reasons.s).not.toHaveProperty("fine");
  });

  it("says why there is no cost of pass and no interval", () => {
    const { summary, reasons } = summarise([row("s", 1, "fail")], SEVEN, CONTEXT);
    expect(summary.s?.cost_of_pass).toBe(Infinity);
    expect(reasons.s).toMatchObject({
      cost_of_pass: "no passes",
      cost_per_pass_usd: "no trial has a known cost",
      mean_score_ci_low: "fewer than two tasks",
    });
  });

  it("has no systems without rows", () => {
    expect(summarise([], SEVEN, CONTEXT)).toEqual({ summary: {}, reasons: {}, across: {}, notes: [] });
  });
});
