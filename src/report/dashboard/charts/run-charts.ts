import type { EvalResult } from "../../../core/index.js";
import { type FacetValue, getOwn, hasOutput } from "../../../core/index.js";
import { CELL_FACETS } from "../../../metrics/index.js";
import { median, quantileSorted } from "../../../stats/index.js";
import type { Manifest } from "../../../store/index.js";
import { buildFacetLayouts, type FacetEntry, type FacetLayout } from "../../facets.js";
import { createFigureReader, getDatasetLabel } from "../cards.js";
import type {
  CostRadarChart,
  CostSpeedChart,
  CostSpeedPoint,
  HeatMap,
  LatencySpread,
  PassCurve,
  PassCurveChartPoint,
  RadarChart,
  RunCharts,
} from "../contract.js";
import { type ChartSystem, listChartSystems } from "./chart-system.js";
import { buildQualityCostChart } from "./quality-cost.js";
import { placeCostSpeedPoints } from "./select.js";
import { buildTokenCosts } from "./token-costs.js";

const [DOWN, ACROSS] = CELL_FACETS;

/** One map for each system and dataset whose examples have a depth and a length. */
export function buildHeatMaps(result: Pick<EvalResult, "rows" | "config" | "summary">): HeatMap[] {
  const { config, summary } = result;
  const layouts = buildFacetLayouts(result).filter(({ cells }) => cells.length > 0);
  return layouts.flatMap((layout) => {
    const axes = findHeatMapAxes(layout);
    const dataset = layout.dataset ?? getDatasetLabel(config.datasets[0]?.name ?? "");
    return config.systems.map((system) => {
      const figure = createFigureReader(getOwn(summary, system) ?? {});
      const cells = axes.cells.map(({ x, y, key }) => ({ x, y, mean: figure(key), n: figure(`${key}_n`) ?? 0 }));
      return { system, dataset, xField: ACROSS, yField: DOWN, xs: axes.xs, ys: axes.ys, cells };
    });
  });
}

interface HeatMapAxes {
  xs: FacetValue[];
  ys: FacetValue[];
  cells: { x: number; y: number; key: string }[];
}

function findHeatMapAxes({ byField, cells }: FacetLayout): HeatMapAxes {
  const [xs, ys] = [byField.get(ACROSS) ?? [], byField.get(DOWN) ?? []];
  const [placeX, placeY] = [indexFacetValues(xs), indexFacetValues(ys)];
  return {
    xs: xs.map(({ value }) => value),
    ys: ys.map(({ value }) => value),
    cells: cells.flatMap(({ depth, length, key }) => {
      const [x, y] = [placeX.get(String(length)), placeY.get(String(depth))];
      return x === undefined || y === undefined ? [] : [{ x, y, key }];
    }),
  };
}

/** By text, as the breakdown compares values. */
function indexFacetValues(entries: readonly FacetEntry[]): Map<string, number> {
  return new Map(entries.map(({ value }, place) => [String(value), place]));
}

const BIN_COUNT = 30;

/** All systems share the same bins. */
export function buildLatencySpreads(systems: readonly ChartSystem[]): LatencySpread[] {
  const spreads = systems.map((system) => ({ system: system.name, sorted: listLatencies(system) }));
  const edges = computeLogEdges(
    spreads.map(({ sorted }) => sorted),
    BIN_COUNT,
  );
  return spreads.map(({ system, sorted }) => ({
    system,
    n: sorted.length,
    quantiles: computeQuantiles(sorted),
    bins: countPerBin(edges, sorted),
  }));
}

/** Seconds inside the system, of trials with an output. */
function listLatencies({ rows }: ChartSystem): Float64Array {
  const known: number[] = [];
  for (const row of rows) if (row.latency != null && row.latency >= 0 && hasOutput(row)) known.push(row.latency);
  return Float64Array.from(known).sort();
}

function computeQuantiles(sorted: Float64Array): LatencySpread["quantiles"] {
  if (sorted.length === 0) return null;
  const at = (p: number) => quantileSorted(sorted, p);
  return { min: at(0), p25: at(0.25), p50: at(0.5), p75: at(0.75), p95: at(0.95), p99: at(0.99), max: at(1) };
}

/** A wider range is an outlier: smaller values share the first bin. */
const MAX_SPREAD = 1e6;

/** Includes the lower end. */
interface LatencyBin {
  from: number;
  to: number;
  count: number;
}

/**
 * Edges of bins of equal width on a logarithmic scale, for sorted non-negative values; empty without values. The first
 * bin begins at the smallest value, which may be 0.
 */
function computeLogEdges(lists: readonly Float64Array[], bins: number): number[] {
  const filled = lists.filter(({ length }) => length > 0);
  if (filled.length === 0) return [];
  const least = Math.min(...filled.map((values) => values[0] ?? 0));
  const most = Math.max(...filled.map((values) => values.at(-1) ?? 0));
  if (least === most) return [least, most];
  const start = Math.max(findSmallestPositive(filled), most / MAX_SPREAD);
  if (start === most) return [least, most];
  const step = Math.log(most / start) / bins;
  const inner = Array.from({ length: bins - 1 }, (_, i) => start * Math.exp(step * (i + 1)));
  // If values differ only by rounding, edges may coincide.
  return [least, ...inner.filter((edge, i) => edge > (inner[i - 1] ?? least) && edge < most), most];
}

/** The last bin includes its upper end. */
function countPerBin(edges: readonly number[], sorted: Float64Array): LatencyBin[] {
  const bins = edges.slice(1).map((to, i) => ({ from: edges[i] ?? 0, to, count: 0 }));
  let at = 0;
  for (const value of sorted) {
    while (at < bins.length - 1 && value >= (bins[at]?.to ?? 0)) at += 1;
    const bin = bins[at];
    if (bin !== undefined) bin.count += 1;
  }
  return bins;
}

