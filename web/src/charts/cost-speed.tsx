import { useMemo } from "preact/hooks";
import type { CostSpeedChart as CostSpeedData, CostSpeedPoint } from "../../../src/report/dashboard/contract.js";
import { formatDollars, formatPlural, formatSeconds, formatShare } from "../ui/index.js";
import {
  type Axis,
  BottomAxis,
  computeChartHeight,
  computePlotArea,
  createLogAxis,
  formatDollarTick,
  formatSecondsTick,
  LeftAxis,
  measureLeftMargin,
  type PlotArea,
} from "./axes.js";
import { ChartFrame, type ChartTableData, type LegendEntry } from "./frame.js";
import { assignSystemLooks, type SeriesLook } from "./looks.js";
import { formatName, formatNameList, shortenName } from "./names.js";
import { type ChartProps, type Mark, Plot, type TooltipFact } from "./plot.js";
import {
  buildStepPath,
  createCostAxis,
  type PlacedLabel,
  placeLabels,
  ScatterLabels,
  type ScatterPoint,
  ScatterPoints,
} from "./scatter.js";

interface CostSpeedChartProps extends ChartProps {
  data: CostSpeedData;
}

interface CostSpeedPlotProps extends Pick<CostSpeedChartProps, "data" | "onPick"> {
  width: number;
  words: string;
  getLook: (point: CostSpeedPoint) => SeriesLook;
}

/**
 * Cost per pass against time per pass, failures included, with the Pareto frontier.
 * @example
 * <CostSpeedChart data={run.charts.costSpeed} onPick={({ system }) => navigate(["run", id], { system })} />
 */
export function CostSpeedChart({ data, title = "Cost–Speed Frontier", systems, onPick }: CostSpeedChartProps) {
  const words = describeCostSpeed(data);
  const { getName, getLook } = useMemo(() => chooseCostSpeedLooks(data.points, systems), [data, systems]);
  return (
    <ChartFrame
      title={title}
      words={words}
      table={() => buildCostSpeedTable(data)}
      legend={buildCostSpeedLegend(data.points, getName, getLook)}
      notes={listCostSpeedNotes(data)}
    >
      {data.points.some(hasCostAndTime)
        ? (width) => (
            <CostSpeedPlot data={data} width={width} words={`${title}. ${words}`} getLook={getLook} onPick={onPick} />
          )
        : null}
    </ChartFrame>
  );
}

function CostSpeedPlot({ data, width, words, getLook, onPick }: CostSpeedPlotProps) {
  const layout = useMemo(() => computeCostSpeedLayout(data, width, getLook), [data, width, getLook]);
  const { height, area, x, y } = layout;
  const drawing = useMemo(
    () => (
      <>
        <LeftAxis axis={y} area={area} label="↑ seconds of all trials for each pass" zeroLabel="none" />
        <BottomAxis axis={x} area={area} label="cost of a pass →" zeroLabel="free" />
        <path class="front" d={layout.step} />
        <ScatterPoints points={layout.points} />
        <ScatterLabels labels={layout.labels} />
      </>
    ),
    [layout],
  );
  return (
    <Plot width={width} height={height} label={words} marks={layout.marks} onPick={onPick}>
      {drawing}
    </Plot>
  );
}

/** Color and shape show the harness, or the system when there is only one harness. */
function chooseCostSpeedLooks(points: readonly CostSpeedPoint[], systems: readonly string[] | undefined) {
  const harnesses = [...new Set(points.map(({ harness }) => harness ?? "no harness"))];
  const isByHarness = harnesses.length > 1;
  const series = isByHarness
    ? assignSystemLooks(undefined, harnesses)
    : assignSystemLooks(
        systems,
        points.map(({ system }) => system),
      );
  const getName = ({ system, harness }: CostSpeedPoint) => (isByHarness ? (harness ?? "no harness") : system);
  return { getName, getLook: (point: CostSpeedPoint) => series(getName(point)) };
}

