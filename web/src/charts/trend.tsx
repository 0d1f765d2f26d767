import { area as areaShape, line as lineShape } from "d3-shape";
import { useCallback, useMemo, useState } from "preact/hooks";
import type { CardFigure, RunCard, SystemCard } from "../../../src/report/dashboard/contract.js";
import {
  formatDollars,
  formatInterval,
  formatMilliseconds,
  formatMoment,
  formatNumber,
  formatPlural,
  formatScore,
  formatSeconds,
  formatShare,
} from "../ui/index.js";
import {
  ARIA_HIDDEN,
  type Axis,
  BottomAxis,
  computeChartHeight,
  computePlotArea,
  createTimeAxis,
  type DurationUnit,
  formatDollarTick,
  formatNumberTick,
  formatSecondsTick,
  formatShareTick,
  type InvertibleAxis,
  LeftAxis,
  measureLeftMargin,
  type PlotArea,
  parseTimestamp,
  type TickFormatter,
} from "./axes.js";
import { type AxisScale, ChartFrame, type ChartTableData, ScaleChoice } from "./frame.js";
import {
  computeLabelsHeight,
  fitLineLabels,
  LineLabels,
  measureLabelMargin,
  type PlacedLineLabel,
  placeLineLabels,
} from "./line-labels.js";
import { assignSystemLooks, buildShapePath, type SeriesLook } from "./looks.js";
import { formatName, shortenName, shortenSystemNames } from "./names.js";
import type { ChartProps, Mark, TooltipFact } from "./plot.js";
import { buildWhiskerPath, createScaledAxis } from "./scatter.js";
import { type ChartView, ClippedToArea, isInsideArea, ZoomablePlot } from "./zoom.js";

interface TrendChartProps extends ChartProps {
  runs: readonly RunCard[];
  figure: CardFigure;
  /** Called when the name of a system is pressed: shows only that system, or all again. */
  onIsolate?: ((system: string) => void) | undefined;
}

interface TrendPlotProps extends Pick<TrendChartProps, "figure" | "onPick" | "onIsolate"> {
  lines: readonly TrendLine[];
  scale: AxisScale;
  width: number;
  title: string;
  words: string;
  series: (name: string) => SeriesLook;
}

/** With more lines, bands would hide each other: only the highlighted line shows its band. */
const MAX_TREND_BANDS = 3;

/**
 * One figure of each system over time.
 * @example
 * <TrendChart runs={runs} figure="pass_rate" title="Success rate" onPick={({ run = "" }) => navigate(["run", run])} />
 */
export function TrendChart({ runs, figure, title = "Trend", systems, onPick, onIsolate }: TrendChartProps) {
  const [chosen, setScale] = useState<AxisScale | null>(null);
  const lines = useMemo(() => buildTrendLines(runs, figure), [runs, figure]);
  const series = useMemo(
    () =>
      assignSystemLooks(
        systems,
        lines.map(({ system }) => system),
      ),
    [lines, systems],
  );
  const words = describeTrend(lines, figure);
  const { isShare } = getFigureStyle(figure);
  const scale = isShare ? "linear" : (chosen ?? chooseTrendScale(lines));
  return (
    <ChartFrame
      title={title}
      words={words}
      table={() => buildTrendTable(lines, figure)}
      notes={listTrendNotes(lines, runs)}
      controls={isShare ? null : <ScaleChoice title={title} scale={scale} onChange={setScale} />}
    >
      {!lines.some(hasTrendValue)
        ? null
        : (width) => (
            <TrendPlot
              lines={lines}
              figure={figure}
              scale={scale}
              width={width}
              title={title}
              words={words}
              series={series}
              onPick={onPick}
              onIsolate={onIsolate}
            />
          )}
    </ChartFrame>
  );
}

