import { describe, expect, it } from "vitest";
import type { Metric } from "../core/metric.js";
import { type EvalRow, makeRow } from "../core/row.js";
import {
  amountInterval,
  passCurves,
  passRateInterval,
  quantileInterval,
  ratioInterval,
  wilsonInterval,
} from "../stats/index.js";
import { collectIntervals } from "../testing/intervals.js";
import { CompressionRatio } from "./compression-ratio.js";
import { CostOfPass } from "./cost-of-pass.js";
import { Coverage } from "./coverage.js";
import { Economy } from "./economy.js";
import { FacetBreakdown } from "./facet-breakdown.js";
import { Latency } from "./latency.js";
import { MeanScore } from "./mean-score.js";
import { MemoryEfficiency } from "./memory-efficiency.js";
import { PassRate } from "./pass-rate.js";
import { PerDatasetBreakdown } from "./per-dataset-breakdown.js";
import { summarize } from "./summarize.js";
import { TrialCurves } from "./trial-curves.js";

const CONTEXT = { scoreField: "score", threshold: 0.7, seed: 3 };
/** The scores of the reference values, and the group of each. */
const SCORES = [1, 1, 1, 0, 0, 1, 0, 1];
const GROUPS = ["a", "a", "a", "b", "b", "c", "c", "c"];
const TOKENS = [10, 12, 14, 90, 70, 30, 35, 20];
const SECONDS = [1, 1.1, 1.2, 5, 4, 2, 2.5, 3];

function row(index: number, more: Partial<EvalRow> = {}): EvalRow {
  const score = SCORES[index] ?? 0;
  return makeRow({
    system: "s",
    dataset: "d",
    exampleId: index,
    outcome: score === 1 ? "pass" : "fail",
    passed: score === 1,
    scores: { f1: score },
    primaryField: "f1",
    group: GROUPS[index] ?? null,
    inputTokens: 100,
    outputTokens: TOKENS[index] ?? 0,
    costUsd: (TOKENS[index] ?? 0) / 1000,
    latency: SECONDS[index] ?? null,
    metadata: { contextTokens: TOKENS[index], historyTokens: 1000, queryMs: (SECONDS[index] ?? 0) * 1000 },
    facets: { subject: "law" },
    ...more,
  });
}

const ROWS = SCORES.map((_, i) => row(i));
const clusters = GROUPS;