function buildCostSpeedLegend(
  points: readonly CostSpeedPoint[],
  getName: (point: CostSpeedPoint) => string,
  getLook: (point: CostSpeedPoint) => SeriesLook,
): LegendEntry[] {
  const looks = new Map(points.filter(hasCostAndTime).map((point) => [getName(point), getLook(point)]));
  const quiet = { kind: "mark", color: "var(--quiet)", shape: "circle" } as const;
  return [
    ...[...looks]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, look]): LegendEntry => ({ name, glyph: { kind: "mark", ...look } })),
    { name: "frontier", glyph: { kind: "line", color: "var(--text)" } },
    { name: "dominated", glyph: { ...quiet, isHollow: true } },
    { name: "10 % success", glyph: { ...quiet, area: computeMarkArea(0.1) / 2 } },
    { name: "100 % success", glyph: { ...quiet, area: computeMarkArea(1) / 2 } },
  ];
}

interface CostSpeedLayout {
  height: number;
  area: PlotArea;
  x: Axis;
  y: Axis;
  points: readonly ScatterPoint[];
  labels: readonly PlacedLabel[];
  step: string;
  marks: readonly Mark[];
}

/** Only systems with both can be drawn. */
type PlacedCostSpeedPoint = CostSpeedPoint & { costPerPassUsd: number; secondsPerPass: number };

function hasCostAndTime(point: CostSpeedPoint): point is PlacedCostSpeedPoint {
  return point.leftOut === null && point.costPerPassUsd !== null && point.secondsPerPass !== null;
}

/** The area of a mark shows the success rate; even the smallest can be seen and clicked. */
export function computeMarkArea(passRate: number | null): number {
  return 30 + 270 * Math.min(Math.max(passRate ?? 0, 0), 1);
}

export function computeCostSpeedLayout(
  { points, front }: CostSpeedData,
  width: number,
  getLook: (point: CostSpeedPoint) => SeriesLook,
): CostSpeedLayout {
  const placed = points
    .filter(hasCostAndTime)
    .sort((a, b) => a.costPerPassUsd - b.costPerPassUsd || a.secondsPerPass - b.secondsPerPass);
  const { height, area, x, y } = createCostSpeedAxes(placed, width);
  const drawn = placed.map(
    (point): ScatterPoint => ({
      name: point.system,
      x: x.toPixel(point.costPerPassUsd),
      y: y.toPixel(point.secondsPerPass),
      area: computeMarkArea(point.passRate),
      look: getLook(point),
      isDominated: point.dominatedBy.length > 0,
      whisker: null,
    }),
  );
  return { height, area, x, y, points: drawn, ...buildLabelsAndMarks({ placed, drawn, front, area }) };
}

function createCostSpeedAxes(placed: readonly PlacedCostSpeedPoint[], width: number) {
  const height = computeChartHeight(width);
  const { top, bottom } = computePlotArea(width, height);
  const y = createLogAxis({
    values: placed.map(({ secondsPerPass }) => secondsPerPass),
    range: [bottom, top],
    text: formatSecondsTick,
    count: 6,
    duration: "s",
  });
  const area = computePlotArea(width, height, measureLeftMargin(y, "0 s"));
  return {
    height,
    area,
    y,
    x: createCostAxis(
      placed.map(({ costPerPassUsd }) => costPerPassUsd),
      area,
      formatDollarTick,
    ),
  };
}

interface PlacedSystems {
  placed: readonly PlacedCostSpeedPoint[];
  drawn: readonly ScatterPoint[];
  front: readonly string[];
  area: PlotArea;
}

