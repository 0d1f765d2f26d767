import fc from "fast-check";
import { expect, test } from "vitest";
import type { CardFigure, RunCard, SystemCard } from "../../../src/report/dashboard/contract.js";
import { computeCostSpeedLayout } from "./cost-speed.js";
import { buildBarsByRun, buildBarsBySystem, computeErrorColumns, computeErrorRows, rankCategories } from "./errors.js";
import { computeHeatMapLayout } from "./heat-map.js";
import { computeLatencyLayout } from "./latency.js";
import { findUnusableValues } from "./layout-testing.js";
import { getSeriesLook } from "./looks.js";
import { computePassCurvesLayout } from "./pass-curves.js";
import { computeQualityCostLayout } from "./quality-cost.js";
import { computeMeasureBars } from "./radar.js";
import { computeRadarLayout } from "./radar-layout.js";
import { computeTokenCostLayout } from "./token-cost.js";
import { buildTrendLines, computeTrendLayout } from "./trend.js";

// Property tests: no data may produce a position that is not a number.

const width = fc.integer({ min: 240, max: 1600 });
const name = fc.string({ maxLength: 30, unit: "grapheme" });
const share = fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }), fc.constantFrom(0, 1, 0.5));
const maybeShare = fc.option(share);
const amount = fc.oneof(fc.double({ min: 1e-9, max: 1e6, noNaN: true }), fc.constantFrom(0, 1));
const maybeAmount = fc.option(amount);
const drawing = { getLook: () => getSeriesLook(0), scale: "log" } as const;
const linear = { ...drawing, scale: "linear" } as const;
const view = { x: [1e-3, 10], y: [0.2, 0.7] } as const;
const zoomed = { ...drawing, view: { x: [0, 10], y: [0, 5] } } as const;
const drawings = [drawing, linear, zoomed, { ...drawing, view }, { ...linear, view }];

function draws<T>(data: fc.Arbitrary<T>, layout: (data: T, width: number) => unknown): void {
  fc.assert(
    fc.property(data, width, (some, wide) => {
      expect(findUnusableValues(layout(some, wide))).toEqual([]);
    }),
    { numRuns: 40 },
  );
}

function systems<T>(one: fc.Arbitrary<T>): fc.Arbitrary<(T & { system: string })[]> {
  return fc
    .array(fc.tuple(name, one), { maxLength: 40 })
    .map((all) => all.map(([start, item], index) => ({ ...item, system: `${start}${index}` })));
}

test("the quality–cost layout has finite positions for any data", () => {
  const points = systems(
    fc.record({
      harness: fc.option(name),
      cost: maybeAmount,
      quality: maybeShare,
      low: maybeShare,
      high: maybeShare,
      n: fc.nat(),
      dominatedBy: fc.array(name, { maxLength: 2 }),
      membership: maybeShare,
    }),
  );
  draws(points, (all, wide) => {
    const front = all.map(({ system }) => system);
    const costUnit = all.length % 2 === 0 ? "usd" : "tokens";
    return drawings.map((one) => computeQualityCostLayout({ costUnit, points: all, front, hull: front }, wide, one));
  });
});

test("the cost–speed layout has finite positions for any data", () => {
  const points = systems(
    fc.record({
      harness: fc.option(name),
      costPerPass: maybeAmount,
      secondsPerPass: maybeAmount,
      passRate: maybeShare,
      dominatedBy: fc.array(name, { maxLength: 2 }),
      leftOut: fc.option(name),
    }),
  );
  draws(points, (all, wide) =>
    drawings.map((one) =>
      computeCostSpeedLayout({ costUnit: "usd", points: all, front: all.map(({ system }) => system) }, wide, one),
    ),
  );
});

test("the radar and its bars have finite positions for any data", () => {
  const spokes = systems(fc.record({ value: maybeAmount, isClipped: fc.boolean() }));
  const unit = fc.constantFrom("seconds" as const, "usd" as const, "tokens" as const);
  const data = fc.record({ unit, limit: maybeAmount, spokes });
  draws(data, computeRadarLayout);
  draws(data, computeMeasureBars);
});

function card(system: string, value: number | null, errors: number): SystemCard {
  const figures = { pass_rate: value, pass_rate_ci_low: value, pass_rate_ci_high: value, cost_per_pass_usd: value };
  return {
    system,
    harness: null,
    model: null,
    figures: figures as unknown as Record<CardFigure, number | null>,
    k: 1,
    outcomes: { pass: 3, fail: 2, error: errors, unscored: 0, skipped: 0 },
    categories: errors === 0 ? {} : { api_error: errors, cost_killed: 1 },
    costUsd: value,
  };
}

