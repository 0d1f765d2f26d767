import { expect, test } from "vitest";
import type {
  CostSpeedChart,
  CostSpeedPoint,
  LatencySpread,
  QualityCostChart,
  QualityCostPoint,
  RunCard,
  TokenCost,
} from "../../../src/report/dashboard/contract.js";
import { computeMarkArea, describeCostSpeed, listCostSpeedNotes } from "./cost-speed.js";
import { buildBarsByRun, buildBarsBySystem, buildErrorTable, describeErrors, rankCategories } from "./errors.js";
import { buildHeatMapTable, computeColorDomain, computeColorStep, describeHeatMaps } from "./heat-map.js";
import { describeLatencies } from "./latency.js";
import { describePassCurves } from "./pass-curves.js";
import { describeQualityBars } from "./quality-bars.js";
import { buildQualityCostTable, describeQualityCost, listQualityCostNotes } from "./quality-cost.js";
import { describeRadar, listRadarNotes, toCostMeasure, toSpeedMeasure } from "./radar.js";
import { computeRadarLayout } from "./radar-layout.js";
import {
  buildTokenCostTable,
  computeTotal,
  describeTokenCosts,
  isFullyPriced,
  listCostParts,
  listTokenCostNotes,
} from "./token-cost.js";
import { describeTopErrors, getErrorName, removeCode } from "./top-errors.js";
import { buildTrendLines, buildTrendTable, describeTrend, listTrendNotes } from "./trend.js";

const point: QualityCostPoint = {
  system: "a",
  harness: null,
  cost: 0.01,
  quality: 0.5,
  low: 0.4,
  high: 0.6,
  n: 10,
  dominatedBy: [],
  membership: null,
};

test("quality and cost: describes the front, dominated systems, and systems that are not drawn", () => {
  const points = [
    point,
    { ...point, system: "b", quality: 0.9, cost: 1 },
    { ...point, system: "c", quality: 0.4, dominatedBy: ["a"] },
  ];
  const data: QualityCostChart = {
    costUnit: "usd",
    points: [...points, { ...point, system: "d", cost: null }],
    front: ["a", "b"],
    hull: ["a", "b"],
  };
  expect(describeQualityCost(data)).toBe(
    "Cheapest on the front: a. Best: b. 1 of 3 systems is dominated: another one is at least as good and as cheap, and better in one of the two.",
  );
  expect(listQualityCostNotes(data)).toEqual(["Not shown: d (cost unknown)."]);
  expect(buildQualityCostTable(data).rows).toHaveLength(4);
  expect(describeQualityCost({ ...data, points: [], front: [], hull: [] })).toContain("Nothing to show");
});

test("quality and cost: describes tokens where no cost is known", () => {
  const points = [
    { ...point, cost: 1234.5 },
    { ...point, system: "b", cost: 2000, quality: 0.4, dominatedBy: ["a"] },
    { ...point, system: "c", cost: null },
  ];
  const data: QualityCostChart = { costUnit: "tokens", points, front: ["a"], hull: ["a"] };
  expect(describeQualityCost(data)).toBe(
    "No price is known, so output tokens stand in for cost. On the front: only a. 1 of 2 systems is dominated: another one is at least as good and as brief, and better in one of the two.",
  );
  expect(listQualityCostNotes(data)).toEqual(["Not shown: c (output tokens unknown)."]);
  const { columns, rows } = buildQualityCostTable(data);
  const place = columns.indexOf("Output tokens per attempt");
  expect(rows.map((cells) => cells[place])).toEqual(["1,235", "2,000", "–"]);
  expect(JSON.stringify(rows)).not.toContain("$");
});

test("quality and cost: names a member of the front that is below the hull", () => {
  const points = ["a", "b", "c"].map((system, index) => ({
    ...point,
    system,
    cost: index + 1,
    quality: index / 10,
  }));
  expect(describeQualityCost({ costUnit: "usd", points, front: ["a", "b", "c"], hull: ["a", "c"] })).toContain(
    "Splitting the questions between two others matches b for less.",
  );
});

