import { describe, expect, it } from "vitest";
import { type EvalRow, makeRow } from "../core/row.js";
import { collectIntervals } from "../testing/intervals.js";
import { Latency } from "./latency.js";

function row(exampleId: number, latency: number | null, more: Partial<EvalRow> = {}): EvalRow {
  return makeRow({ system: "s", exampleId, outcome: "pass", latency, ...more });
}

describe("Latency", () => {
  it("interpolates quantiles linearly over measured rows", () => {
    const rows = [4, 1, 3, 2].map((latency, i) => row(i, latency));
    rows.push(row(9, null), row(10, 100, { outcome: "error" }), row(11, 100, { outcome: "skipped" }));
    const found: Record<string, number> = new Latency().compute(rows);
    expect(found.latency_mean).toBe(2.5);
    expect(found.latency_median).toBe(2.5);
    expect(found.latency_p95).toBeCloseTo(3.85, 12);
    expect(found.latency_p99).toBeCloseTo(3.97, 12);
  });

  it("includes unscored rows, because the system did its work", () => {
    expect(new Latency().compute([row(1, 7, { outcome: "unscored" })]).latency_mean).toBe(7);
  });

  it("averages over task means, and computes quantiles over all trials", () => {
    const rows = [row(1, 1), row(2, 2), row(2, 4, { trial: 1 }), row(2, 6, { trial: 2 })];
    const found: Record<string, number> = new Latency().compute(rows);
    expect(found.latency_mean).toBe(2.5);
    expect(found.latency_median).toBe(3);
    const bounds = collectIntervals(new Latency(), rows);
    for (const estimate of Object.values(bounds)) expect(estimate.n).toBe(2);
  });

  it("has order-statistic intervals, and no bound with too few tasks", () => {
    const rows = Array.from({ length: 72 }, (_, i) => row(i, ((i * 7) % 72) + 1));
    const bounds = collectIntervals(new Latency(), rows);
    // Ranks 28 and 45 of 72 are binomial for the median; 72 is the minimum for p95.
    expect(bounds.latency_median).toEqual({ low: 28, high: 45, n: 72 });
    expect(bounds.latency_p95).toMatchObject({ high: 72, n: 72 });
    expect(bounds.latency_p99).toMatchObject({ high: null, n: 72, reason: "too few tasks" });
    expect(collectIntervals(new Latency(), rows.slice(1)).latency_p95).toMatchObject({ high: null, n: 71 });
    expect(collectIntervals(new Latency(), rows.slice(0, 5)).latency_median).toMatchObject({ low: null, high: null });
  });

  it("treats the trials of a task as equal values, so that the interval is not narrower", () => {
    const rows = Array.from({ length: 30 }, (_, i) => row(i % 10, i, { trial: Math.floor(i / 10) }));
    // Ranks 2 and 9 of ten tasks with three values each: from the first value of the second to the last of the ninth.
    expect(collectIntervals(new Latency(), rows).latency_median).toEqual({ low: 3, high: 26, n: 10 });
  });

  it("is 0 without rows, with n = 0 and no interval", () => {
    expect(Object.values(new Latency().compute([]))).toEqual([0, 0, 0, 0]);
    for (const estimate of Object.values(collectIntervals(new Latency(), [])))
      expect(estimate).toMatchObject({ low: null, high: null, n: 0 });
  });
});
