import { useMemo, useState } from "preact/hooks";
import type { QualityCostChart as QualityCostData, QualityCostPoint } from "../../../src/report/dashboard/contract.js";
import { formatCount, formatDollars, formatPlural, formatScore, formatShare } from "../ui/index.js";
import {
  BottomAxis,
  computeChartHeight,
  computePlotArea,
  computeTickCount,
  createLinearAxis,
  formatCountTick,
  formatDollarTick,
  formatNumberTick,
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
  buildHullPath,
  buildStepPath,
  chooseScatterLooks,
  createScaledAxis,
  type HullMember,
  listHullBoxes,
  listStepBoxes,
  listWhiskerBoxes,
  type PlacedLabel,
  placeLabels,
  ScatterLabels,
  type ScatterPoint,
  ScatterPoints,
} from "./scatter.js";
import { type ChartView, ClippedToArea, isInsideArea, ZoomablePlot } from "./zoom.js";

interface QualityCostChartProps extends ChartProps {
  data: QualityCostData;
}

interface QualityCostPlotProps extends Pick<QualityCostChartProps, "data" | "onPick"> {
  width: number;
  title: string;
  words: string;
  drawing: QualityCostDrawing;
}

interface QualityCostDrawing {
  getLook: (point: QualityCostPoint) => SeriesLook;
  /** Of the costs. */
  scale: AxisScale;
  /** Default: all of the chart. */
  view?: ChartView | undefined;
}

/**
 * Quality against cost per attempt, or against tokens where no cost is known, with the Pareto front.
 * @example
 * <QualityCostChart data={run.charts.qualityCost} onPick={({ system }) => navigate(["run", id], { system })} />
 */
export function QualityCostChart({
  data,
  title = getCostUnitWords(data).title,
  systems,
  onPick,
}: QualityCostChartProps) {
  const words = describeQualityCost(data);
  const [scale, setScale] = useState<AxisScale>("log");
  const drawing = useMemo(() => ({ getLook: chooseScatterLooks(data.points, systems), scale }), [data, systems, scale]);
  return (
    <ChartFrame
      title={title}
      words={words}
      table={() => buildQualityCostTable(data)}
      legend={buildQualityCostLegend(data.points)}
      notes={listQualityCostNotes(data)}
      controls={<ScaleChoice title={title} scale={scale} onChange={setScale} />}
    >
      {data.points.some(hasCostAndQuality)
        ? (width) => (
            <QualityCostPlot data={data} width={width} title={title} words={words} drawing={drawing} onPick={onPick} />
          )
        : null}
    </ChartFrame>
  );
}

