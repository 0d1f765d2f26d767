import { describe, expect, it } from "vitest";
import type { Metric } from "../core/metric.js";
import { type EvalRow, makeRow, type Outcome } from "../core/row.js";
import { EFFICIENCY_KEYS } from "./efficiency.js";
import {
  CompressionRatio,
  CostOfPass,
  Latency,
  listNamedMetrics,
  listSummaryKeys,
  MeanScore,
  ParetoRank,
  PassRate,
  PerDatasetBreakdown,
  summarize,
} from "./index.js";
import { TrialCurves } from "./trial-curves.js";

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

describe("summarize", () => {
  it("has an interval and n for every mean, rate and ratio", () => {
    const usage = { input: 50, output: 10 };
    const rows = [0, 1, 2, 3].flatMap((id) =>
      [0, 1].map((trial) =>
        row("s", id, id === trial ? "fail" : "pass", { trial, costUsd: 0.1, durationMs: 500, usage, dataset: "d" }),
      ),
    );
    const summary = summarize(rows, SEVEN, CONTEXT).summary.s ?? {};
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
      "seconds_per_pass",
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
      // Four tasks are too few for bounds of a quantile; the keys exist, with a reason.
      const [low, high] = [summary[`${key}_ci_low`], summary[`${key}_ci_high`]];
      expect(low ?? Number.NEGATIVE_INFINITY, key).toBeLessThanOrEqual(summary[key] ?? Number.NaN);
      expect(high ?? Number.POSITIVE_INFINITY, key).toBeGreaterThanOrEqual(summary[key] ?? Number.NaN);
      if (!key.startsWith("latency_")) expect([low, high], key).not.toContain(null);
      expect(summary[`${key}_n`], key).toBe(4);
    }
    const counts = ["num_passing", "num_planned", "num_pass", "num_fail", "num_error", "num_unscored", "num_skipped"];
    const extras = ["cost_unknown_trials", "pareto_rank", "time_to_success_fallback", "slow_count"];
    const others = [...counts, ...extras, ...EFFICIENCY_KEYS];
    const keys = Object.keys(summary).filter((key) => !/_(ci_low|ci_high|n)$/.test(key));
    expect(keys.sort()).toEqual([...withInterval, ...others].sort());
  });

  it("counts every outcome, and coverage as scored per planned", () => {
    const outcomes: Outcome[] = ["pass", "pass", "fail", "error", "unscored", "skipped", "skipped", "skipped"];
    const rows = outcomes.map((outcome, id) => row("s", id, outcome));
    expect(summarize(rows, [], CONTEXT).summary.s).toMatchObject({
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

  it("summarizes each system separately and ranks them", () => {
    const rows = [row("good", 1, "pass"), row("bad", 1, "fail"), row("good", 2, "pass"), row("bad", 2, "pass")];
    const { summary, across } = summarize(rows, SEVEN, CONTEXT);
    expect(summary.good).toMatchObject({ mean_score: 1, pareto_rank: 1, cost_of_pass: 10 });
    expect(summary.bad).toMatchObject({ mean_score: 0.5, pareto_rank: 2, cost_of_pass: 20 });
    expect(across.frontier_cost_of_pass).toBe(10);
    expect(across).not.toHaveProperty("frontier_cost_of_pass_usd");
  });

  it("keeps the placeholder rank of a single system, without values across systems", () => {
    const { summary, across } = summarize([row("only", 1, "pass")], SEVEN, CONTEXT);
    expect(summary.only?.pareto_rank).toBe(0);
    expect(across).toEqual({});
  });

  it("has the frontier in dollars if every cost is known", () => {
    const rows = [row("a", 1, "pass", { costUsd: 0.5 }), row("b", 1, "pass", { costUsd: 0.2 })];
    expect(summarize(rows, [], CONTEXT).across.frontier_cost_of_pass_usd).toBe(0.2);
  });

  it("loses only the keys of a metric that throws, and notes it", () => {
    const throwing: Metric = {
      name: "broken",
      compute: () => {
        throw new Error("no idea");
      },
    };
    const { summary, notes } = summarize([row("s", 1, "pass")], [throwing, new MeanScore()], CONTEXT);
    expect(summary.s).toMatchObject({ mean_score: 1, coverage: 1 });
    expect(notes).toEqual(["metric broken failed for s: no idea"]);
  });

  it.each([
    ["nothing", () => undefined],
    ["a promise", async () => ({ late: 1 })],
    ["a promise that fails", () => Promise.reject(new Error("late"))],
  ])("notes a metric that returns %s", (_, compute) => {
    const metric = { name: "odd", compute } as unknown as Metric;
    const { summary, notes } = summarize([row("s", 1, "pass")], [metric, new MeanScore()], CONTEXT);
    expect(summary.s?.mean_score).toBe(1);
    expect(notes).toEqual([expect.stringContaining("metric odd failed for s")]);
  });

  it("turns non-numbers into null, with a reason", () => {
    const values = { nan: Number.NaN, text: "0.5" as unknown as number, unsaid: null, fine: 2 };
    const plain: Metric = { name: "plain", compute: () => values };
    const estimating: Metric = {
      name: "estimating",
      compute: () => ({ unknown: null }),
      estimate: () => ({ unknown: { value: null, reason: "the moon was down" } }),
    };
    const { summary, reasons } = summarize([row("s", 1, "pass")], [plain, estimating], CONTEXT);
    expect(summary.s).toMatchObject({ nan: null, text: null, unknown: null, unsaid: null, fine: 2 });
    expect(reasons.s).toMatchObject({
      nan: "not a number",
      text: "not a number",
      unknown: "the moon was down",
      unsaid: "not measured",
    });
    expect(reasons.s).not.toHaveProperty("fine");
  });

  it("explains a missing cost of pass and interval", () => {
    const { summary, reasons } = summarize([row("s", 1, "fail")], SEVEN, CONTEXT);
    expect(summary.s?.cost_of_pass).toBe(Infinity);
    expect(reasons.s).toMatchObject({
      cost_of_pass: "no passes",
      cost_per_pass_usd: "no trial has a known cost",
      latency_mean_ci_low: "fewer than two tasks",
    });
  });

  it("has no systems without rows", () => {
    expect(summarize([], SEVEN, CONTEXT)).toEqual({
      summary: {},
      reasons: {},
      across: {},
      acrossReasons: {},
      labels: {},
      notes: [],
    });
  });
});

describe("keys of two metrics", () => {
  const rows = [1, 2].flatMap((id) => ["a", "b"].map((name) => row(name, id, "pass", { scores: { f1: 0.5, em: 1 } })));

  it("keep the first metric's value, with one note for all systems", () => {
    const twice = [new MeanScore({ scoreField: "f1" }), new MeanScore({ scoreField: "em" })];
    const { summary, notes } = summarize(rows, twice, CONTEXT);
    for (const system of ["a", "b"]) expect(summary[system]).toMatchObject({ mean_score: 0.5, mean_score_n: 2 });
    expect(notes).toEqual(["metric mean_score also produces mean_score; the first is kept"]);
  });

  it("keep the built-in value over a user's metric", () => {
    const mine: Metric = { name: "mine", compute: () => ({ coverage: 7, mean_score_n: 7, own: 7 }) };
    const { summary, notes } = summarize([row("s", 1, "pass")], [new MeanScore(), mine], CONTEXT);
    expect(summary.s).toMatchObject({ coverage: 1, mean_score_n: 1, own: 7 });
    expect(notes).toEqual([
      "metric mine also produces coverage; the first is kept",
      "metric mine also produces mean_score_n; the first is kept",
    ]);
  });

  it.each([["a", "a_n"] as const, ["a_n", "a"] as const])(
    "keep one dataset's whole estimate if the tags %s and %s collide",
    (first, second) => {
      const tagged = [first, second].flatMap((dataset, i) =>
        [1, 2, 3].map((id) => row("s", id, "pass", { dataset, scores: { score: i === 0 ? 0.25 : 0.75 } })),
      );
      const { summary, notes } = summarize(tagged, [new PerDatasetBreakdown()], CONTEXT);
      const keys = Object.keys(summary.s ?? {}).filter((key) => key.startsWith("dataset:"));
      expect(keys).toEqual(["", "_ci_low", "_ci_high", "_n"].map((end) => `dataset:${first}${end}`));
      expect(summary.s).toMatchObject({ [`dataset:${first}`]: 0.25, [`dataset:${first}_n`]: 3 });
      const where = first === "a" ? "" : " next to its dataset:a";
      expect(notes).toEqual([`metric per_dataset_breakdown also produces dataset:a_n${where}; the first is kept`]);
    },
  );
});

describe("names inherited from Object.prototype", () => {
  it("keep every system and key", () => {
    const names = ["__proto__", "constructor", "toString"];
    const rows = names.map((name, i) => row(name, 1, i === 0 ? "pass" : "fail"));
    const values = Object.fromEntries(names.map((name, i) => [name, i === 2 ? null : i]));
    const { summary, reasons } = summarize(rows, [...SEVEN, { name: "odd", compute: () => values }], CONTEXT);
    expect(Object.keys(summary)).toEqual(names);
    expect(Object.keys(reasons)).toEqual(names);
    for (const [name, own] of Object.entries(summary)) {
      expect(names.filter((key) => Object.hasOwn(own, key))).toEqual(names);
      expect(own.pareto_rank).toBe(name === "__proto__" ? 1 : 2);
      expect(Object.entries(reasons[name] ?? {})).toContainEqual(["toString", "not measured"]);
    }
  });
});

describe("Metric.compare", () => {
  const rows = [row("a", 1, "pass"), row("b", 1, "fail")];
  const comparing = (compare: NonNullable<Metric["compare"]>): Metric => ({
    name: "gap",
    compute: () => ({ gap: 0 }),
    compare,
  });

  it("adds values per system and across systems, from finished summaries", () => {
    const gap = comparing((summaries, all, context) => {
      const best = Math.max(...Object.values(summaries).map(({ mean_score }) => mean_score ?? 0));
      const behind = Object.entries(summaries).map(([name, { mean_score }]) => [
        name,
        { gap: { value: best - (mean_score ?? 0), interval: { low: null, high: null, n: all.length } } },
      ]);
      return {
        bySystem: Object.fromEntries(behind),
        across: { best: { value: best }, nothing: { value: null, reason: `seed ${context?.seed}` } },
      };
    });
    const found = summarize(rows, [gap, new MeanScore()], CONTEXT);
    expect(found.summary).toMatchObject({ a: { gap: 0, gap_n: 2 }, b: { gap: 1, gap_n: 2 } });
    expect(found.across).toMatchObject({ best: 1, nothing: null });
    expect(found.acrossReasons).toMatchObject({ nothing: "seed 0" });
    expect(found.notes).toEqual([]);
  });

  it("is not called for one system", () => {
    const never = comparing(() => {
      throw new Error("called");
    });
    const { summary, notes } = summarize(rows.slice(0, 1), [never], CONTEXT);
    expect(summary.a?.gap).toBe(0);
    expect(notes).toEqual([]);
  });

  it.each([
    ["throws", () => JSON.parse("{"), /^metric gap failed for all systems: /],
    ["returns a promise", async () => ({}), /compare\(\) returned a promise/],
    ["names a system that is not there", () => ({ bySystem: { zebra: {} } }), /the unknown system "zebra"/],
  ])("loses only its own keys if it %s", (_, compare, note) => {
    const { summary, across, notes } = summarize(rows, [comparing(compare as never), new ParetoRank()], CONTEXT);
    expect(summary.a).toMatchObject({ gap: 0, coverage: 1 });
    expect(across).toHaveProperty("frontier_cost_of_pass");
    expect(notes).toEqual([expect.stringMatching(note)]);
  });

  it("cannot replace a key of another metric", () => {
    const greedy = comparing(() => ({
      bySystem: { a: { coverage: { value: 9 } } },
      across: { frontier_cost_of_pass: { value: 9 } },
    }));
    const { summary, across, notes } = summarize([...rows, row("b", 2, "pass")], [greedy], CONTEXT);
    expect(summary.a?.coverage).toBe(1);
    expect(across.frontier_cost_of_pass).toBe(10);
    expect(notes).toHaveLength(2);
  });

  it("explains a missing frontier", () => {
    const { across, acrossReasons } = summarize([row("a", 1, "fail"), row("b", 1, "fail")], [], CONTEXT);
    expect(across.frontier_cost_of_pass).toBe(Infinity);
    expect(acrossReasons).toEqual({ frontier_cost_of_pass: "no system passed one of the tasks" });
  });

  it("keeps the first rank if two metrics rank", () => {
    const upside = new ParetoRank({ costField: "mean_score", qualityField: "cost_of_pass" });
    const { summary } = summarize([...rows, row("b", 2, "pass")], [...SEVEN, upside], CONTEXT);
    expect([summary.a?.pareto_rank, summary.b?.pareto_rank]).toEqual([1, 2]);
  });
});

describe("Metric.keys", () => {
  const usage = { input: 50, output: 10 };
  const rows = ["a", "b"].flatMap((system) =>
    [0, 1, 2].flatMap((id) =>
      [0, 1].map((trial) =>
        row(system, id, "pass", {
          trial,
          costUsd: 1,
          judgeCostUsd: 0.1,
          userCostUsd: 0.1,
          usage,
          dataset: id > 0 ? "d" : "",
        }),
      ),
    ),
  );

  it("declare exactly what the built-in metrics produce", () => {
    const { summary, notes } = summarize(rows, listNamedMetrics(), CONTEXT);
    const known = listSummaryKeys(listNamedMetrics(), { trials: 2, datasets: ["d", ""] });
    expect(Object.keys(summary.a ?? {}).filter((key) => !known.has(key))).toEqual([]);
    const headlines = [...known].filter((key) => !/_(ci_low|ci_high|n)$/.test(key));
    expect(headlines.filter((key) => summary.a?.[key] === undefined)).toEqual([]);
    expect(notes).toEqual([]);
  });

  it("include several trials only if there are several, and skip metrics without declared keys", () => {
    const silent: Metric = { name: "silent", compute: () => ({ silent: 1 }) };
    const known = listSummaryKeys([silent, { ...silent, keys: () => ["spoken"] }], { trials: 1, datasets: ["d"] });
    expect([...known].filter((key) => /^(pass_at|pass_hat|flaky|dataset:|silent)/.test(key))).toEqual([]);
    expect(known).toContain("spoken_ci_low");
  });
});

describe("the task index", () => {
  const twice = (id: number, scores: readonly number[]) =>
    scores.map((score, trial) => row("s", id, score >= 0.7 ? "pass" : "fail", { trial, scores: { score } }));

  it("is rebuilt if the same array was changed in place", () => {
    const rows = [...twice(1, [1, 1]), ...twice(2, [0, 0])];
    const metric = new TrialCurves();
    const before = metric.compute(rows);
    rows.sort((a, b) => a.trial - b.trial);
    expect(metric.compute(rows)).toEqual(before);
    rows.splice(0, 4, ...twice(1, [1, 0]), ...twice(2, [1, 0]));
    expect(metric.compute(rows).flaky_rate).toBe(1);
  });

  it("survives a metric that sorts its rows", () => {
    const rows = [...twice(1, [1, 1]), ...twice(2, [0, 0])];
    const sorting: Metric = {
      name: "sorting",
      compute: (own) => {
        (own as EvalRow[]).sort((a, b) => a.trial - b.trial);
        return {};
      },
    };
    const expected = summarize(rows, [new MeanScore()], CONTEXT).summary.s;
    expect(summarize(rows, [sorting, new MeanScore()], CONTEXT).summary.s).toEqual(expected);
  });

  it("uses the given rows if a metric passes its context on", () => {
    const rows = [...twice(1, [1, 0]), ...twice(2, [0, 0])];
    const partly: Metric = {
      name: "partly",
      compute: (own, context) => ({ second: new MeanScore().compute(own.slice(2), context).mean_score }),
    };
    expect(summarize(rows, [partly], CONTEXT).summary.s?.second).toBe(0);
  });

  it("is built once per system, and not kept if every row is a task", () => {
    const rows = [...twice(1, [1, 0]), ...twice(2, [0, 0])];
    const seen = new Set<unknown>();
    const looking = (name: string): Metric => ({
      name,
      compute: (own, context) => {
        seen.add(context?.tasksOf?.(own));
        return {};
      },
    });
    summarize(rows, [looking("one"), looking("two")], CONTEXT);
    expect([...seen]).toEqual([expect.objectContaining({ size: 2, taskOf: Uint32Array.of(0, 0, 1, 1) })]);
    seen.clear();
    summarize([row("s", 1, "pass"), row("s", 2, "pass")], [looking("one"), looking("two")], CONTEXT);
    expect([...seen]).toEqual([expect.objectContaining({ size: 2, taskOf: null })]);
  });
});
