import { useMemo, useState } from "preact/hooks";
import type { CostSpeedChart as CostSpeedData, CostSpeedPoint } from "../../../src/report/dashboard/contract.js";
import { formatCount, formatDollars, formatPlural, formatSeconds, formatShare } from "../ui/index.js";
import {
  BottomAxis,
  computeChartHeight,
  computePlotArea,
  computeTickCount,
  formatCountTick,
  formatDollarTick,
  formatSecondsTick,
  type InvertibleAxis,
  LeftAxis,
  measureLeftMargin,
  type PlotArea,
  type TickFormatter,
} from "./axes.js";
import { type AxisScale, ChartFrame, type ChartTableData, type LegendEntry, ScaleChoice } from "./frame.js";
import { measureShape, type SeriesLook } from "./looks.js";
import { formatName, formatNameList, shortenName, shortenSystemNames } from "./names.js";
import type { ChartProps, Mark, TooltipFact } from "./plot.js";
import {
  buildHarnessLegend,
  buildStepPath,
  chooseScatterLooks,
  createScaledAxis,
  listStepBoxes,
  type PlacedLabel,
  placeLabels,
  ScatterLabels,
  type ScatterPoint,
  ScatterPoints,
} from "./scatter.js";
import { type ChartView, ClippedToArea, isInsideArea, ZoomablePlot } from "./zoom.js";

interface CostSpeedChartProps extends ChartProps {
  data: CostSpeedData;
}

interface CostSpeedPlotProps extends Pick<CostSpeedChartProps, "data" | "onPick"> {
  width: number;
  title: string;
  words: string;
  drawing: CostSpeedDrawing;
}

interface CostSpeedDrawing {
  getLook: (point: CostSpeedPoint) => SeriesLook;
  scale: AxisScale;
  /** Default: all of the chart. */
  view?: ChartView | undefined;
}

/**
 * Cost per success against time per success, failures included, with the Pareto frontier.
 * @example
 * <CostSpeedChart data={run.charts.costSpeed} onPick={({ system }) => navigate(["run", id], { system })} />
 */
export function CostSpeedChart({ data, title = "Cost–Speed Frontier", systems, onPick }: CostSpeedChartProps) {
  const [scale, setScale] = useState<AxisScale>("log");
  const words = describeCostSpeed(data);
  const drawing = useMemo(() => ({ getLook: chooseScatterLooks(data.points, systems), scale }), [data, systems, scale]);
  return (
    <ChartFrame
      title={title}
      words={words}
      table={() => buildCostSpeedTable(data)}
      legend={buildCostSpeedLegend(data.points)}
      notes={listCostSpeedNotes(data)}
      controls={<ScaleChoice title={title} scale={scale} onChange={setScale} />}
    >
      {data.points.some(hasCostAndTime)
        ? (width) => (
            <CostSpeedPlot data={data} width={width} title={title} words={words} drawing={drawing} onPick={onPick} />
          )
        : null}
    </ChartFrame>
  );
}

function CostSpeedPlot({ data, width, title, words, drawing, onPick }: CostSpeedPlotProps) {
  const [views, setViews] = useState<readonly ChartView[]>([]);
  const view = views.at(-1);
  const layout = useMemo(() => computeCostSpeedLayout(data, width, { ...drawing, view }), [data, width, drawing, view]);
  const { height, area, x, y } = layout;
  const { axis, nothing } = COST_PER_PASS_WORDS[data.costUnit];
  const shapes = useMemo(
    () => (
      <>
        <LeftAxis axis={y} area={area} label="↑ time per success (time of all trials ÷ successes)" zeroLabel="none" />
        <BottomAxis axis={x} area={area} label={axis} zeroLabel={nothing} />
        <ScatterLabels labels={layout.labels} />
        <ClippedToArea area={area} isZoomed={view !== undefined}>
          <path class="front" d={layout.step} />
          <ScatterPoints points={layout.points} />
        </ClippedToArea>
      </>
    ),
    [layout, axis, nothing, view],
  );
  return (
    <ZoomablePlot
      title={title}
      area={area}
      x={x}
      y={y}
      views={views}
      onChange={setViews}
      width={width}
      height={height}
      label={`${title}. ${words}`}
      marks={layout.marks}
      onPick={onPick}
    >
      {shapes}
    </ZoomablePlot>
  );
}

/** Systems are not listed: each has its name beside it. */
function buildCostSpeedLegend(points: readonly CostSpeedPoint[]): LegendEntry[] {
  const quiet = { kind: "mark", color: "var(--quiet)", shape: "circle" } as const;
  return [
    ...buildHarnessLegend(points.filter(hasCostAndTime)),
    { name: "frontier", glyph: { kind: "line", color: "var(--text)" } },
    { name: "dominated", glyph: { ...quiet, isHollow: true } },
    { name: "10 % success", glyph: { ...quiet, area: computeMarkArea(0.1) / 2 } },
    { name: "100 % success", glyph: { ...quiet, area: computeMarkArea(1) / 2 } },
  ];
}

