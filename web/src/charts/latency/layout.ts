import { max } from "d3-array";
import type { LatencySpread } from "../../../../src/report/dashboard/contract.js";
import { type Axis, logAxis } from "../axes/axis.js";
import { secondsTick } from "../axes/ticks.js";
import { type BarRow, type BarRows, rowsFor } from "../bars/rows.js";
import { ticksAcross } from "../layout.js";
import type { Box, Mark } from "../plot/mark.js";
import { factsOf, type KnownSpread } from "./words.js";

/** One system's distribution in pixels. */
export interface DrawnSpread {
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
  spreads: readonly DrawnSpread[];
  marks: readonly Mark[];
}

/** A histogram for each system over the same axis, one under the other. */
export function layoutLatency(spreads: readonly KnownSpread[], width: number): LatencyLayout {
  const rows = rowsFor(
    spreads.map(({ system }) => system),
    { width, band: spreads.length > 10 ? 26 : 44 },
  );
  const edges = spreads.flatMap(({ bins, quantiles }) => [
    ...bins.flatMap(({ from, to }) => [from, to]),
    quantiles.p50,
    quantiles.p95,
  ]);
  const x = logAxis({ values: edges, reach: [rows.left, rows.right], text: secondsTick, count: ticksAcross(rows) });
  const drawn = spreads.flatMap((spread, index) => {
    const row = rows.rows[index];
    return row === undefined ? [] : [drawSpread(spread, row, x)];
  });
  return {
    rows,
    x,
    spreads: drawn.map(({ marks: _, ...spread }) => spread),
    marks: drawn.flatMap(({ marks }) => marks),
  };
}

function drawSpread(spread: KnownSpread, { top, band }: BarRow, x: Axis): DrawnSpread & { marks: Mark[] } {
  const base = top + band;
  const most = max(spread.bins, ({ count }) => count) || 1;
  const boxes = spread.bins.map((bin) => ({ bin, box: boxOf(bin, { x, base, scale: (band - 2) / most }) }));
  return {
    system: spread.system,
    path: stepsOf(
      boxes.map(({ box }) => box),
      base,
    ),
    base,
    top,
    p50: x.place(spread.quantiles.p50),
    p95: x.place(spread.quantiles.p95),
    marks: boxes.filter(({ bin }) => bin.count > 0).map(({ bin, box }) => markOf(spread, bin, { box, top, band })),
  };
}

type Bin = LatencySpread["bins"][number];

/** Equal times make a bin without width: it is drawn with some. */
function boxOf({ from, to, count }: Bin, { x, base, scale }: { x: Axis; base: number; scale: number }): Box {
  const [left, right] = [x.place(from), x.place(to)];
  const width = Math.max(right - left, 4);
  return { x: right - left < 4 ? left - 2 : left, y: base - count * scale, width, height: count * scale };
}

function stepsOf(boxes: readonly Box[], base: number): string {
  const px = (value: number) => Math.round(value * 10) / 10;
  const steps = boxes.map((box) => `L${px(box.x)},${px(box.y)}H${px(box.x + box.width)}`);
  const [first, last] = [boxes[0], boxes.at(-1)];
  if (first === undefined || last === undefined) return "";
  return `M${px(first.x)},${px(base)}${steps.join("")}V${px(base)}Z`;
}

function markOf(spread: KnownSpread, bin: Bin, { box, top, band }: { box: Box; top: number; band: number }): Mark {
  const { system } = spread;
  return {
    id: JSON.stringify([system, bin.from]),
    series: system,
    x: box.x + box.width / 2,
    y: box.y,
    // The whole height of the row, because a bin of few trials is too low to be hit.
    box: { ...box, y: top, height: band },
    ...factsOf(spread, bin),
    picked: { system, latency: { from: bin.from, to: bin.to } },
  };
}