function findSmallestPositive(lists: readonly Float64Array[]): number {
  return Math.min(...lists.map((values) => values.find((value) => value > 0) ?? Number.POSITIVE_INFINITY));
}

const MAX_TIMES_MEDIAN = 5;

/** The median time to success of each system; outliers are clipped in the chart but keep their value. */
export function buildRadarChart(systems: readonly ChartSystem[]): RadarChart {
  const times = systems.map((system) => ({ system: system.name, seconds: readSecondsToSuccess(system) }));
  const limitSeconds = computeClipLimit(times.map(({ seconds }) => seconds));
  return {
    limitSeconds,
    spokes: times.map((spoke) => ({ ...spoke, isClipped: isBeyond(spoke.seconds, limitSeconds) })),
  };
}

/** The cost per success of each system; outliers are clipped in the chart but keep their value. */
function buildCostRadarChart(systems: readonly ChartSystem[]): CostRadarChart {
  const unit = systems.some(({ figure }) => figure("cost_per_pass_usd") !== null) ? "usd" : "tokens";
  const key = unit === "usd" ? "cost_per_pass_usd" : "cost_of_pass";
  const costs = systems.map(({ name, figure }) => ({ system: name, cost: figure(key) }));
  const limit = computeClipLimit(costs.map(({ cost }) => cost));
  return { unit, limit, spokes: costs.map((spoke) => ({ ...spoke, isClipped: isBeyond(spoke.cost, limit) })) };
}

/** Null when nothing was measured. */
function computeClipLimit(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : MAX_TIMES_MEDIAN * median(known);
}

function isBeyond(value: number | null, limit: number | null): boolean {
  return value !== null && limit !== null && value > limit;
}

/** Null when nothing passed or no time was measured. */
function readSecondsToSuccess({ figure }: ChartSystem): number | null {
  const ms = figure("median_time_to_success_ms");
  return ms === null ? null : ms / 1000;
}

export function buildRunCharts(result: EvalResult, manifest: Pick<Manifest, "systems">): RunCharts {
  const systems = listChartSystems(result, manifest);
  return {
    qualityCost: buildQualityCostChart(systems, result.config),
    costSpeed: buildCostSpeedChart(systems),
    radar: buildRadarChart(systems),
    costRadar: buildCostRadarChart(systems),
    passCurves: buildPassCurves(systems),
    heatMaps: buildHeatMaps(result),
    tokenCosts: buildTokenCosts(systems),
    latencies: buildLatencySpreads(systems),
  };
}

/** Dollars, or output tokens without a price, and seconds per pass; failures are charged to the passes on both axes. */
export function buildCostSpeedChart(systems: readonly ChartSystem[]): CostSpeedChart {
  const costUnit = chooseCostSpeedUnit(systems);
  const bare = systems.map((system) => buildCostSpeedPoint(system, costUnit));
  return { costUnit, ...placeCostSpeedPoints(bare) };
}

const COST_PER_PASS_FIGURES = { usd: "cost_per_pass_usd", tokens: "cost_of_pass" } as const;

function chooseCostSpeedUnit(systems: readonly ChartSystem[]): CostSpeedChart["costUnit"] {
  const isKnown = (key: string) => systems.some(({ figure }) => figure(key) !== null);
  return !isKnown(COST_PER_PASS_FIGURES.usd) && isKnown(COST_PER_PASS_FIGURES.tokens) ? "tokens" : "usd";
}

function buildCostSpeedPoint(
  system: ChartSystem,
  costUnit: CostSpeedChart["costUnit"],
): Omit<CostSpeedPoint, "dominatedBy"> {
  const { name, harness, figure } = system;
  const costPerPass = figure(COST_PER_PASS_FIGURES[costUnit]);
  const secondsPerPass = figure("seconds_per_pass");
  const isPlaced = costPerPass !== null && secondsPerPass !== null;
  return {
    system: name,
    harness,
    costPerPass,
    secondsPerPass,
    passRate: figure("pass_rate"),
    leftOut: isPlaced ? null : explainMissingPoint(system, costPerPass, costUnit),
  };
}

function explainMissingPoint(
  { figure, why }: ChartSystem,
  costPerPass: number | null,
  costUnit: CostSpeedChart["costUnit"],
): string {
  if (figure("num_pass") === 0) return "nothing passed";
  if (costPerPass !== null) return `the time per pass is unknown: ${why("seconds_per_pass") ?? "not measured"}`;
  const noun = costUnit === "usd" ? "cost per pass is" : "output tokens per pass are";
  return `the ${noun} unknown: ${why(COST_PER_PASS_FIGURES[costUnit]) ?? "not measured"}`;
}

/** pass@k and pass^k of the systems that ran examples several times. */
export function buildPassCurves(systems: readonly ChartSystem[]): PassCurve[] {
  const curves = systems.map(({ name, figure }) => ({ system: name, points: [...readPassCurvePoints(figure)] }));
  return curves.filter(({ points }) => points.length > 0);
}

/** Summaries contain every k from 1 to the largest number of trials of a task. */
function* readPassCurvePoints(figure: ChartSystem["figure"]): Generator<PassCurveChartPoint> {
  for (let k = 1; figure(`pass_at_${k}_n`) !== null; k++) {
    const [at, hat] = [`pass_at_${k}`, `pass_hat_${k}`];
    yield {
      k,
      n: figure(`${at}_n`) ?? 0,
      passAt: figure(at),
      passAtLow: figure(`${at}_ci_low`),
      passAtHigh: figure(`${at}_ci_high`),
      passHat: figure(hat),
      passHatLow: figure(`${hat}_ci_low`),
      passHatHigh: figure(`${hat}_ci_high`),
    };
  }
}