describe("rows in groups", () => {
  const mean = { ...bounds(passRateInterval(SCORES, 8, { clusters })), n: 8, groups: 3 };

  it("have means with clustered intervals", () => {
    expect(collectIntervals(new MeanScore(), ROWS, CONTEXT).mean_score).toEqual(mean);
    expect(collectIntervals(new PerDatasetBreakdown(), ROWS, CONTEXT)["dataset:d"]).toEqual(mean);
    expect(collectIntervals(new FacetBreakdown(), ROWS, CONTEXT)["facet:subject=law"]).toEqual(mean);
    const tokens = { ...bounds(amountInterval(TOKENS, { clusters })), n: 8, groups: 3 };
    expect(collectIntervals(new CompressionRatio(), ROWS).mean_output_tokens).toEqual(tokens);
    expect(collectIntervals(new MemoryEfficiency(), ROWS, CONTEXT).mean_context_tokens).toEqual(tokens);
    expect(collectIntervals(new Economy(), ROWS).mean_cost_usd).toMatchObject({ n: 8, groups: 3 });
  });

  it("have rates at the effective number of trials", () => {
    const rate = { ...bounds(passRateInterval(SCORES, 8, { clusters })), n: 8, groups: 3 };
    expect(collectIntervals(new PassRate(), ROWS, CONTEXT).pass_rate).toEqual(rate);
    const all = passRateInterval(Array(8).fill(1), 8, { clusters });
    expect(collectIntervals(new Coverage(), ROWS).coverage).toEqual({ ...bounds(all), n: 8, groups: 3 });
  });

  it("have ratios over the sums of groups", () => {
    const found = { ...bounds(ratioInterval(TOKENS, SCORES, { clusters })), n: 8, groups: 3 };
    expect(collectIntervals(new CostOfPass(), ROWS, CONTEXT).cost_of_pass).toMatchObject(found);
    expect(collectIntervals(new Economy(), ROWS).tokens_per_pass_output).toMatchObject(found);
    expect(collectIntervals(new Economy(), ROWS).cost_per_pass_usd).toMatchObject({ n: 8, groups: 3 });
    expect(collectIntervals(new CompressionRatio(), ROWS).compression_ratio).toMatchObject({ n: 8, groups: 3 });
    const share = ratioInterval(TOKENS, Array(8).fill(1000), { clusters });
    expect(collectIntervals(new MemoryEfficiency(), ROWS, CONTEXT).context_share).toMatchObject({
      ...bounds(share),
      groups: 3,
    });
  });

  it("count groups as units for quantiles, so that three have no bound", () => {
    const none = { low: null, high: null, n: 8, groups: 3, reason: "too few groups" };
    expect(collectIntervals(new Latency(), ROWS, CONTEXT).latency_median).toEqual(none);
    expect(collectIntervals(new MemoryEfficiency(), ROWS, CONTEXT).query_seconds_p50).toEqual(none);
    const many = Array.from({ length: 24 }, (_, i) => row(i, { group: i % 8, latency: i }));
    const found = quantileInterval(
      Float64Array.from({ length: 24 }, (_, i) => i),
      0.5,
      { units: 8 },
    );
    expect(found).toEqual({ low: 0, high: 23 });
    expect(collectIntervals(new Latency(), many, CONTEXT).latency_median).toEqual({ ...found, n: 24, groups: 8 });
  });

  it("keep their groups with several trials, whichever trial has the value", () => {
    const again = ROWS.map((own, i) => row(i, { ...own, trial: 1, ...(i === 4 ? { passed: true } : {}) }));
    const failed = row(2, { trial: 2, outcome: "error", passed: null, scores: {} });
    const rows = [...again, failed, ...ROWS];
    const trials = SCORES.map((score, i) => ({ n: 2, c: i === 4 ? 1 : 2 * score }));
    const [, second] = passCurves(trials, { clusters });
    const found = collectIntervals(new TrialCurves(), rows, CONTEXT);
    expect(found.pass_hat_2).toEqual({ ...second?.passHatKInterval, n: 8, groups: 3 });
    expect(found.flaky_rate).toMatchObject({ n: 8, groups: 3 });
    expect(collectIntervals(new Latency(), rows, CONTEXT).latency_p95).toMatchObject({ n: 8, groups: 3 });
    expect(collectIntervals(new MeanScore(), rows, CONTEXT).mean_score).toMatchObject({ n: 8, groups: 3 });
  });

  it("have no interval for one group, with a reason", () => {
    const one = ROWS.slice(0, 3);
    const metrics: Metric[] = [
      new MeanScore(),
      new PassRate(),
      new CostOfPass(),
      new Latency(),
      new MemoryEfficiency(),
    ];
    for (const metric of metrics) {
      for (const interval of Object.values(collectIntervals(metric, one, CONTEXT)))
        expect(interval).toEqual({ low: null, high: null, n: 3, groups: 1, reason: "one group" });
    }
    const { summary, reasons } = summarize(one, [new MeanScore()], CONTEXT);
    expect(summary.s).toMatchObject({ mean_score: 1, mean_score_ci_low: null, mean_score_n: 3, mean_score_groups: 1 });
    expect(reasons.s?.mean_score_ci_low).toBe("one group");
  });

  it("are separate per dataset, and a row without a group is its own", () => {
    const mixed = [...ROWS, row(0, { dataset: "e" }), row(1, { dataset: "e" }), row(5, { dataset: "f", group: null })];
    expect(collectIntervals(new MeanScore(), mixed, CONTEXT).mean_score).toMatchObject({ n: 11, groups: 5 });
    const numbered = [row(0, { group: 1 }), row(1, { group: 1 }), row(2, { group: "1" })];
    expect(collectIntervals(new MeanScore(), numbered, CONTEXT).mean_score).toMatchObject({ n: 3, groups: 2 });
  });

  it("have plain intervals if no two tasks share a group", () => {
    const alone = ROWS.map((own, i) => row(i, { ...own, group: i }));
    const without = ROWS.map((own, i) => row(i, { ...own, group: null }));
    const metrics = [new PassRate(), new MeanScore(), new Latency(), new CostOfPass()];
    expect(summarize(alone, metrics, CONTEXT)).toEqual(summarize(without, metrics, CONTEXT));
    const scored = [ROWS[0], ROWS[3], ROWS[5]].flatMap((own) => own ?? []);
    const errors = GROUPS.map((group, i) => row(i + 20, { group, outcome: "error", scores: {} }));
    const { mean_score } = collectIntervals(new MeanScore(), [...scored, ...errors], CONTEXT);
    expect(mean_score).toEqual({ ...wilsonInterval(2, 3), n: 3 });
  });

  it("are indexed again if a metric has reordered the rows", () => {
    const turning: Metric = {
      name: "turning",
      compute: (rows) => {
        (rows as EvalRow[]).sort((a, b) => Number(b.exampleId) - Number(a.exampleId));
        return {};
      },
    };
    const last: Metric = {
      name: "last",
      compute: () => ({}),
      estimate: (rows, context) => ({ late: new MeanScore().estimate(rows, context).mean_score }),
    };
    const uneven = [0, 1, 2, 3].map((i) => row(i, { group: i < 3 ? "a" : "b" }));
    const { summary } = summarize(uneven, [new MeanScore(), turning, last], CONTEXT);
    expect(summary.s?.late_ci_low).toBeCloseTo(summary.s?.mean_score_ci_low ?? Number.NaN, 12);
  });
});

describe("a summary", () => {
  it("has the number of groups for every interval over groups, and only there", () => {
    const { summary } = summarize(ROWS, [new MeanScore(), new PassRate(), new CostOfPass(), new Latency()], CONTEXT);
    const own = summary.s ?? {};
    const withBounds = Object.keys(own).filter((key) => key.endsWith("_ci_low"));
    expect(withBounds.length).toBeGreaterThan(10);
    for (const key of withBounds) expect([key, own[key.replace(/_ci_low$/, "_groups")]]).toEqual([key, 3]);
    const without = summarize(
      ROWS.map((each, i) => row(i, { ...each, group: null })),
      [new MeanScore()],
      CONTEXT,
    );
    expect(Object.keys(without.summary.s ?? {}).filter((key) => key.endsWith("_groups"))).toEqual([]);
  });
});

function bounds({ low, high }: { low: number | null; high: number | null }) {
  return { low, high };
}
