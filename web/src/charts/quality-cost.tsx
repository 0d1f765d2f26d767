import { useMemo } from "preact/hooks";
import type { QualityCostChart as QualityCostData, QualityCostPoint } from "../../../src/report/dashboard/contract.js";
import { formatCount, formatDollars, formatNumber, formatPlural, formatShare } from "../ui/index.js";
import {
  type Axis,
  BottomAxis,
  computeChartHeight,
  computePlotArea,
  createLinearAxis,
  formatCountTick,
  formatDollarTick,
  formatNumberTick,
  LeftAxis,
  measureLeftMargin,
  type PlotArea,
  type TickFormatter,
} from "./axes.js";
import { ChartFrame, type ChartTableData, type LegendEntry } from "./frame.js";
import { assignLooks, assignSystemLooks, type SeriesLook } from "./looks.js";
import { formatName, formatNameList, shortenName } from "./names.js";
import { type ChartProps, type Mark, Plot, type TooltipFact } from "./plot.js";
import {
  buildHullPath,
  buildStepPath,
  createCostAxis,
  type HullMember,
  type PlacedLabel,
  placeLabels,
  ScatterLabels,
  type ScatterPoint,
  ScatterPoints,
} from "./scatter.js";

interface QualityCostChartProps extends ChartProps {
  data: QualityCostData;
}

interface QualityCostPlotProps extends Pick<QualityCostChartProps, "data" | "onPick"> {
  width: number;
  words: string;
  getLook: (point: QualityCostPoint) => SeriesLook;
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
  const getLook = useMemo(() => chooseQualityCostLooks(data.points, systems), [data, systems]);
  return (
    <ChartFrame
      title={title}
      words={words}
      table={() => buildQualityCostTable(data)}
      legend={buildQualityCostLegend(data.points, getLook)}
      notes={listQualityCostNotes(data)}
    >
      {data.points.some(hasCostAndQuality)
        ? (width) => (
            <QualityCostPlot data={data} width={width} words={`${title}. ${words}`} getLook={getLook} onPick={onPick} />
          )
        : null}
    </ChartFrame>
  );
}

function QualityCostPlot({ data, width, words, getLook, onPick }: QualityCostPlotProps) {
  const layout = useMemo(() => computeQualityCostLayout(data, width, getLook), [data, width, getLook]);
  const { height, area, x, y } = layout;
  const drawing = useMemo(
    () => (
      <>
        <LeftAxis axis={y} area={area} label="↑ quality, with its interval" />
        <BottomAxis
          axis={x}
          area={area}
          label={getCostUnitWords(data).axis}
          zeroLabel={getCostUnitWords(data).nothing}
        />
        <path class="front" d={layout.step} />
        <path class="hull" d={layout.hull} />
        <ScatterPoints points={layout.points} />
        <ScatterLabels labels={layout.labels} />
      </>
    ),
    [layout, data],
  );
  return (
    <Plot width={width} height={height} label={words} marks={layout.marks} onPick={onPick}>
      {drawing}
    </Plot>
  );
}

/** Color shows the system; shape shows the harness when there are several. */
function chooseQualityCostLooks(points: readonly QualityCostPoint[], systems: readonly string[] | undefined) {
  const bySystem = assignSystemLooks(
    systems,
    points.map(({ system }) => system),
  );
  const harnesses = listHarnesses(points);
  const byHarness = assignLooks(harnesses);
  return ({ system, harness }: QualityCostPoint): SeriesLook => ({
    color: bySystem(system).color,
    shape: harnesses.length > 1 ? byHarness(harness ?? "").shape : bySystem(system).shape,
  });
}

function listHarnesses(points: readonly QualityCostPoint[]): string[] {
  return [...new Set(points.map(({ harness }) => harness ?? ""))].sort();
}

