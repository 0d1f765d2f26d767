import { scaleBand } from "d3-scale";
import { type Axis, linearAxis, type Tick } from "../axes/axis.js";
import type { Area } from "../axes/draw.js";
import { dayTick, shareTick } from "../axes/ticks.js";
import { type BarRows, rowsFor } from "../bars/rows.js";
import { stacked } from "../bars/stack.js";
import { areaIn, heightFor, ticksAcross } from "../layout.js";
import type { Box, Mark } from "../plot/mark.js";
import type { Fault, FaultBar } from "./categories.js";
import { factsOf } from "./words.js";

/** A part of a bar in pixels. */
export interface FaultPart {
  readonly key: string;
  readonly fault: Fault;
  readonly box: Box;
}

interface Stacks {
  parts: readonly FaultPart[];
  marks: readonly Mark[];
}

export interface FaultColumns extends Stacks {
  height: number;
  area: Area;
  y: Axis;
  ticks: readonly Tick[];
  /** How many of the oldest runs found no room. */
  hidden: number;
}

/** A column is never narrower, so that it can be seen and hit. */
const NARROWEST = 9;

/** Upright bars, the oldest run at the left; the latest ones when not all have room. */
export function layoutFaultColumns(bars: readonly FaultBar[], faults: readonly Fault[], width: number): FaultColumns {
  const height = heightFor(width);
  const area = areaIn(width, height);
  const room = Math.max(1, Math.floor((area.right - area.left) / NARROWEST));
  const drawn = bars.slice(-room);
  const band = scaleBand(
    drawn.map(({ key }) => key),
    [area.left, area.right],
  ).padding(0.2);
  // A single column across the whole chart would look like a wall.
  const wide = Math.min(band.bandwidth(), 56);
  const y = shareAxis(drawn, faults, { reach: [area.bottom, area.top], count: 5 });
  const left = (key: string) => (band(key) ?? area.left) + (band.bandwidth() - wide) / 2;
  const stacks = stacksOf(drawn, faults, ({ key }, from, to) => ({
    x: left(key),
    y: y.place(to),
    width: wide,
    height: Math.max(y.place(from) - y.place(to), 0.5),
  }));
  const every = Math.ceil(drawn.length / ticksAcross(area, 60));
  const ticks = drawn.flatMap(({ key, createdAt }, index) =>
    index % every === 0 ? [{ at: left(key) + wide / 2, text: dayTick(createdAt ?? "") }] : [],
  );
  return { height, area, y, ticks, hidden: bars.length - drawn.length, ...stacks };
}

export interface FaultRows extends Stacks {
  rows: BarRows;
  x: Axis;
}

/** Lying bars with a name each. */
export function layoutFaultRows(bars: readonly FaultBar[], faults: readonly Fault[], width: number): FaultRows {
  const rows = rowsFor(
    bars.map(({ name }) => name),
    { width, band: bars.length > 12 ? 14 : 22 },
  );
  const x = shareAxis(bars, faults, { reach: [rows.left, rows.right], count: ticksAcross(rows) });
  const tops = new Map(bars.map(({ key }, index) => [key, rows.rows[index]]));
  const stacks = stacksOf(bars, faults, ({ key }, from, to) => ({
    x: x.place(from),
    y: tops.get(key)?.top ?? 0,
    width: Math.max(x.place(to) - x.place(from), 0.5),
    height: tops.get(key)?.band ?? 0,
  }));
  return { rows, x, ...stacks };
}

function shareAxis(
  bars: readonly FaultBar[],
  faults: readonly Fault[],
  { reach, count }: Pick<Parameters<typeof linearAxis>[0], "reach" | "count">,
): Axis {
  const totals = bars.map((bar) => faults.reduce((sum, fault) => sum + shareOf(bar, fault), 0));
  return linearAxis({ values: totals, include: [0, 0.01], reach, count, text: shareTick, within: [0, 1] });
}

function shareOf({ counts, trials }: FaultBar, fault: Fault): number {
  return trials === 0 ? 0 : Math.min((counts[fault] ?? 0) / trials, 1);
}

function stacksOf(
  bars: readonly FaultBar[],
  faults: readonly Fault[],
  boxOf: (bar: FaultBar, from: number, to: number) => Box,
): Stacks {
  const parts = bars.flatMap((bar) =>
    stacked(faults.map((fault) => [fault, shareOf(bar, fault)] as const)).map(({ name, from, to }) => ({
      bar,
      fault: name,
      box: boxOf(bar, from, to),
    })),
  );
  return {
    parts: parts.map(({ bar: { key }, fault, box }) => ({ key, fault, box })),
    marks: parts.map(({ bar, fault, box }) => ({
      id: JSON.stringify([bar.key, fault]),
      series: fault,
      x: box.x + box.width / 2,
      y: box.y + box.height / 2,
      box,
      ...factsOf(bar, fault),
      picked: { ...bar.picked, category: fault },
    })),
  };
}