function TrendPlot({ lines, figure, scale, width, title, words, series, onPick, onIsolate }: TrendPlotProps) {
  const [views, setViews] = useState<readonly ChartView[]>([]);
  const view = views.at(-1);
  const layout = useMemo(
    () => computeTrendLayout(lines, { figure, scale, width, view }),
    [lines, figure, scale, width, view],
  );
  const { height, area, frame, x, y } = layout;
  const drawing = useCallback(
    (active: string | null) => (
      <>
        <LeftAxis axis={y} area={area} label={`↑ ${title.toLowerCase()}`} zeroLabel="0" />
        <BottomAxis axis={x} area={frame} label="date of the run →" />
        {frame.bottom > area.bottom && <BlankLane area={area} bottom={frame.bottom} />}
        <ClippedToArea area={frame} isZoomed={view !== undefined}>
          {layout.lines.map((line) => (
            <TrendLineShape
              key={line.system}
              line={line}
              look={series(line.system)}
              active={active}
              count={layout.lines.length}
            />
          ))}
        </ClippedToArea>
        <LineLabels labels={layout.labels} getLook={series} active={active} onIsolate={onIsolate} />
      </>
    ),
    [layout, series, title, onIsolate, view],
  );
  return (
    <ZoomablePlot
      title={title}
      area={area}
      x={x}
      y={y}
      views={views}
      onChange={setViews}
      isHorizontal
      width={width}
      height={height}
      label={`${title}. ${words}`}
      marks={layout.marks}
      onPick={onPick}
      draw={drawing}
    />
  );
}

/** Where points without a value are, apart from the values. */
function BlankLane({ area: { left, right, bottom: top }, bottom }: { area: PlotArea; bottom: number }) {
  return (
    <g class="axis" {...ARIA_HIDDEN}>
      <line class="base" x1={left} x2={right} y1={top} y2={top} />
      <text x={left - 8} y={Math.max((top + bottom) / 2, top + BLANK_LABEL_DISTANCE)} dy="0.32em" text-anchor="end">
        {BLANK_LABEL}
      </text>
    </g>
  );
}

interface TrendLineShapeProps {
  line: PlacedTrendLine;
  look: SeriesLook;
  active: string | null;
  count: number;
}

function TrendLineShape({ line: { system, path, band, spots }, look, active, count }: TrendLineShapeProps) {
  const isActive = active === system;
  const hasIntervals = isActive || count <= MAX_TREND_BANDS;
  return (
    <g class={active === null || isActive ? undefined : "behind"}>
      {hasIntervals && <path class="band" d={band} fill={look.color} />}
      <path class="curve" d={path} stroke={look.color} />
      {spots.map((spot, index) => (
        <TrendMark key={index} spot={spot} look={look} isSmall={spots.length > 60} hasWhisker={hasIntervals} />
      ))}
    </g>
  );
}

interface TrendMarkProps {
  spot: PlacedTrendPoint;
  look: SeriesLook;
  isSmall: boolean;
  hasWhisker: boolean;
}

function TrendMark({ spot: { x, y, isBlank, whisker }, look, isSmall, hasWhisker }: TrendMarkProps) {
  return (
    <>
      {hasWhisker && whisker !== null && <path class="whisker" d={buildWhiskerPath(x, whisker)} stroke={look.color} />}
      <path
        class={isBlank ? "mark hollow" : "mark"}
        transform={`translate(${x},${y})`}
        d={buildShapePath(look.shape, isSmall ? 20 : 44)}
        fill={isBlank ? "var(--ground)" : look.color}
        stroke={look.color}
      />
    </>
  );
}

interface PlacedTrendPoint {
  readonly x: number;
  readonly y: number;
  readonly isBlank: boolean;
  /** The interval of an isolated run, because a band needs two points. */
  readonly whisker: { readonly low: number; readonly high: number } | null;
}

interface PlacedTrendLine {
  readonly system: string;
  readonly path: string;
  /** Empty when no interval is known. */
  readonly band: string;
  readonly spots: readonly PlacedTrendPoint[];
}

interface TrendLayout {
  height: number;
  area: PlotArea;
  /** The area and the lane of blank points below it. */
  frame: PlotArea;
  x: InvertibleAxis;
  y: InvertibleAxis;
  lines: readonly PlacedTrendLine[];
  labels: readonly PlacedLineLabel[];
  marks: readonly Mark[];
}