test("cost and speed: gives the reason for each system left out, and larger marks for higher success rates", () => {
  const placed: CostSpeedPoint = {
    system: "a",
    harness: null,
    costPerPass: 1,
    secondsPerPass: 2,
    passRate: 0.5,
    dominatedBy: [],
    leftOut: null,
  };
  const out = { ...placed, system: "b", costPerPass: null, leftOut: "nothing passed" };
  const data: CostSpeedChart = { costUnit: "usd", points: [placed, out, { ...out, system: "c" }], front: ["a"] };
  const worse = { ...placed, system: "d", costPerPass: 2, secondsPerPass: 3, dominatedBy: ["a"] };
  expect(describeCostSpeed({ ...data, points: [...data.points, worse] })).toMatch(
    /^Per success, a is both the cheapest and the fastest\. 1 of 2 systems is dominated\./,
  );
  expect(describeCostSpeed(data)).toBe("Per success, failures included, a needs $1.00 and 2.00 s.");
  expect(describeCostSpeed({ ...data, costUnit: "tokens" })).toMatch(/^No price is known, so output tokens stand in/);
  expect(describeCostSpeed({ ...data, points: [out] })).toBe(
    "Nothing to show: no system has both a cost and a time per success.",
  );
  expect(listCostSpeedNotes(data)).toEqual(["Not shown: b and c (nothing passed)."]);
  expect(computeMarkArea(1) - computeMarkArea(0.5)).toBeCloseTo(computeMarkArea(0.5) - computeMarkArea(0));
  expect(computeMarkArea(null)).toBe(computeMarkArea(0));
});

test("radar: orders systems by time, and gives the real time of each clipped system", () => {
  const spokes = [
    { system: "b", seconds: 400, isClipped: true },
    { system: "c", seconds: null, isClipped: false },
    { system: "a", seconds: 2, isClipped: false },
  ];
  const measure = toSpeedMeasure({ limitSeconds: 30, spokes });
  expect(measure.spokes.map(({ system }) => system)).toEqual(["a", "b", "c"]);
  expect(describeRadar(measure)).toBe(
    "Median time to success: a is the fastest with 2.00 s, b the slowest with 6 min 40 s.",
  );
  expect(listRadarNotes(measure)).toEqual([
    "Clipped at 30.00 s, five times the median of the systems. Actual: b (6 min 40 s).",
    "Not shown: c (nothing passed, or not measured).",
  ]);
});

test("radar: marks the ring at which values are cut, and names every value", () => {
  const spokes = [0.01, 0.02, 0.03, 9].map((cost, place) => ({ system: `s${place}`, cost, isClipped: cost > 1 }));
  const { rings, names, points } = computeRadarLayout(toCostMeasure({ unit: "usd", limit: 0.125, spokes }), 600);
  expect(rings.filter(({ isCut }) => isCut)).toMatchObject([{ text: "clipped" }]);
  expect(names.at(-1)?.value).toBe("$9.00 (clipped)");
  expect(points.map(({ isClipped }) => isClipped)).toEqual([false, false, false, true]);
});