function buildLabelsAndMarks({ placed, drawn, front, area }: PlacedSystems) {
  const byName = new Map(drawn.map((point) => [point.name, point]));
  const onFront = front.flatMap((name) => byName.get(name) ?? []);
  const frontFirst = [...drawn].sort((a, b) => Number(a.isDominated) - Number(b.isDominated));
  return {
    labels: placeLabels(
      frontFirst.map((point) => ({ ...point, size: Math.sqrt(point.area) / 2 + 1 })),
      area,
    ),
    step: buildStepPath(onFront, area.right),
    marks: placed.map(
      (point, index): Mark => ({
        id: point.system,
        series: point.system,
        x: drawn[index]?.x ?? 0,
        y: drawn[index]?.y ?? 0,
        ...describeCostSpeedPoint(point),
        selection: { system: point.system },
      }),
    ),
  };
}

function describeCostSpeedPoint(point: CostSpeedPoint): { title: string; facts: TooltipFact[] } {
  const { system, harness, costPerPassUsd, secondsPerPass, passRate, dominatedBy } = point;
  const facts: (TooltipFact | null)[] = [
    ["Cost of a pass", costPerPassUsd === 0 ? "free" : formatDollars(costPerPassUsd)],
    ["Time of a pass", formatSeconds(secondsPerPass)],
    ["Success rate", formatShare(passRate)],
    harness === null ? null : ["Harness", formatName(harness)],
    dominatedBy.length === 0 ? ["Frontier", "on it"] : ["Dominated by", formatNameList(dominatedBy, 4)],
  ];
  return { title: formatName(system), facts: facts.filter((fact) => fact !== null) };
}

/** What the chart shows, or why it is empty. */
export function describeCostSpeed({ points, front }: CostSpeedData): string {
  if (points.length === 0) return "There is nothing to draw: the run has no systems.";
  const placed = points.filter(hasCostAndTime);
  if (placed.length === 0) return "There is nothing to draw: no system has both a cost and a time of a pass.";
  const dominated = placed.filter(({ dominatedBy }) => dominatedBy.length > 0).length;
  const rest =
    placed.length > 1
      ? ` ${dominated === 0 ? "None" : dominated} of ${formatPlural(placed.length, "system")} ${dominated > 1 ? "are" : "is"} dominated.`
      : "";
  return `${describeFrontier(front)}${rest} Dollars and seconds are of all trials, failures included, for each pass. Towards the lower left is cheaper and faster; larger marks succeed more often.`;
}

function describeFrontier(front: readonly string[]): string {
  const [cheapest, fastest] = [front[0], front.at(-1)];
  if (cheapest === undefined || fastest === undefined) return "No system is on the frontier.";
  if (front.length === 1)
    return `${shortenName(cheapest)} alone is on the frontier: the cheapest and the fastest for a pass.`;
  return `On the frontier, ${shortenName(cheapest)} is the cheapest for a pass and ${shortenName(fastest)} the fastest.`;
}

/** Systems that are not drawn, each with the reason. */
export function listCostSpeedNotes({ points }: CostSpeedData): string[] {
  const out = points.filter((point) => !hasCostAndTime(point));
  const reasons = out.map(({ system, leftOut }) => `${formatName(system)} (${leftOut ?? "cost or time is not known"})`);
  return out.length === 0 ? [] : [`Left out: ${reasons.join("; ")}.`];
}

function buildCostSpeedTable({ points, front }: CostSpeedData): ChartTableData {
  return {
    columns: [
      "System",
      "Harness",
      "Dominated by",
      "Left out because",
      "Cost of a pass",
      "Time of a pass",
      "Success rate",
      "On the frontier",
    ],
    words: 4,
    rows: points.map((point) => [
      formatName(point.system),
      point.harness === null ? "–" : formatName(point.harness),
      point.dominatedBy.length === 0 ? "–" : point.dominatedBy.map(formatName).join(", "),
      point.leftOut ?? "–",
      formatDollars(point.costPerPassUsd),
      formatSeconds(point.secondsPerPass),
      formatShare(point.passRate),
      front.includes(point.system) ? "yes" : "no",
    ]),
  };
}
