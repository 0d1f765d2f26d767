import fc from "fast-check";
import { expect, test } from "vitest";
import type { MetricComparison } from "../../../../src/metrics/compare/index.js";
import { buildForestGroups } from "./forest.js";

function metric(known: Partial<MetricComparison>): MetricComparison {
  return {
    metric: "m",
    kind: "quality",
    a: 0.5,
    b: 0.5,
    difference: 0,
    low: null,
    high: null,
    ...known,
  } as MetricComparison;
}

test("groups scores on one scale, and cost, time and tokens relative to A", () => {
  const [quality, economy] = buildForestGroups([
    metric({ difference: 0.1, low: -0.02, high: 0.19 }),
    metric({ kind: "economy", a: 200, difference: -100, low: -180, high: -20 }),
  ]);
  expect(quality).toMatchObject({ limit: 0.2, isRelative: false });
  expect(quality?.rows[0]?.at).toBeCloseTo(0.75);
  expect(economy).toMatchObject({ limit: 1, isRelative: true });
  expect(economy?.rows[0]?.at).toBeCloseTo(0.25);
});

test("leaves out metrics without a difference or without a base", () => {
  expect(buildForestGroups([metric({ difference: null }), metric({ kind: "economy", a: 0, difference: 5 })])).toEqual(
    [],
  );
});

test("keeps everything inside the plot", () => {
  const value = fc.double({ min: -1e6, max: 1e6, noNaN: true });
  fc.assert(
    fc.property(
      fc.array(fc.record({ a: value, difference: value, half: fc.double({ min: 0, max: 1e6, noNaN: true }) })),
      (all) => {
        const metrics = all.map(({ a, difference, half }, i) =>
          metric({
            kind: i % 2 ? "economy" : "quality",
            a,
            difference,
            low: difference - half,
            high: difference + half,
          }),
        );
        for (const { rows } of buildForestGroups(metrics))
          for (const { at, low, high } of rows)
            for (const place of [at, low ?? 0, high ?? 0]) {
              expect(place).toBeGreaterThanOrEqual(-1e-9);
              expect(place).toBeLessThanOrEqual(1 + 1e-9);
            }
      },
    ),
  );
});

test("marks what is beyond the scale, with its real value", () => {
  const [, economy] = buildForestGroups([
    metric({ difference: 0.1, low: -0.02, high: 0.19 }),
    metric({ kind: "economy", a: 1, difference: 23, low: -12, high: 58 }),
    metric({ kind: "economy", a: 1, difference: 1, low: -2, high: 14 }),
    metric({ kind: "economy", a: 1, difference: 1, low: 0.5, high: 1.5 }),
  ]);
  expect(economy?.rows.map(({ cut }) => cut)).toEqual([
    { isLeft: true, isRight: true, isValue: true, text: "+2300 % [−1200 %, +5800 %]" },
    { isLeft: false, isRight: true, isValue: false, text: "+100 % [−200 %, +1400 %]" },
    { isLeft: false, isRight: false, isValue: false, text: null },
  ]);
});