function buildQualityCostLegend(
  points: readonly QualityCostPoint[],
  getLook: (point: QualityCostPoint) => SeriesLook,
): LegendEntry[] {
  const placed = points.filter(hasCostAndQuality);
  const harnesses = listHarnesses(points);
  const byHarness = assignLooks(harnesses);
  return [
    ...placed.map(
      (point): LegendEntry => ({
        name: point.system,
        glyph: { kind: "mark", ...getLook(point), isHollow: point.dominatedBy.length > 0 },
      }),
    ),
    ...(harnesses.length > 1 ? harnesses : []).map(
      (harness): LegendEntry => ({
        name: `harness: ${harness || "none"}`,
        glyph: { kind: "mark", color: "var(--quiet)", shape: byHarness(harness).shape },
      }),
    ),
    { name: "front", glyph: { kind: "line", color: "var(--text)" } },
    { name: "convex hull", glyph: { kind: "line", color: "var(--quiet)", isDashed: true } },
    { name: "dominated", glyph: { kind: "mark", color: "var(--quiet)", shape: "circle", isHollow: true } },
  ];
}

interface QualityCostLayout {
  height: number;
  area: PlotArea;
  x: Axis;
  y: Axis;
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

const MARK_RADIUS = 6;

export function computeQualityCostLayout(
  { points, front, hull, costUnit }: QualityCostData,
  width: number,
  getLook: (point: QualityCostPoint) => SeriesLook,
): QualityCostLayout {
  const placed = points.filter(hasCostAndQuality).sort((a, b) => a.cost - b.cost || a.quality - b.quality);
  const units = getCostUnitWords({ costUnit });
  const { height, area, x, y } = createQualityCostAxes(placed, width, units.tick);
  const drawn = placed.map((point) => placeQualityCostPoint(point, { x, y, look: getLook(point) }));
  const onFront = findHullMembers(front, placed);
  return {
    height,
    area,
    x,
    y,
    points: drawn,
    labels: placeLabels(
      sortFrontFirst(drawn).map(({ name, x: left, y: top }) => ({
        name,
        x: left,
        y: top,
        size: MARK_RADIUS,
        ...buildDominatedNote(name, placed),
      })),
      area,
    ),
    step: buildStepPath(
      onFront.map(({ cost, quality }) => ({ x: x.toPixel(cost), y: y.toPixel(quality) })),
      area.right,
    ),
    hull: buildHullPath(findHullMembers(hull, placed), x, y),
    marks: placed.map((point, index) => createQualityCostMark(point, drawn[index], units)),
  };
}

function createQualityCostAxes(placed: readonly PlacedQualityCostPoint[], width: number, tick: TickFormatter) {
  const height = computeChartHeight(width);
  const { top, bottom } = computePlotArea(width, height);
  const qualities = placed.flatMap(({ quality, low, high }) => [quality, low, high]);
  const y = createLinearAxis({
    values: qualities,
    range: [bottom, top],
    text: formatNumberTick,
    count: 5,
    within: [0, 1],
  });
  const area = computePlotArea(width, height, measureLeftMargin(y));
  return {
    height,
    area,
    y,
    x: createCostAxis(
      placed.map(({ cost }) => cost),
      area,
      tick,
    ),
  };
}

interface PointAxes {
  x: Axis;
  y: Axis;
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
    area: 80,
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

/** Named beside the system as well, because a downloaded picture has no tooltip. */
function buildDominatedNote(name: string, placed: readonly PlacedQualityCostPoint[]): { note?: string } {
  const { dominatedBy = [] } = placed.find(({ system }) => system === name) ?? {};
  return dominatedBy.length === 0 ? {} : { note: `(dominated by ${formatNameList(dominatedBy, 2)})` };
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
  const interval = low === null || high === null ? "no interval" : `${formatNumber(low)} to ${formatNumber(high)}`;
  return quality === null ? "–" : `${formatNumber(quality)} (${interval})`;
}

/** What the chart shows, or why it is empty. */
export function describeQualityCost({ points, front, hull, costUnit }: QualityCostData): string {
  const units = getCostUnitWords({ costUnit });
  if (points.length === 0) return "There is nothing to draw: the run has no systems.";
  const placed = points.filter(({ cost, quality }) => cost !== null && quality !== null);
  if (placed.length === 0) return "There is nothing to draw: no system has both a score and a known cost.";
  const dominated = placed.filter(({ dominatedBy }) => dominatedBy.length > 0).length;
  const said = `${describeFront(front, units)} ${describeDominated(dominated, placed.length, units)}${describeHull(front, hull)}`;
  return `${units.before}${said}`;
}

function describeFront(front: readonly string[], { least }: CostUnitWords): string {
  const [cheapest, best] = [front[0], front.at(-1)];
  if (cheapest === undefined || best === undefined) return "No system is on the front.";
  if (front.length === 1) return `${shortenName(cheapest)} alone is on the front.`;
  return `${shortenName(cheapest)} ${least} and ${shortenName(best)} is the best.`;
}

function describeDominated(dominated: number, total: number, { asLittle }: CostUnitWords): string {
  if (total === 1) return "There is no other system to hold against it.";
  if (dominated === 0) return `None of ${formatPlural(total, "system")} is dominated.`;
  const verb = dominated > 1 ? "are" : "is";
  return `${dominated} of ${formatPlural(total, "system")} ${verb} dominated: another is at least as good and ${asLittle}, and better in one.`;
}

function describeHull(front: readonly string[], hull: readonly string[]): string {
  const under = front.filter((name) => !hull.includes(name));
  return under.length === 0 || hull.length < 2
    ? ""
    : ` A mix of two others reaches what ${formatNameList(under)} ${under.length > 1 ? "do" : "does"}.`;
}

/** Systems that are not drawn, and why. */
export function listQualityCostNotes({ points, costUnit }: QualityCostData): string[] {
  const { unknown } = getCostUnitWords({ costUnit });
  const unscored = points.filter(({ quality }) => quality === null).map(({ system }) => system);
  const unpriced = points.filter(({ cost, quality }) => cost === null && quality !== null).map(({ system }) => system);
  return [
    ...(unpriced.length > 0 ? [`Not drawn, because ${unknown}: ${formatNameList(unpriced, 8)}.`] : []),
    ...(unscored.length > 0 ? [`Not drawn, because nothing was scored: ${formatNameList(unscored, 8)}.`] : []),
  ];
}

export function buildQualityCostTable({ points, front, hull, costUnit }: QualityCostData): ChartTableData {
  const units = getCostUnitWords({ costUnit });
  return {
    columns: [
      "System",
      "Harness",
      "Dominated by",
      "Quality",
      "from",
      "to",
      units.name,
      "Tasks",
      "On the front",
      "On the hull",
      "Resamples on the front",
    ],
    words: 3,
    rows: points.map((point) => [
      formatName(point.system),
      point.harness === null ? "–" : formatName(point.harness),
      point.dominatedBy.length === 0 ? "–" : point.dominatedBy.map(formatName).join(", "),
      formatNumber(point.quality),
      formatNumber(point.low),
      formatNumber(point.high),
      units.text(point.cost),
      String(point.n),
      front.includes(point.system) ? "yes" : "no",
      hull.includes(point.system) ? "yes" : "no",
      formatShare(point.membership),
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
    name: "Cost of an attempt",
    axis: "mean cost of an attempt →",
    nothing: "free",
    text: formatDollars,
    tick: formatDollarTick,
    least: "is the cheapest on the front",
    asLittle: "as cheap",
    unknown: "the cost is not known",
    before: "",
  },
  tokens: {
    title: "Quality and output tokens",
    name: "Output tokens of an attempt",
    axis: "mean output tokens of an attempt →",
    nothing: "none",
    text: (cost) => formatCount(cost === null ? null : Math.round(cost)),
    tick: formatCountTick,
    least: "writes the least on the front",
    asLittle: "as short",
    unknown: "its output tokens are not known",
    before: "No cost is known here, so output tokens stand in for it. ",
  },
};

function getCostUnitWords({ costUnit }: Pick<QualityCostData, "costUnit">): CostUnitWords {
  return COST_UNITS[costUnit];
}