function QualityCostPlot({ data, width, title, words, drawing, onPick }: QualityCostPlotProps) {
  const [views, setViews] = useState<readonly ChartView[]>([]);
  const view = views.at(-1);
  const layout = useMemo(
    () => computeQualityCostLayout(data, width, { ...drawing, view }),
    [data, width, drawing, view],
  );
  const { height, area, x, y } = layout;
  const shapes = useMemo(
    () => (
      <>
        <LeftAxis axis={y} area={area} label="↑ quality, with its interval" />
        <BottomAxis
          axis={x}
          area={area}
          label={getCostUnitWords(data).axis}
          zeroLabel={getCostUnitWords(data).nothing}
        />
        <ScatterLabels labels={layout.labels} />
        <ClippedToArea area={area} isZoomed={view !== undefined}>
          <path class="front" d={layout.step} />
          <path class="hull" d={layout.hull} />
          <ScatterPoints points={layout.points} />
        </ClippedToArea>
      </>
    ),
    [layout, data, view],
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
function buildQualityCostLegend(points: readonly QualityCostPoint[]): LegendEntry[] {
  return [
    ...buildHarnessLegend(points.filter(hasCostAndQuality)),
    { name: "front", glyph: { kind: "line", color: "var(--text)" } },
    { name: "convex hull", glyph: { kind: "line", color: "var(--quiet)", isDashed: true } },
    { name: "dominated", glyph: { kind: "mark", color: "var(--quiet)", shape: "circle", isHollow: true } },
  ];
}

interface QualityCostLayout {
  height: number;
  area: PlotArea;
  x: InvertibleAxis;
  y: InvertibleAxis;
  points: readonly ScatterPoint[];
  labels: readonly PlacedLabel[];
  step: string;
  hull: string;
  marks: readonly Mark[];
}

/** Only systems with both can be drawn. */
type PlacedQualityCostPoint = QualityCostPoint & { cost: number; quality: number };

function hasCostAndQuality(point: QualityCostPoint): point is PlacedQualityCostPoint {
  return point.cost !== null && point.quality !== null;
}

const MARK_AREA = 80;

export function computeQualityCostLayout(
  { points, front, hull, costUnit }: QualityCostData,
  width: number,
  { getLook, scale, view }: QualityCostDrawing,
): QualityCostLayout {
  const placed = points.filter(hasCostAndQuality).sort((a, b) => a.cost - b.cost || a.quality - b.quality);
  const units = getCostUnitWords({ costUnit });
  const { height, area, x, y } = createQualityCostAxes(placed, { width, scale, view, tick: units.tick });
  const shown = placed.filter(
    ({ cost, quality }) => view === undefined || isInsideArea({ x: x.toPixel(cost), y: y.toPixel(quality) }, area),
  );
  const drawn = shown.map((point) => placeQualityCostPoint(point, { x, y, look: getLook(point) }));
  const steps = findHullMembers(front, placed).map(({ cost, quality }) => ({
    x: x.toPixel(cost),
    y: y.toPixel(quality),
  }));
  const onHull = findHullMembers(hull, placed);
  const getLabel = shortenSystemNames(placed.map(({ system }) => system));
  return {
    height,
    area,
    x,
    y,
    points: drawn,
    labels: placeLabels(
      sortFrontFirst(drawn).map(({ name, x: left, y: top, look, isDominated }) => ({
        name,
        text: getLabel(name),
        x: left,
        y: top,
        size: measureShape(look.shape, MARK_AREA) + 1,
        isQuiet: isDominated,
      })),
      {
        area,
        lines: [
          ...listStepBoxes(steps, area.right),
          ...listHullBoxes(onHull, x, y),
          ...drawn.flatMap(listWhiskerBoxes),
        ],
      },
    ),
    step: buildStepPath(steps, area.right),
    hull: buildHullPath(onHull, x, y),
    marks: shown.map((point, index) => createQualityCostMark(point, drawn[index], units)),
  };
}

interface QualityCostAxisOptions {
  width: number;
  scale: AxisScale;
  view: ChartView | undefined;
  tick: TickFormatter;
}

function createQualityCostAxes(
  placed: readonly PlacedQualityCostPoint[],
  { width, scale, view, tick }: QualityCostAxisOptions,
) {
  const height = computeChartHeight(width);
  const { top, bottom } = computePlotArea(width, height);
  const qualities = placed.flatMap(({ quality, low, high }) => [quality, low, high]);
  const y = createLinearAxis({
    values: qualities,
    range: [bottom, top],
    text: formatNumberTick,
    count: 5,
    within: [0, 1],
    view: view?.y,
  });
  const area = computePlotArea(width, height, measureLeftMargin(y));
  return {
    height,
    area,
    y,
    x: createScaledAxis({
      values: placed.map(({ cost }) => cost),
      range: [area.left, area.right],
      text: tick,
      count: computeTickCount(area),
      scale,
      view: view?.x,
    }),
  };
}

interface PointAxes {
  x: InvertibleAxis;
  y: InvertibleAxis;
  look: SeriesLook;
}

function placeQualityCostPoint(
  { system, cost, quality, low, high, dominatedBy }: PlacedQualityCostPoint,
  { x, y, look }: PointAxes,
): ScatterPoint {
  return {
    name: system,
    x: x.toPixel(cost),
    y: y.toPixel(quality),
    area: MARK_AREA,
    look,
    isDominated: dominatedBy.length > 0,
    whisker: low === null || high === null ? null : { low: y.toPixel(low), high: y.toPixel(high) },
  };
}

function findHullMembers(names: readonly string[], placed: readonly PlacedQualityCostPoint[]): HullMember[] {
  const byName = new Map(placed.map((point) => [point.system, point]));
  return names.flatMap((name) => {
    const point = byName.get(name);
    return point === undefined ? [] : [{ cost: point.cost, quality: point.quality }];
  });
}

/** Systems on the front get their labels first when space is short. */
function sortFrontFirst(points: readonly ScatterPoint[]): ScatterPoint[] {
  return [...points].sort((a, b) => Number(a.isDominated) - Number(b.isDominated));
}

function createQualityCostMark(
  point: PlacedQualityCostPoint,
  drawn: ScatterPoint | undefined,
  units: CostUnitWords,
): Mark {
  const { system } = point;
  return {
    id: system,
    series: system,
    x: drawn?.x ?? 0,
    y: drawn?.y ?? 0,
    ...describeQualityCostPoint(point, units),
    selection: { system },
  };
}

function describeQualityCostPoint(
  point: QualityCostPoint,
  units: CostUnitWords,
): { title: string; facts: TooltipFact[] } {
  const { system, harness, cost, n, dominatedBy, membership } = point;
  const facts: (TooltipFact | null)[] = [
    ["Quality", formatQuality(point)],
    [units.name, cost === 0 ? units.nothing : units.text(cost)],
    ["Tasks", String(n)],
    harness === null ? null : ["Harness", formatName(harness)],
    dominatedBy.length === 0 ? ["Front", "on it"] : ["Dominated by", formatNameList(dominatedBy, 4)],
    membership === null ? null : ["On the front in", `${formatShare(membership)} of resamples`],
  ];
  return { title: formatName(system), facts: facts.filter((fact) => fact !== null) };
}

function formatQuality({ quality, low, high }: QualityCostPoint): string {
  const interval = low === null || high === null ? "no interval" : `${formatScore(low, 3)} to ${formatScore(high, 3)}`;
  return quality === null ? "–" : `${formatScore(quality, 3)} (${interval})`;
}

/** What the chart shows, or why it is empty. */
export function describeQualityCost({ points, front, hull, costUnit }: QualityCostData): string {
  const units = getCostUnitWords({ costUnit });
  if (points.length === 0) return "Nothing to show: the run has no systems.";
  const placed = points.filter(({ cost, quality }) => cost !== null && quality !== null);
  if (placed.length === 0) return "Nothing to show: no system has both a score and a known cost or output tokens.";
  const dominated = placed.filter(({ dominatedBy }) => dominatedBy.length > 0).length;
  const said = `${describeFront(front, units)} ${describeDominated(dominated, placed.length, units)}${describeHull(front, hull)}`;
  return `${units.before}${said}`;
}

function describeFront(front: readonly string[], { least }: CostUnitWords): string {
  const [cheapest, best] = [front[0], front.at(-1)];
  if (cheapest === undefined || best === undefined) return "No system is on the front.";
  if (front.length === 1) return `On the front: only ${shortenName(cheapest)}.`;
  return `${least} on the front: ${shortenName(cheapest)}. Best: ${shortenName(best)}.`;
}

function describeDominated(dominated: number, total: number, { asLittle }: CostUnitWords): string {
  if (total === 1) return "There is nothing to compare it with.";
  if (dominated === 0) return `None of ${formatPlural(total, "system")} is dominated.`;
  const verb = dominated > 1 ? "are" : "is";
  return `${dominated} of ${formatPlural(total, "system")} ${verb} dominated: another one is at least as good and ${asLittle}, and better in one of the two.`;
}

function describeHull(front: readonly string[], hull: readonly string[]): string {
  const under = front.filter((name) => !hull.includes(name));
  return under.length === 0 || hull.length < 2
    ? ""
    : ` Splitting the questions between two others matches ${formatNameList(under)} for less.`;
}

/** Systems that are not drawn, and why. */
export function listQualityCostNotes({ points, costUnit }: QualityCostData): string[] {
  const { unknown } = getCostUnitWords({ costUnit });
  const unscored = points.filter(({ quality }) => quality === null).map(({ system }) => system);
  const unpriced = points.filter(({ cost, quality }) => cost === null && quality !== null).map(({ system }) => system);
  return [
    ...(unpriced.length > 0 ? [`Not shown: ${formatNameList(unpriced, 8)} (${unknown}).`] : []),
    ...(unscored.length > 0 ? [`Not shown: ${formatNameList(unscored, 8)} (nothing was scored).`] : []),
  ];
}

export function buildQualityCostTable({ points, front, hull, costUnit }: QualityCostData): ChartTableData {
  const units = getCostUnitWords({ costUnit });
  return {
    columns: [
      "System",
      "Harness",
      "Quality",
      "from",
      "to",
      units.name,
      "Tasks",
      "On the front",
      "On the hull",
      "Resamples on the front",
      "Dominated by",
    ],
    words: 2,
    rows: points.map((point) => [
      formatName(point.system),
      point.harness === null ? "–" : formatName(point.harness),
      formatScore(point.quality, 3),
      formatScore(point.low, 3),
      formatScore(point.high, 3),
      units.text(point.cost),
      String(point.n),
      front.includes(point.system) ? "yes" : "no",
      hull.includes(point.system) ? "yes" : "no",
      formatShare(point.membership),
      point.dominatedBy.length === 0 ? "–" : point.dominatedBy.map(formatName).join(", "),
    ]),
  };
}

/** How costs are described: in dollars, or in tokens where no cost is known. */
interface CostUnitWords {
  readonly title: string;
  /** The cost of one attempt, in tooltips and tables. */
  readonly name: string;
  readonly axis: string;
  /** Stands for a cost of zero. */
  readonly nothing: string;
  readonly text: (cost: number | null) => string;
  readonly tick: TickFormatter;
  /** Describes the first system on the front. */
  readonly least: string;
  /** Describes a system that dominates another. */
  readonly asLittle: string;
  readonly unknown: string;
  /** Comes before the description. */
  readonly before: string;
}

const COST_UNITS: Readonly<Record<QualityCostData["costUnit"], CostUnitWords>> = {
  usd: {
    title: "Quality and cost",
    name: "Cost per attempt",
    axis: "mean cost per attempt →",
    nothing: "free",
    text: formatDollars,
    tick: formatDollarTick,
    least: "Cheapest",
    asLittle: "as cheap",
    unknown: "cost unknown",
    before: "",
  },
  tokens: {
    title: "Quality and output tokens",
    name: "Output tokens per attempt",
    axis: "mean output tokens per attempt →",
    nothing: "none",
    text: (cost) => formatCount(cost === null ? null : Math.round(cost)),
    tick: formatCountTick,
    least: "Briefest",
    asLittle: "as brief",
    unknown: "output tokens unknown",
    before: "No price is known, so output tokens stand in for cost. ",
  },
};

function getCostUnitWords({ costUnit }: Pick<QualityCostData, "costUnit">): CostUnitWords {
  return COST_UNITS[costUnit];
}