const run = fc
  .record({
    id: fc.uuid(),
    date: fc.oneof(fc.date({ noInvalidDate: true }).map(String), fc.constant("")),
    cards: systems(fc.record({ value: maybeAmount, errors: fc.nat(20) })),
  })
  .map(
    ({ id, date, cards }): RunCard => ({
      id,
      title: id,
      createdAt: date,
      status: "complete",
      command: null,
      planned: 1,
      done: 1,
      datasets: [],
      tags: [],
      runTags: [],
      systems: cards.map(({ system, value, errors }) => card(system, value, errors)),
      costUsd: null,
      unpricedSystems: 0,
      wallSeconds: null,
      threshold: 0.7,
      parent: null,
      problem: null,
    }),
  );
const runs = fc.array(run, { maxLength: 12 });

test("the trend layout has finite positions for any data", () => {
  for (const figure of ["pass_rate", "cost_per_pass_usd"] as const)
    for (const scale of ["log", "linear"] as const)
      draws(runs, (all, width) =>
        [undefined, { x: [1.7e12, 1.8e12], y: [0, 1] } as const].map((some) =>
          computeTrendLayout(buildTrendLines(all, figure), { figure, scale, width, view: some }),
        ),
      );
});

test("the error columns and rows have finite positions for any data", () => {
  draws(runs, (all, wide) => {
    const [byRun, bySystem] = [buildBarsByRun(all), buildBarsBySystem(all)];
    const faultsOf = (bars: typeof byRun) => rankCategories(bars).map(({ category }) => category);
    return [computeErrorColumns(byRun, faultsOf(byRun), wide), computeErrorRows(bySystem, faultsOf(bySystem), wide)];
  });
});

test("the pass curve layout has finite positions for any data", () => {
  const point = fc.record({
    k: fc.integer({ min: 1, max: 50 }),
    n: fc.nat(),
    passAt: maybeShare,
    passAtLow: maybeShare,
    passAtHigh: maybeShare,
    passHat: maybeShare,
    passHatLow: maybeShare,
    passHatHigh: maybeShare,
  });
  const curves = systems(fc.record({ points: fc.uniqueArray(point, { maxLength: 8, selector: ({ k }) => k }) }));
  draws(curves, computePassCurvesLayout);
});

test("the heat map layout has finite positions for any data", () => {
  const map = fc.record({
    system: name,
    dataset: name,
    xField: name,
    yField: name,
    xs: fc.uniqueArray(fc.oneof(name, fc.integer()), { maxLength: 30 }),
    ys: fc.uniqueArray(fc.oneof(name, fc.double({ noNaN: true, noDefaultInfinity: true })), { maxLength: 30 }),
    cells: fc.array(fc.record({ x: fc.nat(29), y: fc.nat(29), mean: fc.option(amount), n: fc.nat() })),
  });
  draws(fc.array(map, { maxLength: 6 }), (maps, wide) =>
    computeHeatMapLayout(
      maps.map((data) => ({ ...data, ys: data.ys.map((value) => (value === 0 ? 0 : value)) })),
      wide,
    ),
  );
});

test("the token cost layout has finite positions for any data, in both units", () => {
  const part = fc.record({ tokens: fc.nat(), costUsd: maybeAmount });
  const costs = systems(
    fc.record({
      costUsd: maybeAmount,
      unknownCosts: fc.nat(),
      classes: fc.tuple(part, part).map(([one, other]) => [
        { name: "input" as const, ...one },
        { name: "output" as const, ...other },
      ]),
    }),
  );
  for (const unit of ["dollars", "tokens"] as const)
    draws(costs, (all, wide) => computeTokenCostLayout(all, unit, wide));
});

test("the latency layout has finite positions for any data", () => {
  const edges = fc.array(amount, { minLength: 2, maxLength: 12 }).map((all) => all.sort((a, b) => a - b));
  const spreads = systems(
    fc.tuple(edges, fc.array(fc.nat(), { minLength: 12, maxLength: 12 })).map(([all, counts]) => ({
      n: 1,
      quantiles: { min: 0, p25: 0, p50: all[0] ?? 0, p75: 0, p95: all.at(-1) ?? 0, p99: 0, max: 0 },
      bins: all.slice(1).map((to, index) => ({ from: all[index] ?? 0, to, count: counts[index] ?? 0 })),
    })),
  );
  draws(spreads, computeLatencyLayout);
});