interface TrendDrawing {
  figure: CardFigure;
  scale: AxisScale;
  width: number;
  /** Of times; default: all of them. */
  view?: ChartView | undefined;
}

/** Values that differ by a larger factor are drawn on a logarithmic axis, unless the reader chooses. */
const MIN_LOG_RATIO = 10;

/** One slow system would flatten the others on a linear axis. */
export function chooseTrendScale(lines: readonly TrendLine[]): AxisScale {
  const drawn = lines.flatMap(({ points }) => points).filter(({ blank }) => blank === null);
  const positive = drawn.map(({ value }) => value ?? 0).filter((value) => value > 0);
  return positive.length > 0 && Math.max(...positive) / Math.min(...positive) > MIN_LOG_RATIO ? "log" : "linear";
}

export function computeTrendLayout(
  lines: readonly TrendLine[],
  { figure, scale, width, view }: TrendDrawing,
): TrendLayout {
  const points = lines.flatMap((line) => line.points);
  const outside = computePlotArea(width, 0);
  const height = Math.max(computeChartHeight(width), computeLabelsHeight(lines.length) + outside.top - outside.bottom);
  const names = lines.map(({ system }) => system);
  const texts = fitLineLabels(names.map(shortenSystemNames(names)), width);
  const y = createValueAxis(points, { figure, scale, area: computePlotArea(width, height) });
  const zeroLabel = points.some(({ blank }) => blank !== null) ? BLANK_LABEL : "0";
  const area = {
    ...computePlotArea(width, height, measureLeftMargin(y, zeroLabel)),
    right: width - measureLabelMargin(texts),
  };
  const x = createTimeAxis({ values: points.map(({ at }) => at), range: [area.left, area.right], view: view?.x });
  const drawn = placeBlanks(
    lines.map((line) => placeTrendLine(line, { x, y })),
    area,
  );
  const laneHeight = measureBlankLane(drawn, area);
  const frame = { ...area, bottom: area.bottom + laneHeight };
  const isShown = (spot: PlacedTrendPoint) => view === undefined || isInsideArea(spot, frame);
  const ends = drawn.flatMap(({ system, spots }, index) => {
    const shown = spots.filter(isShown);
    const end = shown.findLast(({ isBlank }) => !isBlank) ?? shown.at(-1);
    return end === undefined ? [] : [{ name: system, text: texts[index] ?? system, x: end.x, y: end.y }];
  });
  const marks = lines.flatMap(({ points: all }, line) =>
    all.flatMap((point, index) => {
      const spot = drawn[line]?.spots[index];
      return spot !== undefined && isShown(spot) ? [createTrendMark(point, { x: spot.x, y: spot.y, figure })] : [];
    }),
  );
  const labels = placeLineLabels(ends, area);
  return { height: height + laneHeight, area, frame, x, y, lines: drawn, labels, marks };
}

interface ValueAxisOptions {
  figure: CardFigure;
  scale: AxisScale;
  area: PlotArea;
}

function createValueAxis(points: readonly TrendPoint[], { figure, scale, area }: ValueAxisOptions): InvertibleAxis {
  const { tick: text, isShare, duration } = getFigureStyle(figure);
  const drawn = points.filter(({ blank }) => blank === null);
  const values = drawn.flatMap(({ value, low, high }) => [value, low, high]).filter((value) => value !== null);
  const common = { range: [area.bottom, area.top] as const, text, count: 5, duration, scale };
  return createScaledAxis({ ...common, values: isShare ? [...values, 1] : values });
}

const BLANK_LABEL = "left blank";
/** Below the lowest tick of the values, in pixels. */
const BLANK_LABEL_DISTANCE = 14;

/** The distance of blank points, in pixels. */
const BLANK_STEP = 11;
const MAX_BLANK_ROWS = 4;
const MAX_BLANK_STEPS = 6;

