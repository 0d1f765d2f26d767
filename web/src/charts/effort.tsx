import { line as lineShape } from "d3-shape";
import { useMemo } from "preact/hooks";
import type { EffortCurve, EffortPoint } from "../../../src/report/dashboard/contract.js";
import {
  formatCount,
  formatDollars,
  formatInterval,
  formatNumber,
  formatPlural,
  formatSeconds,
  MISSING,
} from "../ui/index.js";
import {
  BottomAxis,
  computeChartHeight,
  computePlotArea,
  computeTickCount,
  createLinearAxis,
  createLogAxis,
  formatCountTick,
  formatDollarTick,
  formatNumberTick,
  type InvertibleAxis,
  LeftAxis,
  measureLeftMargin,
  type PlotArea,
} from "./axes.js";
import { ChartFrame, type ChartTableData, type LegendEntry } from "./frame.js";
import { assignSystemLooks, measureShape, type SeriesLook } from "./looks.js";
import { formatName, shortenName, shortenSystemNames } from "./names.js";
import { type ChartProps, type Mark, Plot } from "./plot.js";
import {
  listWhiskerBoxes,
  type PlacedLabel,
  placeLabels,
  ScatterLabels,
  type ScatterPoint,
  ScatterPoints,
} from "./scatter.js";

interface EffortChartProps extends Omit<ChartProps, "systems"> {
  data: readonly EffortCurve[];
}

/**
 * Quality against the cost of a trial, with a line for each model through its efforts.
 * @example
 * <EffortChart data={run.effortCurves} onPick={({ system }) => navigate(["run", id], { system })} />
 */
export function EffortChart({ data, title = "Quality and cost by effort", onPick }: EffortChartProps) {
  const words = describeEfforts(data);
  const names = data.map(({ name }) => name);
  const getLook = useMemo(() => assignSystemLooks(undefined, names), [data]);
  const getLabel = shortenSystemNames(names);
  const legend = names.map((name): LegendEntry => {
    const { color, shape } = getLook(name);
    return { name: getLabel(name), glyph: { kind: "line", color, shape } };
  });
  return (
    <ChartFrame title={title} words={words} table={() => buildEffortTable(data)} legend={legend}>
      {listPlacedPoints(data, chooseCostUnit(data)).length > 0
        ? (width) => (
            <EffortPlot data={data} width={width} words={`${title}. ${words}`} getLook={getLook} onPick={onPick} />
          )
        : null}
    </ChartFrame>
  );
}

interface EffortPlotProps extends Pick<EffortChartProps, "data" | "onPick"> {
  width: number;
  words: string;
  getLook: (name: string) => SeriesLook;
}

function EffortPlot({ data, width, words, getLook, onPick }: EffortPlotProps) {
  const layout = useMemo(() => computeEffortLayout(data, width, getLook), [data, width, getLook]);
  const { height, area, x, y } = layout;
  return (
    <Plot width={width} height={height} label={words} marks={layout.marks} onPick={onPick}>
      <LeftAxis axis={y} area={area} label="↑ quality, with its interval" />
      <BottomAxis axis={x} area={area} label={COST_UNITS[layout.unit].axis} zeroLabel={COST_UNITS[layout.unit].zero} />
      <ScatterLabels labels={layout.labels} />
      {layout.lines.map(({ name, path }) => (
        <path key={name} class="curve" d={path} stroke={getLook(name).color} />
      ))}
      <ScatterPoints points={layout.points} />
    </Plot>
  );
}

type CostUnit = "usd" | "tokens";

const COST_UNITS = {
  usd: {
    axis: "cost per trial →",
    name: "Cost per trial",
    zero: "free",
    tick: formatDollarTick,
    text: (cost: number | null) => formatDollars(cost),
  },
  tokens: {
    axis: "output tokens per trial →",
    name: "Output tokens",
    zero: "none",
    tick: formatCountTick,
    text: (cost: number | null) => formatCount(cost === null ? null : Math.round(cost)),
  },
} as const;

/** Tokens where no price is known. */
function chooseCostUnit(curves: readonly EffortCurve[]): CostUnit {
  return curves.some(({ points }) => points.some(({ costUsd }) => costUsd !== null)) ? "usd" : "tokens";
}

interface PlacedEffort {
  readonly name: string;
  readonly point: EffortPoint;
  readonly cost: number;
  readonly quality: number;
}

/** Only points with both can be drawn. */
function listPlacedPoints(curves: readonly EffortCurve[], unit: CostUnit): PlacedEffort[] {
  return curves.flatMap(({ name, points }) =>
    points.flatMap((point) => {
      const cost = unit === "usd" ? point.costUsd : point.outputTokens;
      return cost === null || point.quality === null ? [] : [{ name, point, cost, quality: point.quality }];
    }),
  );
}

interface EffortLayout {
  height: number;
  area: PlotArea;
  unit: CostUnit;
  x: InvertibleAxis;
  y: InvertibleAxis;
  lines: readonly { name: string; path: string }[];
  points: readonly ScatterPoint[];
  labels: readonly PlacedLabel[];
  marks: readonly Mark[];
}

const MARK_AREA = 80;