test("radar: keeps every label in the picture, outside of the circle, and clear of the others", () => {
  for (const count of [3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    for (const width of [340, 440, 520, 660, 900, 1400]) {
      const spokes = Array.from({ length: count }, (_, place) => ({
        system: place % 3 === 0 ? `s${place}` : `pioneer-reasoner-${place} [opencode]`,
        seconds: 40 + 397 * place,
        isClipped: place > count / 2,
      }));
      const { names, radius, middle, height } = computeRadarLayout(
        toSpeedMeasure({ limitSeconds: 900, spokes }),
        width,
      );
      const where = `${count} systems, ${width} px`;
      expect(names, where).toHaveLength(count);
      for (const { box } of names) {
        expect(box.x, where).toBeGreaterThanOrEqual(0);
        expect(box.x + box.width, where).toBeLessThanOrEqual(width);
        expect(box.y, where).toBeGreaterThanOrEqual(0);
        expect(box.y + box.height, where).toBeLessThanOrEqual(height);
        const across = Math.max(box.x - middle.x, middle.x - box.x - box.width, 0);
        const down = Math.max(box.y - middle.y, middle.y - box.y - box.height, 0);
        expect(Math.hypot(across, down), where).toBeGreaterThan(radius);
      }
      for (const [place, { box }] of names.entries())
        for (const { box: other } of names.slice(place + 1)) {
          const isApart =
            box.x + box.width <= other.x ||
            other.x + other.width <= box.x ||
            box.y + box.height <= other.y ||
            other.y + other.height <= box.y;
          expect(isApart, where).toBe(true);
        }
    }
});

test("radar: says in one sentence that no cost is known", () => {
  const measure = toCostMeasure({
    unit: "tokens",
    limit: null,
    spokes: [{ system: "a", cost: null, isClipped: false }],
  });
  expect(describeRadar(measure)).toMatch(/^No cost per success is known/);
  expect(listRadarNotes(measure)).toEqual([]);
});

function runOf(id: string, createdAt: string, { rate, errors }: { rate: number | null; errors: number }): RunCard {
  const figures = { pass_rate: rate, pass_rate_ci_low: null, pass_rate_ci_high: null, error_rate: errors / 10 };
  const system = {
    system: "s",
    harness: null,
    model: null,
    figures,
    k: 1,
    outcomes: { pass: 10 - errors, fail: 0, error: errors, unscored: 0, skipped: 0 },
    categories: { api_error: errors, cost_killed: 1, none: 3 },
    costUsd: 0.5,
  };
  const card = { id, title: id, createdAt, status: "complete", systems: [system], wallSeconds: 3, costUsd: 0.5 };
  return card as unknown as RunCard;
}

const runs = [
  runOf("two", "2026-11-02T00:00:00Z", { rate: 0.9, errors: 5 }),
  runOf("one", "2026-11-01T00:00:00Z", { rate: 0.5, errors: 0 }),
  runOf("three", "2026-11-03T00:00:00Z", { rate: 0.75, errors: 4 }),
  runOf("none", "", { rate: 0.75, errors: 0 }),
];

test("trend: orders runs by time, and leaves a point blank when half of its trials had infrastructure errors", () => {
  const lines = buildTrendLines(runs, "pass_rate");
  expect(lines[0]?.points.map(({ run, blank }) => [run.id, blank !== null])).toEqual([
    ["one", false],
    ["two", true],
    ["three", false],
  ]);
  expect(describeTrend(lines, "pass_rate")).toBe("Over 3 runs: s went from 50 % to 75 %.");
  const still = runs.map((run) => ({ ...run, systems: runs.find(({ id }) => id === "one")?.systems ?? [] }));
  expect(describeTrend(buildTrendLines(still, "pass_rate"), "pass_rate")).toContain("s stayed at 50 %");
  expect(listTrendNotes(lines, runs)).toEqual([
    "1 point left blank: infrastructure errors in at least half of the trials.",
    "1 run without a date left out.",
  ]);
  expect(buildTrendTable(lines, "pass_rate").rows[1]?.slice(3, 5)).toEqual([
    "50 % of the trials had infrastructure errors",
    "–",
  ]);
});

test("trend: does not count skipped trials when it decides that a point is blank", () => {
  const stopped = runOf("stopped", "2026-11-04T00:00:00Z", { rate: 1, errors: 8 });
  const systems = stopped.systems.map((card) => ({ ...card, outcomes: { ...card.outcomes, skipped: 90 } }));
  const [line] = buildTrendLines([{ ...stopped, systems }], "pass_rate");
  expect(line?.points[0]?.blank).toBe("80 % of the trials had infrastructure errors");
});

test("trend: says how many more systems are in the table", () => {
  const run = runOf("one", "2026-11-01T00:00:00Z", { rate: 0.5, errors: 0 });
  const systems = ["a", "b", "c", "d"].flatMap((system) => run.systems.map((card) => ({ ...card, system })));
  expect(describeTrend(buildTrendLines([{ ...run, systems }], "error_rate"), "error_rate")).toMatch(
    /; 1 more in the table\.$/,
  );
});

test("trend: never leaves a point of the error rate blank", () => {
  expect(buildTrendLines(runs, "error_rate")[0]?.points.every(({ blank }) => blank === null)).toBe(true);
});

test("errors: adds up categories, the most frequent first, without trials that had none", () => {
  const bars = buildBarsBySystem(runs);
  expect(bars).toMatchObject([{ key: "s", trials: 40, counts: { api_error: 9, cost_killed: 4 } }]);
  expect(rankCategories(bars)).toEqual([
    { category: "api_error", count: 9 },
    { category: "cost_killed", count: 4 },
  ]);
  expect(buildBarsByRun(runs.slice(0, 3)).map(({ key }) => key)).toEqual(["one", "two", "three"]);
  expect(describeErrors(bars, "system")).toBe(
    "Over 1 system with 40 trials, the most frequent categories are api_error (9, 22.5 %), cost_killed (4, 10 %).",
  );
  expect(buildErrorTable(bars, "system").columns).toEqual(["System", "Trials", "api_error", "cost_killed"]);
  expect(describeErrors([], "run")).toContain("Nothing to show");
});

test("pass curves: says that one trial per example shows no reliability", () => {
  const at = (k: number) => ({
    k,
    n: 9,
    passAt: 0.9,
    passAtLow: null,
    passAtHigh: null,
    passHat: 0.2,
    passHatLow: null,
    passHatHigh: null,
  });
  expect(describePassCurves([{ system: "s", points: [at(1)] }])).toMatch(/^Each example was tried once/);
  expect(describePassCurves([{ system: "s", points: [at(1), at(2)] }])).toContain(
    "passes at least 1 of 2 trials on 90 % of tasks and all 2 on 20 %",
  );
  expect(describePassCurves([])).toContain("Nothing to show");
});

test("heat map: colors go from 0 to 1, and cells without data are counted", () => {
  const map = {
    system: "s",
    dataset: "needle",
    xField: "length",
    yField: "depth",
    xs: [1, 2],
    ys: [0.5],
    cells: [{ x: 0, y: 0, mean: 0.25, n: 4 }],
  };
  expect(computeColorDomain([map])).toEqual([0, 1]);
  expect([0, 0.5, 1].map((value) => computeColorStep(value, [0, 1]))).toEqual([0, 3, 6]);
  expect(describeHeatMaps([map])).toBe("The mean score is 0.25 everywhere. 1 cell has no data.");
  const other = { ...map, system: "t", xs: [2], cells: [{ x: 0, y: 0, mean: 0.75, n: 2 }] };
  expect(describeHeatMaps([map, other])).toBe(
    "Lowest mean score: 0.25, s at depth 0.5, length 1. Highest: 0.75, t at depth 0.5, length 2. 1 cell has no data.",
  );
  expect(buildHeatMapTable([map, other]).rows).toEqual([
    ["s", "0.5", "0.250 (4)", "no data"],
    ["t", "0.5", "no data", "0.750 (2)"],
  ]);
});

test("token cost: uses dollars where every class has a price, and says where prices are not known", () => {
  const priced: TokenCost = {
    system: "a",
    costUsd: 3,
    unknownCosts: 0,
    classes: [
      { name: "input", tokens: 10, costUsd: 1 },
      { name: "output", tokens: 5, costUsd: 2 },
    ],
  };
  const bare: TokenCost = {
    system: "b",
    costUsd: null,
    unknownCosts: 1,
    classes: [{ name: "input", tokens: 10, costUsd: null }],
  };
  expect([isFullyPriced(priced), isFullyPriced(bare)]).toEqual([true, false]);
  expect([computeTotal(priced, "dollars"), computeTotal(bare, "dollars"), computeTotal(bare, "tokens")]).toEqual([
    3,
    null,
    10,
  ]);
  expect(describeTokenCosts([priced], "dollars")).toBe("a cost $3.00, 66.7 % of it for output.");
  expect(describeTokenCosts([priced, { ...bare, costUsd: null }], "dollars")).toMatch(
    /^Of 1 system with a bar, a is the/,
  );
  expect(describeTokenCosts([bare], "tokens")).toContain("The bars are tokens, not dollars.");
  expect(listTokenCostNotes([priced, bare], "dollars")).toEqual(["No bar: b (the price of the tokens is unknown)."]);
  expect(listTokenCostNotes([{ ...priced, costUsd: 2 }], "dollars")[0]).toContain("A vertical line");
});

test("token cost: draws billed cost that cannot be split, and finds the most expensive system by its bill", () => {
  const usage = { name: "input", tokens: 10, costUsd: 1 } as const;
  const steady = { system: "steady", classes: [{ ...usage, costUsd: 2 }], costUsd: 2, unknownCosts: 0 };
  const stopped = { system: "stopped", classes: [usage], costUsd: 50, unknownCosts: 0 };
  const silent = { system: "silent", classes: [], costUsd: 10, unknownCosts: 0 };
  const costs = [steady, stopped, silent];
  expect(costs.map((cost) => computeTotal(cost, "dollars"))).toEqual([2, 50, 10]);
  expect(listCostParts(stopped, "dollars").map(({ name, costUsd }) => [name, costUsd])).toEqual([
    ["input", 1],
    ["notSplit", 49],
  ]);
  expect(listCostParts(steady, "dollars").map(({ name }) => name)).toEqual(["input"]);
  expect(listCostParts(stopped, "tokens").map(({ name }) => name)).toEqual(["input"]);
  expect(describeTokenCosts(costs, "dollars")).toBe(
    "stopped is the most expensive with $50.00, 98 % of it not split by class.",
  );
  expect(listTokenCostNotes(costs, "dollars")).toEqual([expect.stringContaining("Not split: the cost of trials")]);
  expect(buildTokenCostTable(costs).rows).toContainEqual(["silent", "not split", "–", "$10.00"]);
});

test("token cost: a bill that is known in part counts, and says so", () => {
  const partial: TokenCost = { system: "partial", classes: [], costUsd: 9, unknownCosts: 2 };
  const whole: TokenCost = { system: "whole", classes: [], costUsd: 4, unknownCosts: 0 };
  expect(describeTokenCosts([whole, partial], "dollars")).toBe(
    "partial is the most expensive with ≥ $9.00; none of it could be split by class.",
  );
  expect(describeTokenCosts([{ ...whole, costUsd: 20 }, partial], "dollars")).toMatch(
    /^whole has the largest known bill, \$20\.00/,
  );
  expect(listTokenCostNotes([whole, partial], "dollars")).toContain(
    "≥: the cost of some trials is unknown: partial (2 trials).",
  );
  expect(buildTokenCostTable([partial]).rows.at(-1)).toEqual(["partial", "billed in all", "–", "≥ $9.00"]);
});

test("top errors: a message does not repeat its code, and counts have separators", () => {
  const cut = (code: string, message: string | null) => removeCode({ code, message });
  expect(cut("HTTP 429", "HTTP 429: slow down")).toBe("slow down");
  expect(cut("HTTP 429", "HTTP 429")).toBe("");
  expect(cut("E42", "E429: other")).toBe("E429: other");
  expect([cut("timeout", "no answer"), cut("timeout", null)]).toEqual(["no answer", ""]);
  const slow = { code: "no answer within # s", message: "no answer within 60 s" };
  expect([getErrorName(slow), getErrorName({ code: "HTTP 429", message: "HTTP 429: slow down" })]).toEqual([
    "no answer within 60 s",
    "HTTP 429",
  ]);
  const first = { code: "HTTP 429", category: "api_error", message: null, count: 1200, systems: [] } as const;
  expect(describeTopErrors({ trials: 20000, top: [first], leftOut: 0 })).toBe(
    "1 different error in 20,000 trials. The most frequent is HTTP 429: 1,200 trials, 6 %.",
  );
});

test("quality: says how many intervals overlap that of the best", () => {
  const point = (system: string, low: number, high: number) => ({ system, quality: high, low, high, n: 9 });
  const describe = (...points: ReturnType<typeof point>[]) => describeQualityBars(points, points.length);
  const [best, near, far] = [point("a", 0.7, 0.9), point("b", 0.6, 0.8), point("c", 0.1, 0.2)];
  expect(describe(best, near)).toBe("Best: a (0.900); the interval of the other overlaps its own.");
  expect(describe(best, near, near)).toContain("the intervals of all 2 others overlap its own.");
  expect(describe(best, near, far)).toContain("the intervals of 1 of 2 others overlap its own.");
  expect(describe(best, far)).toContain("no other interval overlaps its own.");
});

test("latency: names the fastest and the slowest system", () => {
  const spread = (system: string, p50: number): LatencySpread => ({
    system,
    n: 3,
    quantiles: { min: 0, p25: 0, p50, p75: 0, p95: 2 * p50, p99: 0, max: 0 },
    bins: [],
  });
  expect(describeLatencies([spread("slow", 4), spread("fast", 1)])).toBe(
    "The fastest is fast, with a median of 1.00 s and 95 % within 2.00 s; the slowest is slow, with a median of 4.00 s and 95 % within 8.00 s.",
  );
  expect(describeLatencies([spread("only", 4)])).toBe(
    "only has a median of 4.00 s; 95 % of its trials are within 8.00 s.",
  );
  expect(describeLatencies([{ ...spread("a", 1), quantiles: null }])).toContain("Nothing to show");
});