/** Positions near a blank point of the lane, the nearest first: in pixels to the side, and in rows down. */
const BLANK_OFFSETS = Array.from({ length: MAX_BLANK_ROWS }, (_, row) =>
  Array.from({ length: 2 * MAX_BLANK_STEPS + 1 }, (__, step) => ({ dx: (step - MAX_BLANK_STEPS) * BLANK_STEP, row })),
)
  .flat()
  .sort((a, b) => Math.hypot(a.dx, a.row * BLANK_STEP) - Math.hypot(b.dx, b.row * BLANK_STEP));

/** Moves each blank point to the nearest free position of the lane, so that they do not lie on each other. */
function placeBlanks(lines: readonly PlacedTrendLine[], { left, right, bottom }: PlotArea): PlacedTrendLine[] {
  const rows: number[][] = Array.from({ length: MAX_BLANK_ROWS }, () => []);
  const place = (spot: PlacedTrendPoint): PlacedTrendPoint => {
    if (!spot.isBlank) return spot;
    const isFree = ({ dx, row }: { dx: number; row: number }) => {
      const x = spot.x + dx;
      return x >= left && x <= right && rows[row]?.every((other) => Math.abs(other - x) >= BLANK_STEP) === true;
    };
    const found = BLANK_OFFSETS.find(isFree);
    const { dx, row } = found ?? { dx: 0, row: 0 };
    if (found !== undefined) rows[row]?.push(spot.x + dx);
    return { ...spot, x: spot.x + dx, y: bottom + (row + 0.8) * BLANK_STEP };
  };
  return lines.map((line) => ({ ...line, spots: line.spots.map(place) }));
}

/** In pixels; 0 when no point is blank. */
function measureBlankLane(lines: readonly PlacedTrendLine[], { bottom }: PlotArea): number {
  const blank = lines.flatMap(({ spots }) => spots).filter(({ isBlank }) => isBlank);
  return Math.max(0, ...blank.map(({ y }) => y + 0.8 * BLANK_STEP - bottom));
}

interface TrendAxes {
  x: Axis;
  y: Axis;
}

function placeTrendLine({ system, points }: TrendLine, { x, y }: TrendAxes): PlacedTrendLine {
  const across = (point: TrendPoint) => x.toPixel(point.at);
  const isDrawn = (point: TrendPoint) => point.blank === null;
  const line = lineShape<TrendPoint>(across, (point) => y.toPixel(point.value ?? 0))
    .defined(isDrawn)
    .digits(1);
  const band = areaShape<TrendPoint>(
    across,
    (point) => y.toPixel(point.low ?? 0),
    (point) => y.toPixel(point.high ?? 0),
  )
    .defined((point) => isDrawn(point) && point.low !== null && point.high !== null)
    .digits(1);
  return {
    system,
    path: line(points) ?? "",
    band: band(points) ?? "",
    spots: points.map((point, index) => ({
      x: across(point),
      y: y.toPixel(isDrawn(point) ? (point.value ?? 0) : 0),
      isBlank: !isDrawn(point),
      whisker: isDrawn(point) && isIsolated(points, index) ? computeWhisker(point, y) : null,
    })),
  };
}

function isIsolated(points: readonly TrendPoint[], index: number): boolean {
  return [points[index - 1], points[index + 1]].every((neighbor) => neighbor === undefined || neighbor.blank !== null);
}

function computeWhisker({ low, high }: TrendPoint, y: Axis): PlacedTrendPoint["whisker"] {
  return low === null || high === null ? null : { low: y.toPixel(low), high: y.toPixel(high) };
}

interface TrendMarkPosition {
  x: number;
  y: number;
  figure: CardFigure;
}

function createTrendMark(point: TrendPoint, { x, y, figure }: TrendMarkPosition): Mark {
  const { run, card } = point;
  return {
    id: JSON.stringify([card.system, run.id]),
    series: card.system,
    x,
    y,
    ...describeTrendPoint(point, figure),
    selection: { run: run.id, system: card.system },
  };
}

