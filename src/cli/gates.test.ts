import { describe, expect, it } from "vitest";
import { UsageError } from "../core/errors.js";
import type { Metric } from "../core/metric.js";
import type { EvalResult } from "../core/result.js";
import { PerDatasetBreakdown, standardMetrics } from "../metrics/index.js";
import { applyGates, checkGateFlags, type GatedRun } from "./gates.js";

const RUN: GatedRun = { trials: 1, metrics: standardMetrics(1, 1), datasets: () => ["qa"] };
const gates = (...keys: string[]) => ({
  minCoverage: 0,
  failUnder: Object.fromEntries(keys.map((key) => [key, 1])),
  failOver: {},
});
const check = (key: string, run: Partial<GatedRun> = {}) => checkGateFlags(gates(key), { ...RUN, ...run });

describe("checkGateFlags", () => {
  it.each(["pass_rate", "mean_score_ci_low", "coverage", "num_error", "prompt_compression_ratio", "latency_p95_n"])(
    "accepts %s before the run",
    (key) => {
      expect(() => check(key)).not.toThrow();
    },
  );

  it.each(["pas_rate", "constructor", "__proto__", "dataset:qa", "pareto_rank", "flaky_rate", "frontier_cost_of_pass"])(
    "rejects %s, which this run does not have",
    (key) => {
      expect(() => check(key)).toThrow(UsageError);
    },
  );

  it("knows the metrics of more trials, datasets and systems", () => {
    expect(() => check("flaky_rate", { trials: 2 })).not.toThrow();
    expect(() => check("pass_hat_2", { trials: 2 })).not.toThrow();
    expect(() => check("pass_hat_3", { trials: 2 })).toThrow(/at least 3 trials/);
    expect(() => check("dataset:qa", { metrics: [new PerDatasetBreakdown()] })).not.toThrow();
    expect(() => check("pareto_rank", { metrics: standardMetrics(2, 1) })).not.toThrow();
  });

  it("knows the facets of the examples, and those of each dataset if there are several", () => {
    const facets = () => [
      { dataset: "mmlu", facets: { subject: "anatomy", depth: 0.5, length: 1000 } },
      { dataset: "qa", facets: null },
    ];
    const one = { datasets: () => ["mmlu"], facets: () => facets().slice(0, 1) };
    expect(() => check("facet:subject=anatomy", one)).not.toThrow();
    expect(() => check("facet:subject=anatomy_ci_low", one)).not.toThrow();
    expect(() => check("cell:depth=0.5,length=1000", one)).not.toThrow();
    expect(() => check("facet:subject=anatomie", one)).toThrow(/Did you mean "facet:subject=anatomy"/);
    expect(() => check("pas_rate", one)).toThrow(/^(?!.*facet:)/);
    const both = { datasets: () => ["mmlu", "qa"], facets };
    expect(() => check("facet:mmlu:subject=anatomy", both)).not.toThrow();
    expect(() => check("facet:subject=anatomy", both)).toThrow(UsageError);
  });

  it("accepts unknown keys only for metrics that do not declare theirs", () => {
    const silent: Metric = { name: "mine", compute: () => ({ mine: 1 }) };
    const spoken: Metric = { ...silent, keys: () => ["mine"] };
    expect(() => check("anything", { metrics: [...RUN.metrics, silent] })).not.toThrow();
    expect(() => check("mine_ci_low", { metrics: [spoken] })).not.toThrow();
    expect(() => check("mime", { metrics: [spoken] })).toThrow(/Did you mean "?mine/);
  });
});

describe("applyGates", () => {
  it("does not take inherited properties for metrics", () => {
    const result = { summary: { s: { coverage: 1 } } } as unknown as EvalResult;
    expect(() => applyGates(result, gates("constructor"))).toThrow(/there is no such metric/);
  });

  it("treats the 0 of no tasks as not measured", () => {
    const result = { summary: { s: { coverage: 1, latency_p95: 0, latency_p95_n: 0 } } } as unknown as EvalResult;
    const { exitCode, messages } = applyGates(result, {
      minCoverage: 0.95,
      failUnder: {},
      failOver: { latency_p95: 0.5 },
    });
    expect(exitCode).toBe(1);
    expect(messages).toEqual(["s: latency_p95 = – was not measured"]);
  });
});