export function computeEffortLayout(
  curves: readonly EffortCurve[],
  width: number,
  getLook: (name: string) => SeriesLook,
): EffortLayout {
  const unit = chooseCostUnit(curves);
  const placed = listPlacedPoints(curves, unit);
  const height = computeChartHeight(width);
  const { top, bottom } = computePlotArea(width, height);
  const y = createLinearAxis({
    values: placed.flatMap(({ point }) => [point.quality, point.low, point.high]),
    range: [bottom, top],
    text: formatNumberTick,
    count: 5,
    within: [0, 1],
  });
  const area = computePlotArea(width, height, measureLeftMargin(y));
  const x = createLogAxis({
    values: placed.map(({ cost }) => cost),
    range: [area.left, area.right],
    text: COST_UNITS[unit].tick,
    count: computeTickCount(area),
  });
  const toPixels = ({ cost, quality }: PlacedEffort) => ({ x: x.toPixel(cost), y: y.toPixel(quality) });
  const points = placed.map((one): ScatterPoint => {
    const { low, high, system } = one.point;
    const whisker = low === null || high === null ? null : { low: y.toPixel(low), high: y.toPixel(high) };
    return { name: system, ...toPixels(one), area: MARK_AREA, look: getLook(one.name), isDominated: false, whisker };
  });
  const lines = curves.map(({ name }) => {
    const own = placed.filter((one) => one.name === name).map(toPixels);
    const path = lineShape<{ x: number; y: number }>(
      (spot) => spot.x,
      (spot) => spot.y,
    ).digits(1)(own);
    return { name, own, path: path ?? "" };
  });
  const labels = placeLabels(
    points.map(({ name, x: left, y: up, look }, index) => ({
      name,
      text: formatEffort(placed[index]?.point.effort ?? null),
      x: left,
      y: up,
      size: measureShape(look.shape, MARK_AREA) + 1,
      isQuiet: false,
    })),
    { area, lines: [...points.flatMap(listWhiskerBoxes), ...lines.flatMap(({ own }) => listLineBoxes(own))] },
  );
  return {
    height,
    area,
    unit,
    x,
    y,
    lines,
    points,
    labels,
    marks: placed.map((one, i) => createMark(one, points[i], unit)),
  };
}

const LINE_PIECES = 12;

/** Small boxes along a line, which labels avoid. */
function listLineBoxes(spots: readonly { x: number; y: number }[]) {
  return spots.flatMap((from, index) => {
    const to = spots[index + 1];
    if (to === undefined) return [];
    return Array.from({ length: LINE_PIECES }, (_, piece) => {
      const share = (piece + 0.5) / LINE_PIECES;
      return { x: from.x + (to.x - from.x) * share - 1, y: from.y + (to.y - from.y) * share - 1, width: 2, height: 2 };
    });
  });
}

function createMark({ name, point, cost }: PlacedEffort, drawn: ScatterPoint | undefined, unit: CostUnit): Mark {
  const { system, effort, quality, low, high, costPerPassUsd, latencySeconds, reasoningTokens } = point;
  return {
    id: system,
    series: name,
    x: drawn?.x ?? 0,
    y: drawn?.y ?? 0,
    title: `${formatName(name)}, effort ${formatEffort(effort)}`,
    facts: [
      ["Quality", formatInterval({ value: quality, low, high }, formatNumber)],
      [COST_UNITS[unit].name, COST_UNITS[unit].text(cost)],
      ["Cost per pass", formatDollars(costPerPassUsd)],
      ["Median latency", formatSeconds(latencySeconds)],
      ["Reasoning tokens", formatTokens(reasoningTokens)],
    ],
    selection: { system },
  };
}

/** `default` stands for the model's own effort. */
export function formatEffort(effort: EffortPoint["effort"]): string {
  return effort === null ? "default" : String(effort);
}

export function formatTokens(tokens: number | null): string {
  return tokens === null ? MISSING : formatCount(Math.round(tokens));
}

/** What the chart shows, or why it is empty. */
export function describeEfforts(curves: readonly EffortCurve[]): string {
  const unit = chooseCostUnit(curves);
  const placed = listPlacedPoints(curves, unit);
  if (placed.length === 0)
    return "There is nothing to draw: no system has both a score and a known cost or output tokens.";
  const sentences = curves.slice(0, 3).flatMap(({ name }) => {
    const own = placed.filter((one) => one.name === name);
    const [first, last] = [own[0], own.at(-1)];
    if (first === undefined || last === undefined || first === last) return [];
    const cost = COST_UNITS[unit].text;
    return [
      `${shortenName(name)} goes from ${formatNumber(first.quality)} at ${formatEffort(first.point.effort)} (${cost(first.cost)}) to ${formatNumber(last.quality)} at ${formatEffort(last.point.effort)} (${cost(last.cost)})`,
    ];
  });
  const more = curves.length > 3 ? ` ${formatPlural(curves.length - 3, "more model")} in the table.` : "";
  const before = unit === "tokens" ? "No price is known, so output tokens stand in for cost. " : "";
  return `${before}${sentences.join("; ")}${sentences.length > 0 ? "." : ""}${more}`;
}

export function buildEffortTable(curves: readonly EffortCurve[]): ChartTableData {
  return {
    columns: [
      "Model",
      "Effort",
      "Quality",
      "from",
      "to",
      "Cost per trial",
      "Cost per pass",
      "Median latency",
      "Reasoning tokens",
      "Output tokens",
    ],
    words: 2,
    rows: curves.flatMap(({ name, points }) =>
      points.map((point) => [
        formatName(name),
        formatEffort(point.effort),
        formatNumber(point.quality),
        formatNumber(point.low),
        formatNumber(point.high),
        formatDollars(point.costUsd),
        formatDollars(point.costPerPassUsd),
        formatSeconds(point.latencySeconds),
        formatTokens(point.reasoningTokens),
        formatTokens(point.outputTokens),
      ]),
    ),
  };
}
