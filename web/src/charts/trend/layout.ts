import { area as areaShape, line as lineShape } from "d3-shape";
import type { CardFigure } from "../../../../src/report/dashboard/contract.js";
import { type Axis, createLinearAxis, createLogAxis, createTimeAxis } from "../axes/axis.js";
import type { PlotArea } from "../axes/draw.js";
import { computeChartHeight, computePlotArea, computeTickCount } from "../layout.js";
import type { Mark } from "../plot/mark.js";
import { getFigureStyle } from "./figures.js";
import type { TrendLine, TrendPoint } from "./series.js";
import { describeTrendPoint } from "./words.js";

/** A run on a line. */
export interface PlacedTrendPoint {
  readonly x: number;
  readonly y: number;
  readonly isBlank: boolean;
  /** The ends of its interval, of a run that stands alone: a band needs two. */
  readonly whisker: { readonly low: number; readonly high: number } | null;
}

/** A line in pixels. */
export interface PlacedTrendLine {
  readonly system: string;
  readonly path: string;
  /** Empty when no interval is known. */
  readonly band: string;
  readonly spots: readonly PlacedTrendPoint[];
}

export interface TrendLayout {
  height: number;
  area: PlotArea;
  x: Axis;
  y: Axis;
  lines: readonly PlacedTrendLine[];
  marks: readonly Mark[];
}

/** Values further apart than this are drawn on a logarithmic axis. */
const MIN_LOG_RATIO = 100;

/** Places every run of every system. */
export function computeTrendLayout(lines: readonly TrendLine[], figure: CardFigure, width: number): TrendLayout {
  const height = computeChartHeight(width);
  const area = computePlotArea(width, height, 62);
  const points = lines.flatMap((line) => line.points);
  const x = createTimeAxis({
    values: points.map(({ at }) => at),
    range: [area.left, area.right],
    count: computeTickCount(area, 84),
  });
  const y = createValueAxis(points, figure, area);
  const drawn = lines.map((line) => placeTrendLine(line, { x, y, area }));
  const marks = lines.flatMap(({ points: all }, line) =>
    all.map((point, index) => createTrendMark(point, { ...(drawn[line]?.spots[index] ?? { x: 0, y: 0 }), figure })),
  );
  return { height, area, x, y, lines: drawn, marks };
}

function createValueAxis(points: readonly TrendPoint[], figure: CardFigure, area: PlotArea): Axis {
  const { tick: text, isShare } = getFigureStyle(figure);
  const drawn = points.filter(({ blank }) => blank === null);
  const values = drawn.flatMap(({ value, low, high }) => [value, low, high]).filter((value) => value !== null);
  const common = { range: [area.bottom, area.top] as const, text, count: 5 };
  const positive = drawn.map(({ value }) => value ?? 0).filter((value) => value > 0);
  if (!isShare && positive.length > 0 && Math.max(...positive) / Math.min(...positive) > MIN_LOG_RATIO)
    return createLogAxis({
      ...common,
      values: [...values.filter((value) => value > 0), ...(values.includes(0) ? [0] : [])],
    });
  return createLinearAxis({ ...common, values, include: isShare ? [0, 1] : [0] });
}

interface TrendAxes {
  x: Axis;
  y: Axis;
  area: PlotArea;
}

function placeTrendLine({ system, points }: TrendLine, { x, y, area }: TrendAxes): PlacedTrendLine {
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
      y: isDrawn(point) ? y.toPixel(point.value ?? 0) : area.bottom - 8,
      isBlank: !isDrawn(point),
      whisker: isDrawn(point) && isIsolated(points, index) ? computeWhisker(point, y) : null,
    })),
  };
}

function isIsolated(points: readonly TrendPoint[], index: number): boolean {
  return [points[index - 1], points[index + 1]].every(
    (neighbour) => neighbour === undefined || neighbour.blank !== null,
  );
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