function describeTrendPoint(point: TrendPoint, figure: CardFigure): { title: string; facts: TooltipFact[] } {
  const { run, card, blank } = point;
  const facts: (TooltipFact | null)[] = [
    ["Value", blank === null ? formatInterval(point, getFigureStyle(figure).format) : "left blank"],
    blank === null ? null : ["Because", blank],
    ["Run", formatName(run.title || run.id)],
    ["Started", formatMoment(run.createdAt)],
    ["Cost", formatDollars(card.costUsd)],
    ["Duration of the run", formatSeconds(run.wallSeconds)],
    run.status === "complete" ? null : ["Status", run.status],
  ];
  return { title: formatName(card.system), facts: facts.filter((fact) => fact !== null) };
}

/** What the chart shows, or why it is empty. */
export function describeTrend(lines: readonly TrendLine[], figure: CardFigure): string {
  const points = lines.flatMap((line) => line.points);
  if (points.length === 0) return "Nothing to show: no run has this figure.";
  const runs = new Set(points.map(({ run }) => run.id)).size;
  const { format } = getFigureStyle(figure);
  const changes = lines.flatMap((line) => describeTrendChange(line, format));
  if (changes.length === 0)
    return `Nothing to show: none of ${formatPlural(runs, "run")} has a value (${joinBlankReasons(points)}).`;
  const more = changes.length > 3 ? `; ${changes.length - 3} more in the table` : "";
  return `Over ${formatPlural(runs, "run")}: ${changes.slice(0, 3).join("; ")}${more}.`;
}

function joinBlankReasons(points: readonly TrendPoint[]): string {
  return [...new Set(points.map(({ blank }) => blank))].slice(0, 3).join("; ");
}

function describeTrendChange({ system, points }: TrendLine, format: (value: number | null) => string): string[] {
  const known = points.filter(({ blank }) => blank === null);
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined) return [];
  const name = shortenName(system);
  const [before, after] = [format(first.value), format(last.value)];
  if (first === last) return [`${name} has ${after}`];
  return [before === after ? `${name} stayed at ${after}` : `${name} went from ${before} to ${after}`];
}

/** Points that are not drawn, and runs without a date. */
export function listTrendNotes(lines: readonly TrendLine[], runs: readonly RunCard[]): string[] {
  const blank = lines.flatMap((line) => line.points).filter((point) => point.blank !== null);
  const undated = runs.length - listDatedRuns(runs).length;
  return [
    ...(blank.length > 0 ? [`${formatPlural(blank.length, "point")} left blank: ${countBlankReasons(blank)}.`] : []),
    ...(undated > 0 ? [`${formatPlural(undated, "run")} without a date left out.`] : []),
  ];
}

function countBlankReasons(blank: readonly TrendPoint[]): string {
  const failed = blank.filter(({ card }) => hasMostlyErrors(card)).length;
  const reasons = [
    [failed, "infrastructure errors in at least half of the trials"],
    [blank.length - failed, "not measured"],
  ] as const;
  return reasons
    .filter(([count]) => count > 0)
    .map(([count, reason]) => (count === blank.length ? reason : `${count} ${reason}`))
    .join(", ");
}

/** The latest run first. */
export function buildTrendTable(lines: readonly TrendLine[], figure: CardFigure): ChartTableData {
  const { format } = getFigureStyle(figure);
  const points = lines.flatMap((line) => line.points).sort((a, b) => b.at - a.at);
  return {
    columns: ["System", "Run", "Started", "Left blank because", "Value", "from", "to", "Cost", "Duration of the run"],
    words: 4,
    rows: points.map(({ run, card, value, low, high, blank }) => [
      formatName(card.system),
      formatName(run.title || run.id),
      formatMoment(run.createdAt),
      blank ?? "–",
      format(blank === null ? value : null),
      format(blank === null ? low : null),
      format(blank === null ? high : null),
      formatDollars(card.costUsd),
      formatSeconds(run.wallSeconds),
    ]),
  };
}

/** A system in one run. */
interface TrendPoint {
  readonly run: RunCard;
  readonly card: SystemCard;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
  /** Why there is no value to draw; null when there is one. */
  readonly blank: string | null;
}

/** A system over runs, oldest first. */
interface TrendLine {
  readonly system: string;
  readonly points: readonly TrendPoint[];
}

/** From this share of infrastructure errors on, the other trials say little about the system. */
const MIN_BLANK_ERROR_SHARE = 0.5;

