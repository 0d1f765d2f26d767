import { max } from "d3-array";
import type { LatencySpread } from "../../../../src/report/dashboard/contract.js";
import { type Axis, createLogAxis } from "../axes/axis.js";
import { formatSecondsTick } from "../axes/ticks.js";
import { type BarRow, type BarRows, computeBarRows } from "../bars/rows.js";
import { computeTickCount } from "../layout.js";
import type { Box, Mark } from "../plot/mark.js";
import { describeLatencyBin, type MeasuredSpread } from "./words.js";

/** One system's distribution in pixels. */
export interface PlacedSpread {
  readonly system: string;
  /** The steps of the histogram, closed at the bottom. */
  readonly path: string;
  readonly base: number;
  readonly top: number;
  readonly p50: number;
  readonly p95: number;
}

export interface LatencyLayout {
  rows: BarRows;
  x: Axis;
  spreads: readonly PlacedSpread[];
  marks: readonly Mark[];
}

/** A histogram for each system over the same axis, one under the other. */
export function computeLatencyLayout(spreads: readonly MeasuredSpread[], width: number): LatencyLayout {
  const rows = computeBarRows(
    spreads.map(({ system }) => system),
    { width, band: spreads.length > 10 ? 26 : 44 },
  );
  const edges = spreads.flatMap(({ bins, quantiles }) => [
    ...bins.flatMap(({ from, to }) => [from, to]),
    quantiles.p50,
    quantiles.p95,
  ]);
  const x = createLogAxis({
    values: edges,
    range: [rows.left, rows.right],
    text: formatSecondsTick,
    count: computeTickCount(rows),
  });
  const drawn = spreads.flatMap((spread, index) => {
    const row = rows.rows[index];
    return row === undefined ? [] : [placeSpread(spread, row, x)];
  });
  return {
    rows,
    x,
    spreads: drawn.map(({ marks: _, ...spread }) => spread),
    marks: drawn.flatMap(({ marks }) => marks),
  };
}

function placeSpread(spread: MeasuredSpread, { top, band }: BarRow, x: Axis): PlacedSpread & { marks: Mark[] } {
  const base = top + band;
  const most = max(spread.bins, ({ count }) => count) || 1;
  const boxes = spread.bins.map((bin) => ({ bin, box: computeBinBox(bin, { x, base, scale: (band - 2) / most }) }));
  return {
    system: spread.system,
    path: buildHistogramPath(
      boxes.map(({ box }) => box),
      base,
    ),
    base,
    top,
    p50: x.toPixel(spread.quantiles.p50),
    p95: x.toPixel(spread.quantiles.p95),
    marks: boxes
      .filter(({ bin }) => bin.count > 0)
      .map(({ bin, box }) => createBinMark(spread, bin, { box, top, band })),
  };
}

type LatencyBin = LatencySpread["bins"][number];

/** Equal times make a bin without width: it is drawn with some. */
function computeBinBox(
  { from, to, count }: LatencyBin,
  { x, base, scale }: { x: Axis; base: number; scale: number },
): Box {
  const [left, right] = [x.toPixel(from), x.toPixel(to)];
  const width = Math.max(right - left, 4);
  return { x: right - left < 4 ? left - 2 : left, y: base - count * scale, width, height: count * scale };
}

function buildHistogramPath(boxes: readonly Box[], base: number): string {
  const px = (value: number) => Math.round(value * 10) / 10;
  const steps = boxes.map((box) => `L${px(box.x)},${px(box.y)}H${px(box.x + box.width)}`);
  const [first, last] = [boxes[0], boxes.at(-1)];
  if (first === undefined || last === undefined) return "";
  return `M${px(first.x)},${px(base)}${steps.join("")}V${px(base)}Z`;
}

function createBinMark(
  spread: MeasuredSpread,
  bin: LatencyBin,
  { box, top, band }: { box: Box; top: number; band: number },
): Mark {
  const { system } = spread;
  return {
    id: JSON.stringify([system, bin.from]),
    series: system,
    x: box.x + box.width / 2,
    y: box.y,
    // The whole height of the row, because a bin of few trials is too low to be hit.
    box: { ...box, y: top, height: band },
    ...describeLatencyBin(spread, bin),
    selection: { system, latency: { from: bin.from, to: bin.to } },
  };
}
