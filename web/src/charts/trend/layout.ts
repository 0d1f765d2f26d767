import { area as areaShape, line as lineShape } from "d3-shape";
import type { CardFigure } from "../../../../src/report/dashboard/contract.js";
import { type Axis, linearAxis, logAxis, timeAxis } from "../axes/axis.js";
import type { Area } from "../axes/draw.js";
import { areaIn, heightFor, ticksAcross } from "../layout.js";
import type { Mark } from "../plot/mark.js";
import { styleOf } from "./figures.js";
import type { TrendLine, TrendPoint } from "./series.js";
import { factsOf } from "./words.js";

/** A run on a line. */
export interface TrendSpot {
  readonly x: number;
  readonly y: number;
  readonly isBlank: boolean;
  /** The ends of its interval, of a run that stands alone: a band needs two. */
  readonly whisker: { readonly low: number; readonly high: number } | null;
}

/** A line in pixels. */
export interface DrawnLine {
  readonly system: string;
  readonly path: string;
  /** Empty when no interval is known. */
  readonly band: string;
  readonly spots: readonly TrendSpot[];
}

export interface TrendLayout {
  height: number;
  area: Area;
  x: Axis;
  y: Axis;
  lines: readonly DrawnLine[];
  marks: readonly Mark[];
}

/** Values further apart than this are drawn on a logarithmic axis. */
const WIDE_APART = 100;

/** Places every run of every system. */
export function layoutTrend(lines: readonly TrendLine[], figure: CardFigure, width: number): TrendLayout {
  const height = heightFor(width);
  const area = areaIn(width, height, 62);
  const points = lines.flatMap((line) => line.points);
  const x = timeAxis({
    values: points.map(({ at }) => at),
    reach: [area.left, area.right],
    count: ticksAcross(area, 84),
  });
  const y = valueAxis(points, figure, area);
  const drawn = lines.map((line) => drawLine(line, { x, y, area }));
  const marks = lines.flatMap(({ points: all }, line) =>
    all.map((point, index) => markOf(point, { ...(drawn[line]?.spots[index] ?? { x: 0, y: 0 }), figure })),
  );
  return { height, area, x, y, lines: drawn, marks };
}

function valueAxis(points: readonly TrendPoint[], figure: CardFigure, area: Area): Axis {
  const { tick: text, isShare } = styleOf(figure);
  const drawn = points.filter(({ blank }) => blank === null);
  const values = drawn.flatMap(({ value, low, high }) => [value, low, high]).filter((value) => value !== null);
  const common = { reach: [area.bottom, area.top] as const, text, count: 5 };
  const positive = drawn.map(({ value }) => value ?? 0).filter((value) => value > 0);
  if (!isShare && positive.length > 0 && Math.max(...positive) / Math.min(...positive) > WIDE_APART)
    return logAxis({ ...common, values: [...values.filter((value) => value > 0), ...(values.includes(0) ? [0] : [])] });
  return linearAxis({ ...common, values, include: isShare ? [0, 1] : [0] });
}

interface Axes {
  x: Axis;
  y: Axis;
  area: Area;
}

function drawLine({ system, points }: TrendLine, { x, y, area }: Axes): DrawnLine {
  const across = (point: TrendPoint) => x.place(point.at);
  const isDrawn = (point: TrendPoint) => point.blank === null;
  const line = lineShape<TrendPoint>(across, (point) => y.place(point.value ?? 0))
    .defined(isDrawn)
    .digits(1);
  const band = areaShape<TrendPoint>(
    across,
    (point) => y.place(point.low ?? 0),
    (point) => y.place(point.high ?? 0),
  )
    .defined((point) => isDrawn(point) && point.low !== null && point.high !== null)
    .digits(1);
  return {
    system,
    path: line(points) ?? "",
    band: band(points) ?? "",
    spots: points.map((point, index) => ({
      x: across(point),
      y: isDrawn(point) ? y.place(point.value ?? 0) : area.bottom - 8,
      isBlank: !isDrawn(point),
      whisker: isDrawn(point) && isAlone(points, index) ? whiskerOf(point, y) : null,
    })),
  };
}

function isAlone(points: readonly TrendPoint[], index: number): boolean {
  return [points[index - 1], points[index + 1]].every(
    (neighbour) => neighbour === undefined || neighbour.blank !== null,
  );
}

function whiskerOf({ low, high }: TrendPoint, y: Axis): TrendSpot["whisker"] {
  return low === null || high === null ? null : { low: y.place(low), high: y.place(high) };
}

interface Spot {
  x: number;
  y: number;
  figure: CardFigure;
}

function markOf(point: TrendPoint, { x, y, figure }: Spot): Mark {
  const { run, card } = point;
  return {
    id: JSON.stringify([card.system, run.id]),
    series: card.system,
    x,
    y,
    ...factsOf(point, figure),
    picked: { run: run.id, system: card.system },
  };
}
