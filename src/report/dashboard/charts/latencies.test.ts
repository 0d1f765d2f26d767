import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { quantile } from "../../../stats/index.js";
import { createChartSystem } from "./chart-system.fixture.js";
import { buildLatencySpreads } from "./run-charts.js";

const spreads = (...lists: (number | null)[][]) =>
  buildLatencySpreads(
    lists.map((list, i) => createChartSystem(`s${i}`, { rows: list.map((latency) => ({ latency })) })),
  );

describe("buildLatencySpreads", () => {
  it("has type-7 quantiles, and bins that all systems share", () => {
    const [fast, slow] = spreads(
      Array.from({ length: 21 }, (_, i) => 21 - i),
      [100, 10],
    );
    expect(fast).toMatchObject({ n: 21, quantiles: { min: 1, p25: 6, p50: 11, p75: 16, p95: 20, max: 21 } });
    expect(slow).toMatchObject({ n: 2, quantiles: { p25: 32.5, p50: 55 } });
    expect(fast?.bins).toHaveLength(30);
    expect(fast?.bins.map(({ from }) => from)).toEqual(slow?.bins.map(({ from }) => from));
    expect([fast?.bins[0]?.from, fast?.bins.at(-1)?.to]).toEqual([1, 100]);
    expect([fast?.bins[0]?.count, slow?.bins.at(-1)?.count]).toEqual([1, 1]);
  });

  it("counts measured trials with an output", () => {
    const rows = [{ latency: 1 }, { latency: null }, { latency: 5, outcome: "error" as const }];
    expect(buildLatencySpreads([createChartSystem("a", { rows })])[0]?.n).toBe(1);
  });

  it.each([
    ["no values", [], []],
    ["one value", [2], [{ from: 2, to: 2, count: 1 }]],
    ["zeros", [0, 0], [{ from: 0, to: 0, count: 2 }]],
    ["a zero and one value", [0, 3], [{ from: 0, to: 3, count: 2 }]],
  ])("has few bins for %s", (_, values, bins) => {
    expect(spreads(values)[0]?.bins).toEqual(bins);
  });

  it("puts every value in one bin", () => {
    const seconds = fc.oneof(
      fc.constant(0),
      fc.double({ min: 0, max: 1e9, noNaN: true }),
      fc.integer({ min: 1, max: 9 }),
    );
    const lists = fc.array(
      fc.array(
        seconds.map((value) => value + 0),
        { maxLength: 20 },
      ),
      { minLength: 1, maxLength: 3 },
    );
    fc.assert(
      fc.property(lists, (values) => {
        for (const [i, { bins, n, quantiles }] of spreads(...values).entries()) {
          const own = values[i] ?? [];
          expect(n).toBe(own.length);
          expect(quantiles?.p95 ?? null).toBe(own.length === 0 ? null : quantile(own, 0.95));
          expect(bins.reduce((sum, { count }) => sum + count, 0)).toBe(own.length);
          for (const [at, { from, to, count }] of bins.entries()) {
            const isLast = at === bins.length - 1;
            expect(count).toBe(own.filter((value) => value >= from && (value < to || (isLast && value <= to))).length);
            if (bins.length > 1) expect(to).toBeGreaterThan(from);
          }
        }
      }),
    );
  });
});
