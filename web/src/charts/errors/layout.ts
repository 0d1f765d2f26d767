import { scaleBand } from "d3-scale";
import { type Axis, createLinearAxis, type Tick } from "../axes/axis.js";
import type { PlotArea } from "../axes/draw.js";
import { formatDayTick, formatShareTick } from "../axes/ticks.js";
import { type BarRows, computeBarRows } from "../bars/rows.js";
import { stackParts } from "../bars/stack.js";
import { computeChartHeight, computePlotArea, computeTickCount } from "../layout.js";
import type { Box, Mark } from "../plot/mark.js";
import type { CategoryBar, FailureCategory } from "./categories.js";
import { describeCategorySegment } from "./words.js";

/** A part of a bar in pixels. */
export interface CategorySegment {
  readonly key: string;
  readonly category: FailureCategory;
  readonly box: Box;
}

interface CategoryStacks {
  parts: readonly CategorySegment[];
  marks: readonly Mark[];
}

export interface ErrorColumnsLayout extends CategoryStacks {
  height: number;
  area: PlotArea;
  y: Axis;
  ticks: readonly Tick[];
  /** How many of the oldest runs found no room. */
  hidden: number;
}

/** A column is never narrower, so that it can be seen and hit. */
const MIN_COLUMN_WIDTH = 9;

/** Upright bars, the oldest run at the left; the latest ones when not all have room. */
export function computeErrorColumns(
  bars: readonly CategoryBar[],
  categories: readonly FailureCategory[],
  width: number,
): ErrorColumnsLayout {
  const height = computeChartHeight(width);
  const area = computePlotArea(width, height);
  const room = Math.max(1, Math.floor((area.right - area.left) / MIN_COLUMN_WIDTH));
  const drawn = bars.slice(-room);
  const band = scaleBand(
    drawn.map(({ key }) => key),
    [area.left, area.right],
  ).padding(0.2);
  // A single column across the whole chart would look like a wall.
  const wide = Math.min(band.bandwidth(), 56);
  const y = createShareAxis(drawn, categories, { range: [area.bottom, area.top], count: 5 });
  const left = (key: string) => (band(key) ?? area.left) + (band.bandwidth() - wide) / 2;
  const stacks = stackCategories(drawn, categories, ({ key }, from, to) => ({
    x: left(key),
    y: y.toPixel(to),
    width: wide,
    height: Math.max(y.toPixel(from) - y.toPixel(to), 0.5),
  }));
  const every = Math.ceil(drawn.length / computeTickCount(area, 60));
  const ticks = drawn.flatMap(({ key, createdAt }, index) =>
    index % every === 0 ? [{ at: left(key) + wide / 2, text: formatDayTick(createdAt ?? "") }] : [],
  );
  return { height, area, y, ticks, hidden: bars.length - drawn.length, ...stacks };
}

export interface ErrorRowsLayout extends CategoryStacks {
  rows: BarRows;
  x: Axis;
}

/** Lying bars with a name each. */
export function computeErrorRows(
  bars: readonly CategoryBar[],
  categories: readonly FailureCategory[],
  width: number,
): ErrorRowsLayout {
  const rows = computeBarRows(
    bars.map(({ name }) => name),
    { width, band: bars.length > 12 ? 14 : 22 },
  );
  const x = createShareAxis(bars, categories, { range: [rows.left, rows.right], count: computeTickCount(rows) });
  const tops = new Map(bars.map(({ key }, index) => [key, rows.rows[index]]));
  const stacks = stackCategories(bars, categories, ({ key }, from, to) => ({
    x: x.toPixel(from),
    y: tops.get(key)?.top ?? 0,
    width: Math.max(x.toPixel(to) - x.toPixel(from), 0.5),
    height: tops.get(key)?.band ?? 0,
  }));
  return { rows, x, ...stacks };
}

function createShareAxis(
  bars: readonly CategoryBar[],
  categories: readonly FailureCategory[],
  { range, count }: Pick<Parameters<typeof createLinearAxis>[0], "range" | "count">,
): Axis {
  const totals = bars.map((bar) => categories.reduce((sum, category) => sum + computeCategoryShare(bar, category), 0));
  return createLinearAxis({ values: totals, include: [0, 0.01], range, count, text: formatShareTick, within: [0, 1] });
}

function computeCategoryShare({ counts, trials }: CategoryBar, category: FailureCategory): number {
  return trials === 0 ? 0 : Math.min((counts[category] ?? 0) / trials, 1);
}

function stackCategories(
  bars: readonly CategoryBar[],
  categories: readonly FailureCategory[],
  getBox: (bar: CategoryBar, from: number, to: number) => Box,
): CategoryStacks {
  const parts = bars.flatMap((bar) =>
    stackParts(categories.map((category) => [category, computeCategoryShare(bar, category)] as const)).map(
      ({ name, from, to }) => ({
        bar,
        category: name,
        box: getBox(bar, from, to),
      }),
    ),
  );
  return {
    parts: parts.map(({ bar: { key }, category, box }) => ({ key, category, box })),
    marks: parts.map(({ bar, category, box }) => ({
      id: JSON.stringify([bar.key, category]),
      series: category,
      x: box.x + box.width / 2,
      y: box.y + box.height / 2,
      box,
      ...describeCategorySegment(bar, category),
      picked: { ...bar.selection, category },
    })),
  };
}