interface CostSpeedLayout {
  height: number;
  area: PlotArea;
  x: InvertibleAxis;
  y: InvertibleAxis;
  points: readonly ScatterPoint[];
  labels: readonly PlacedLabel[];
  step: string;
  marks: readonly Mark[];
}

/** Only systems with both can be drawn. */
type PlacedCostSpeedPoint = CostSpeedPoint & { costPerPass: number; secondsPerPass: number };

function hasCostAndTime(point: CostSpeedPoint): point is PlacedCostSpeedPoint {
  return point.leftOut === null && point.costPerPass !== null && point.secondsPerPass !== null;
}

/** The area of a mark shows the success rate; even the smallest can be seen and clicked. */
export function computeMarkArea(passRate: number | null): number {
  return 30 + 270 * Math.min(Math.max(passRate ?? 0, 0), 1);
}

export function computeCostSpeedLayout(
  { points, front, costUnit }: CostSpeedData,
  width: number,
  { getLook, scale, view }: CostSpeedDrawing,
): CostSpeedLayout {
  const placed = points
    .filter(hasCostAndTime)
    .sort((a, b) => a.costPerPass - b.costPerPass || a.secondsPerPass - b.secondsPerPass);
  const { height, area, x, y } = createCostSpeedAxes(placed, { width, scale, view, costUnit });
  const all = placed.map(
    (point): ScatterPoint => ({
      name: point.system,
      x: x.toPixel(point.costPerPass),
      y: y.toPixel(point.secondsPerPass),
      area: computeMarkArea(point.passRate),
      look: getLook(point),
      isDominated: point.dominatedBy.length > 0,
      whisker: null,
    }),
  );
  const drawn = all.filter((point) => view === undefined || isInsideArea(point, area));
  return { height, area, x, y, points: drawn, ...buildLabelsAndMarks({ placed, all, drawn, front, area, costUnit }) };
}

interface CostSpeedAxisOptions {
  width: number;
  scale: AxisScale;
  view: ChartView | undefined;
  costUnit: CostSpeedData["costUnit"];
}

function createCostSpeedAxes(
  placed: readonly PlacedCostSpeedPoint[],
  { width, scale, view, costUnit }: CostSpeedAxisOptions,
) {
  const height = computeChartHeight(width);
  const { top, bottom } = computePlotArea(width, height);
  const y = createScaledAxis({
    values: placed.map(({ secondsPerPass }) => secondsPerPass),
    range: [bottom, top],
    text: formatSecondsTick,
    count: 6,
    scale,
    duration: "s",
    view: view?.y,
  });
  const area = computePlotArea(width, height, measureLeftMargin(y, "none"));
  const x = createScaledAxis({
    values: placed.map(({ costPerPass }) => costPerPass),
    range: [area.left, area.right],
    text: COST_PER_PASS_WORDS[costUnit].tick,
    count: computeTickCount(area),
    scale,
    view: view?.x,
  });
  return { height, area, x, y };
}

interface PlacedSystems extends Pick<CostSpeedData, "front" | "costUnit"> {
  placed: readonly PlacedCostSpeedPoint[];
  all: readonly ScatterPoint[];
  /** Those in view. */
  drawn: readonly ScatterPoint[];
  area: PlotArea;
}

function buildLabelsAndMarks({ placed, all, drawn, front, area, costUnit }: PlacedSystems) {
  const byName = new Map(all.map((point) => [point.name, point]));
  const onFront = front.flatMap((name) => byName.get(name) ?? []);
  const described = new Map(placed.map((point) => [point.system, point]));
  const frontFirst = [...drawn].sort((a, b) => Number(a.isDominated) - Number(b.isDominated));
  const getLabel = shortenSystemNames(placed.map(({ system }) => system));
  return {
    labels: placeLabels(
      frontFirst.map(({ name, x, y, area: size, look, isDominated }) => ({
        name,
        text: getLabel(name),
        x,
        y,
        size: measureShape(look.shape, size) + 1,
        isQuiet: isDominated,
      })),
      { area, lines: listStepBoxes(onFront, area.right) },
    ),
    step: buildStepPath(onFront, area.right),
    marks: drawn.flatMap(({ name, x, y }): Mark[] => {
      const point = described.get(name);
      if (point === undefined) return [];
      return [
        {
          id: name,
          series: name,
          x,
          y,
          ...describeCostSpeedPoint(point, costUnit),
          selection: { system: name },
        },
      ];
    }),
  };
}

function describeCostSpeedPoint(
  point: CostSpeedPoint,
  costUnit: CostSpeedData["costUnit"],
): { title: string; facts: TooltipFact[] } {
  const { system, harness, costPerPass, secondsPerPass, passRate, dominatedBy } = point;
  const { name, nothing, text } = COST_PER_PASS_WORDS[costUnit];
  const facts: (TooltipFact | null)[] = [
    [name, costPerPass === 0 ? nothing : text(costPerPass)],
    ["Time per success", formatSeconds(secondsPerPass)],
    ["Success rate", formatShare(passRate)],
    harness === null ? null : ["Harness", formatName(harness)],
    dominatedBy.length === 0 ? ["Frontier", "on it"] : ["Dominated by", formatNameList(dominatedBy, 4)],
  ];
  return { title: formatName(system), facts: facts.filter((fact) => fact !== null) };
}