/** Runs without a date are left out. */
export function buildTrendLines(runs: readonly RunCard[], figure: CardFigure): TrendLine[] {
  const lines = new Map<string, TrendPoint[]>();
  for (const { run, at } of listDatedRuns(runs))
    for (const card of run.systems) {
      const line = lines.get(card.system) ?? [];
      lines.set(card.system, line);
      line.push(buildTrendPoint({ run, at }, card, figure));
    }
  return [...lines].map(([system, points]) => ({ system, points }));
}

interface DatedRun {
  run: RunCard;
  at: number;
}

/** Oldest first. */
function listDatedRuns(runs: readonly RunCard[]): DatedRun[] {
  return runs
    .flatMap((run) => {
      const at = parseTimestamp(run.createdAt);
      return at === null ? [] : [{ run, at }];
    })
    .sort((a, b) => a.at - b.at);
}

function buildTrendPoint({ run, at }: DatedRun, card: SystemCard, figure: CardFigure): TrendPoint {
  const value = card.figures[figure];
  // A high error rate is what this figure should show.
  const isBlank = hasMostlyErrors(card) && figure !== "error_rate";
  const blank = isBlank
    ? `${Math.round(computeErrorShare(card) * 100)} % of the trials had infrastructure errors`
    : value === null
      ? "not measured"
      : null;
  return {
    run,
    card,
    at,
    value,
    low: getIntervalEnd(card, `${figure}_ci_low`),
    high: getIntervalEnd(card, `${figure}_ci_high`),
    blank,
  };
}

function hasMostlyErrors(card: SystemCard): boolean {
  return computeErrorShare(card) >= MIN_BLANK_ERROR_SHARE;
}

/** Of the trials that started: skipped trials would hide how many of the others failed. */
function computeErrorShare({ outcomes }: SystemCard): number {
  const begun = Object.values(outcomes).reduce((sum, count) => sum + count, 0) - outcomes.skipped;
  return begun === 0 ? 0 : outcomes.error / begun;
}

function getIntervalEnd({ figures }: SystemCard, name: string): number | null {
  return Object.entries(figures).find(([key]) => key === name)?.[1] ?? null;
}

function hasTrendValue({ points }: TrendLine): boolean {
  return points.some(({ blank }) => blank === null);
}

interface FigureStyle {
  format: (value: number | null) => string;
  tick: TickFormatter;
  /** The axis of a share always goes from 0 to 1. */
  isShare: boolean;
  /** Set for figures in seconds or milliseconds. */
  duration?: DurationUnit;
}

const SHARE_STYLE: FigureStyle = { format: formatShare, tick: formatShareTick, isShare: true };
const SCORE_STYLE: FigureStyle = { format: (value) => formatScore(value), tick: formatNumberTick, isShare: true };
const DOLLAR_STYLE: FigureStyle = { format: formatDollars, tick: formatDollarTick, isShare: false };
const MILLISECOND_STYLE: FigureStyle = {
  format: formatMilliseconds,
  tick: (value) => formatSecondsTick(value / 1000),
  isShare: false,
  duration: "ms",
};
const SECOND_STYLE: FigureStyle = {
  format: (value) => formatMilliseconds(value === null ? null : value * 1000),
  tick: formatSecondsTick,
  isShare: false,
  duration: "s",
};
const NUMBER_STYLE: FigureStyle = { format: (value) => formatNumber(value), tick: formatNumberTick, isShare: false };

/** Names of figures follow these patterns. */
function getFigureStyle(figure: CardFigure): FigureStyle {
  if (/^(pass_rate|pass_hat|coverage|error_rate)/.test(figure)) return SHARE_STYLE;
  if (/^mean_score(_ci_\w+)?$/.test(figure)) return SCORE_STYLE;
  if (/usd|cost_per_success/.test(figure)) return DOLLAR_STYLE;
  if (figure.endsWith("_ms")) return MILLISECOND_STYLE;
  return figure.startsWith("latency") ? SECOND_STYLE : NUMBER_STYLE;
}
