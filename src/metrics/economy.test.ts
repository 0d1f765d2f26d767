import { describe, expect, it } from "vitest";
import { type EvalRow, makeRow } from "../core/row.js";
import { ratioInterval } from "../stats/index.js";
import { collectIntervals } from "../testing/intervals.js";
import { Economy } from "./economy.js";
import { CompressionRatio, CostOfPass } from "./index.js";

function row(exampleId: number, more: Partial<EvalRow> = {}): EvalRow {
  const outcome = more.passed === false ? "fail" : "pass";
  return makeRow({ system: "s", exampleId, outcome, passed: outcome === "pass", ...more });
}

describe("CompressionRatio", () => {
  it("is a ratio of totals over rows with an output", () => {
    const rows = [
      row(1, { inputTokens: 100, outputTokens: 10 }),
      row(2, { inputTokens: 900, outputTokens: 190 }),
      row(3, { inputTokens: 500, outcome: "error", passed: null }),
      row(4, { inputTokens: 500, outcome: "skipped", passed: null }),
    ];
    expect(new CompressionRatio().compute(rows)).toEqual({
      compression_ratio: 0.8,
      mean_input_tokens: 500,
      mean_output_tokens: 100,
    });
  });

  it("is negative for a system that writes more than it reads, and 0 without input", () => {
    expect(new CompressionRatio().compute([row(1, { inputTokens: 10, outputTokens: 30 })]).compression_ratio).toBe(-2);
    expect(new CompressionRatio().compute([row(1, { outputTokens: 30 })]).compression_ratio).toBe(0);
    expect(new CompressionRatio().compute([])).toEqual({
      compression_ratio: 0,
      mean_input_tokens: 0,
      mean_output_tokens: 0,
    });
  });

  it("inverts the interval of the ratio, so that low is below high", () => {
    const rows = [5, 20, 30, 12].map((outputTokens, i) => row(i, { inputTokens: 100, outputTokens }));
    const { low, high } = ratioInterval([5, 20, 30, 12], [100, 100, 100, 100]);
    const found = collectIntervals(new CompressionRatio(), rows);
    expect(found.compression_ratio).toEqual({ low: 1 - (high ?? 0), high: 1 - (low ?? 0), n: 4 });
    expect(found.mean_input_tokens).toEqual({ low: 100, high: 100, n: 4 });
    expect(found.mean_output_tokens?.low).toBeLessThan(16.75);
  });

  it("explains a missing interval", () => {
    const rows = [row(1, { outputTokens: 30 }), row(2, { outputTokens: 30 })];
    expect(collectIntervals(new CompressionRatio(), rows).compression_ratio).toMatchObject({
      low: null,
      reason: "no input tokens",
    });
  });
});

describe("CostOfPass", () => {
  const rows = [
    row(1, { outputTokens: 100, scores: { f1: 0.7 } }),
    row(2, { outputTokens: 50, scores: { f1: 0.1 }, passed: false }),
    row(3, { outputTokens: 30, scores: {}, outcome: "unscored", passed: null }),
    row(4, { outcome: "error", passed: null }),
  ];

  it("divides the output tokens of all rows, including failures, by the passing rows", () => {
    expect(new CostOfPass({ scoreField: "f1" }).compute(rows)).toEqual({ cost_of_pass: 180, num_passing: 1 });
    expect(new CostOfPass({ scoreField: "f1", threshold: 0.1 }).compute(rows)).toEqual({
      cost_of_pass: 90,
      num_passing: 2,
    });
    const context = { scoreField: "f1", threshold: 0.05, seed: 0 };
    expect(new CostOfPass().compute(rows, context).num_passing).toBe(2);
  });

  it("is infinite if nothing passes, and without rows", () => {
    expect(new CostOfPass({ scoreField: "em" }).compute(rows)).toEqual({ cost_of_pass: Infinity, num_passing: 0 });
    expect(new CostOfPass().compute([])).toEqual({ cost_of_pass: Infinity, num_passing: 0 });
    expect(collectIntervals(new CostOfPass({ scoreField: "em" }), rows).cost_of_pass).toMatchObject({
      low: null,
      high: null,
      reason: "no passes",
    });
  });

  it("reproduces the reference interval: 8 tasks × 2 trials", () => {
    const costs = [10, 12, 30, 28, 5, 6, 40, 60, 20, 22, 15, 15, 8, 9, 25, 35];
    const passes = "1110110011111101";
    const trials = costs.map((outputTokens, i) =>
      row(i >> 1, { trial: i & 1, outputTokens, scores: { f1: Number(passes[i]) } }),
    );
    const metric = new CostOfPass({ scoreField: "f1" });
    expect(metric.compute(trials)).toEqual({ cost_of_pass: 340 / 12, num_passing: 12 });
    const { low, high, n } = collectIntervals(metric, trials).cost_of_pass ?? { low: 0, high: 0, n: 0 };
    expect(low).toBeCloseTo(10.5458, 4);
    expect(high).toBeCloseTo(76.1232, 4);
    expect(n).toBe(8);
  });

  it("reports a missing upper bound", () => {
    const few = [1, 2, 3, 4].map((id) => row(id, { outputTokens: 10, scores: { f1: Number(id === 1) } }));
    expect(collectIntervals(new CostOfPass({ scoreField: "f1" }), few).cost_of_pass).toMatchObject({
      high: null,
      reason: "no upper bound: too few passes",
    });
  });

  it("rejects a threshold outside [0, 1]", () => {
    expect(() => new CostOfPass({ threshold: 7 })).toThrow(/threshold must be between 0 and 1/);
  });
});