/** What the chart shows, or why it is empty. */
export function describeCostSpeed({ points, front, costUnit }: CostSpeedData): string {
  if (points.length === 0) return "Nothing to show: the run has no systems.";
  const placed = points.filter(hasCostAndTime);
  const { before, unknown, axisWords, text } = COST_PER_PASS_WORDS[costUnit];
  if (placed.length === 0) return `Nothing to show: no system has ${unknown} and a time per success.`;
  const dominated = placed.filter(({ dominatedBy }) => dominatedBy.length > 0).length;
  const [only] = placed;
  if (only !== undefined && placed.length === 1)
    return `${before}Per success, failures included, ${shortenName(only.system)} needs ${text(only.costPerPass)}${costUnit === "tokens" ? " output tokens" : ""} and ${formatSeconds(only.secondsPerPass)}.`;
  const rest =
    placed.length > 1
      ? ` ${dominated === 0 ? "None" : dominated} of ${formatPlural(placed.length, "system")} ${dominated > 1 ? "are" : "is"} dominated.`
      : "";
  return `${before}${describeFrontier(front, costUnit)}${rest} ${axisWords} and time of all trials, failures included, divided by the successes. Lower left is better; larger marks succeed more often.`;
}

function describeFrontier(front: readonly string[], costUnit: CostSpeedData["costUnit"]): string {
  const [cheapest, fastest] = [front[0], front.at(-1)];
  const { least } = COST_PER_PASS_WORDS[costUnit];
  if (cheapest === undefined || fastest === undefined) return "No system is on the frontier.";
  if (front.length === 1) return `Per success, ${shortenName(cheapest)} is both the ${least} and the fastest.`;
  return `Per success, ${shortenName(cheapest)} is the ${least} and ${shortenName(fastest)} the fastest.`;
}

/** Systems that are not drawn, by reason. */
export function listCostSpeedNotes({ points }: CostSpeedData): string[] {
  const byReason = new Map<string, string[]>();
  for (const point of points.filter((one) => !hasCostAndTime(one))) {
    const reason = point.leftOut ?? "cost or time unknown";
    byReason.set(reason, [...(byReason.get(reason) ?? []), point.system]);
  }
  const all = [...byReason].map(([reason, systems]) => `${formatNameList(systems, 8)} (${reason})`);
  return all.length === 0 ? [] : [`Not shown: ${all.join("; ")}.`];
}

/** Numbers before the names of other systems, which may be many. */
function buildCostSpeedTable({ points, front, costUnit }: CostSpeedData): ChartTableData {
  const { name, text } = COST_PER_PASS_WORDS[costUnit];
  return {
    columns: [
      "System",
      "Harness",
      name,
      "Time per success",
      "Success rate",
      "On the frontier",
      "Dominated by",
      "Not shown because",
    ],
    words: 2,
    rows: points.map((point) => [
      formatName(point.system),
      point.harness === null ? "–" : formatName(point.harness),
      text(point.costPerPass),
      formatSeconds(point.secondsPerPass),
      formatShare(point.passRate),
      front.includes(point.system) ? "yes" : "no",
      point.dominatedBy.length === 0 ? "–" : point.dominatedBy.map(formatName).join(", "),
      point.leftOut ?? "–",
    ]),
  };
}

/** How a cost per success is described: in dollars, or in tokens where no cost is known. */
interface CostPerPassWords {
  readonly name: string;
  readonly axis: string;
  /** Stands for a cost of zero. */
  readonly nothing: string;
  readonly text: (cost: number | null) => string;
  readonly tick: TickFormatter;
  /** Describes the first system on the frontier. */
  readonly least: string;
  readonly unknown: string;
  /** Begins the sentence on both axes. */
  readonly axisWords: string;
  /** Comes before the description. */
  readonly before: string;
}

const COST_PER_PASS_WORDS: Readonly<Record<CostSpeedData["costUnit"], CostPerPassWords>> = {
  usd: {
    name: "Cost per success",
    axis: "cost per success (cost of all trials ÷ successes) →",
    nothing: "free",
    text: formatDollars,
    tick: formatDollarTick,
    least: "cheapest",
    unknown: "both a cost",
    axisWords: "Cost",
    before: "",
  },
  tokens: {
    name: "Output tokens per success",
    axis: "output tokens per success (tokens of all trials ÷ successes) →",
    nothing: "none",
    text: (cost) => formatCount(cost === null ? null : Math.round(cost)),
    tick: formatCountTick,
    least: "shortest",
    unknown: "both output tokens",
    axisWords: "Output tokens",
    before: "No price is known, so output tokens stand in for cost. ",
  },
};
