import { describe, expect, it } from "vitest";
import { intervals } from "../../test/intervals.js";
import { type EvalRow, makeRow } from "../core/row.js";
import { Latency } from "./latency.js";

function row(exampleId: number, latency: number | null, more: Partial<EvalRow> = {}): EvalRow {
  return makeRow({ system: "s", exampleId, outcome: "pass", latency, ...more });
}

describe("Latency", () => {
  it("interpolates quantiles linearly over the rows that were measured", () => {
    const rows = [4, 1, 3, 2].map((latency, i) => row(i, latency));
    rows.push(row(9, null), row(10, 100, { outcome: "error" }), row(11, 100, { outcome: "skipped" }));
    const found: Record<string, number> = new Latency().compute(rows);
    expect(found.latency_mean).toBe(2.5);
    expect(found.latency_median).toBe(2.5);
    expect(found.latency_p95).toBeCloseTo(3.85, 12);
    expect(found.latency_p99).toBeCloseTo(3.97, 12);
  });

  it("counts rows that could not be scored: the system did its work", () => {
    expect(new Latency().compute([row(1, 7, { outcome: "unscored" })]).latency_mean).toBe(7);
  });

  it("takes the mean over tasks of the task's mean, and quantiles over all trials", () => {
    const rows = [row(1, 1), row(2, 2), row(2, 4, { trial: 1 }), row(2, 6, { trial: 2 })];
    const found: Record<string, number> = new Latency().compute(rows);
    expect(found.latency_mean).toBe(2.5);
    expect(found.latency_median).toBe(3);
    const bounds = intervals(new Latency(), rows);
    for (const estimate of Object.values(bounds)) expect(estimate.n).toBe(2);
  });

  it("has an interval around every key, the same for the same seed", () => {
    const rows = Array.from({ length: 40 }, (_, i) => row(i, (i * 7) % 40));
    const context = { scoreField: "score", threshold: 0.7, seed: 3 };
    const found: Record<string, number> = new Latency().compute(rows);
    const bounds = intervals(new Latency(), rows, context);
    expect(Object.keys(bounds)).toEqual(Object.keys(found));
    for (const [key, { low, high, n }] of Object.entries(bounds)) {
      expect(n).toBe(40);
      expect(low).toBeLessThanOrEqual(found[key] ?? Number.NaN);
      expect(high).toBeGreaterThanOrEqual(found[key] ?? Number.NaN);
    }
    expect(intervals(new Latency(), rows, context)).toEqual(bounds);
  });

  it("is 0 without rows, with n = 0 and no interval beside it", () => {
    expect(Object.values(new Latency().compute([]))).toEqual([0, 0, 0, 0]);
    for (const estimate of Object.values(intervals(new Latency(), [])))
      expect(estimate).toMatchObject({ low: null, high: null, n: 0 });
  });
});