describe("Economy", () => {
  it("divides the cost of all trials by the passes", () => {
    const rows = [
      row(1, { costUsd: 0.1, inputTokens: 100, outputTokens: 10 }),
      row(2, { costUsd: 0.3, inputTokens: 300, outputTokens: 30, passed: false }),
      row(3, { costUsd: 0.2, inputTokens: 700, outcome: "error", passed: null }),
      row(4, { outcome: "skipped", passed: null }),
    ];
    const found = new Economy().compute(rows);
    expect(found.cost_per_pass_usd).toBeCloseTo(0.6, 12);
    expect(found.mean_cost_usd).toBeCloseTo(0.2, 12);
    expect(found).toMatchObject({
      cost_unknown_trials: 0,
      tokens_per_pass_input: 400,
      tokens_per_pass_output: 40,
      tokens_per_pass_total: 440,
    });
  });

  it("does not treat an unknown cost as 0", () => {
    const economy = new Economy();
    expect(economy.compute([row(1)])).toMatchObject({ cost_per_pass_usd: null, mean_cost_usd: null });
    expect(collectIntervals(economy, [row(1)])).not.toHaveProperty("mean_cost_usd");
    const partly = economy.estimate([row(1), row(2, { costUsd: 0 })]);
    expect(partly.cost_per_pass_usd).toEqual({ value: null, reason: "trials with unknown cost: 1" });
    expect(partly.mean_cost_usd?.value).toBe(0);
    expect(partly.cost_unknown_trials?.value).toBe(1);
  });

  it("is infinite per pass if there is none", () => {
    const rows = [row(1, { passed: false, costUsd: 1, inputTokens: 5, outputTokens: 5 })];
    const found = new Economy().compute(rows);
    for (const key of ["cost_per_pass_usd", "tokens_per_pass_input", "tokens_per_pass_output", "tokens_per_pass_total"])
      expect(found[key], key).toBe(Infinity);
  });

  it("compares the billed prompt with the given prompt, with an interval", () => {
    const usage = { input: 30, output: 5, cacheRead: 10, cacheWrite: 10, reasoning: 4 };
    const rows = [
      row(1, { inputTokens: 100, usage }),
      row(2, { inputTokens: 100, usage: { input: 20, output: 1 } }),
      row(3, { inputTokens: 1000 }),
    ];
    expect(new Economy().compute(rows).prompt_compression_ratio).toBeCloseTo(1 - 70 / 200, 12);
    const { low, high } = ratioInterval([50, 20], [100, 100]);
    expect(collectIntervals(new Economy(), rows).prompt_compression_ratio).toEqual({
      low: high === null ? null : 1 - high,
      high: 1 - (low ?? 0),
      n: 2,
    });
    expect(new Economy().compute([row(3)])).not.toHaveProperty("prompt_compression_ratio");
    expect(collectIntervals(new Economy(), [row(3)])).not.toHaveProperty("prompt_compression_ratio");
  });

  it("handles an empty list of rows", () => {
    expect(new Economy().compute([])).toMatchObject({ cost_per_pass_usd: null, tokens_per_pass_total: Infinity });
    expect(collectIntervals(new Economy(), []).tokens_per_pass_total).toMatchObject({ low: null, n: 0 });
  });

  it("divides the seconds of all trials by the passes", () => {
    const rows = [
      row(1, { durationMs: 2000, costUsd: 1 }),
      row(2, { durationMs: 8000, costUsd: 3, passed: false }),
      row(3, { durationMs: 5000, costUsd: 0, outcome: "error", passed: null }),
      row(4, { durationMs: 1000, costUsd: 2 }),
    ];
    expect(new Economy().compute(rows)).toMatchObject({ seconds_per_pass: 8, cost_per_pass_usd: 3 });
    expect(collectIntervals(new Economy(), rows).seconds_per_pass).toMatchObject({ n: 4 });
    expect(new Economy().estimate([...rows, row(5)]).seconds_per_pass).toEqual({
      value: null,
      reason: "trials without a measured time: 1",
    });
    expect(new Economy().estimate([row(1, { outcome: "error", passed: null })]).seconds_per_pass).toEqual({
      value: null,
      reason: "no trial has a measured time",
    });
  });
});
