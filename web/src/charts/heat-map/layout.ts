import { extent } from "d3-array";
import type { HeatMap } from "../../../../src/report/dashboard/contract.js";
import { formatScore } from "../../ui/format.js";
import { fitted, shown, widthOf } from "../names.js";
import type { Box, Mark } from "../plot/mark.js";
import { factsOf } from "./words.js";

/** A cell in pixels; `step` is 0 for the lowest values, and null where there are no data. */
export interface HeatCell {
  readonly id: string;
  readonly box: Box;
  readonly step: number | null;
  /** Empty when it has no room. */
  readonly text: string;
}

interface Edge {
  readonly key: string;
  readonly text: string;
  readonly x: number;
  readonly y: number;
}

export interface HeatMapLayout {
  height: number;
  cells: readonly HeatCell[];
  above: readonly Edge[];
  beside: readonly Edge[];
  marks: readonly Mark[];
}

/** How many colours there are, from the lowest to the highest. */
export const STEPS = 7;
const LABEL = 22;
const HEAD = 40;

/** From where to where the colours go: 0 to 1 for scores, so that maps of different systems can be compared. */
export function domainOf({ cells }: HeatMap): [number, number] {
  const [low = 0, high = 1] = extent(cells, ({ mean }) => mean ?? undefined);
  if (low >= 0 && high <= 1) return [0, 1];
  return low === high ? [low - 1, high] : [low, high];
}

/** The colour of a value. */
export function stepOf(value: number, [low, high]: readonly [number, number]): number {
  return Math.min(Math.max(Math.floor(((value - low) / (high - low)) * STEPS), 0), STEPS - 1);
}

/** Places all cells, those without data too. */
export function layoutHeatMap(map: HeatMap, width: number): HeatMapLayout {
  const { xs, ys } = map;
  const sideRoom = Math.min(Math.max(40, ...ys.map((value) => widthOf(shown(String(value))) + 12)), width * 0.3);
  const cellWidth = (width - sideRoom - 2) / Math.max(xs.length, 1);
  const cellHeight = Math.min(Math.max(360 / Math.max(ys.length, 1), 20), 40);
  const boxAt = (x: number, y: number): Box => ({
    x: sideRoom + x * cellWidth,
    y: HEAD + y * cellHeight,
    width: cellWidth,
    height: cellHeight,
  });
  const found = new Map(map.cells.map((cell) => [`${cell.x},${cell.y}`, cell]));
  const places = ys.flatMap((_, y) => xs.map((__, x) => found.get(`${x},${y}`) ?? { x, y, mean: null, n: 0 }));
  const domain = domainOf(map);
  const every = Math.max(1, Math.ceil((LABEL * 1.6) / cellWidth));
  return {
    height: HEAD + ys.length * cellHeight + 4,
    cells: places.map((cell) => cellIn(cell, boxAt(cell.x, cell.y), domain)),
    above: xs.flatMap((value, index) =>
      index % every === 0
        ? [edge(value, { x: boxAt(index, 0).x + cellWidth / 2, y: HEAD - 6, room: cellWidth * every })]
        : [],
    ),
    beside: ys.map((value, index) =>
      edge(value, { x: sideRoom - 6, y: boxAt(0, index).y + cellHeight / 2 + 4, room: sideRoom - 8 }),
    ),
    marks: places.map((cell) => markOf(map, cell, boxAt(cell.x, cell.y))),
  };
}

type Cell = HeatMap["cells"][number];

function cellIn({ x, y, mean, n }: Cell, box: Box, domain: readonly [number, number]): HeatCell {
  const isEmpty = mean === null || n === 0;
  const text = isEmpty ? "–" : formatScore(mean);
  return {
    id: `${x},${y}`,
    box,
    step: isEmpty ? null : stepOf(mean, domain),
    text: widthOf(text) + 4 <= box.width ? text : "",
  };
}

function edge(value: string | number | boolean, { x, y, room }: { x: number; y: number; room: number }): Edge {
  return { key: String(value), text: fitted(String(value), room), x, y };
}

function markOf(map: HeatMap, cell: Cell, box: Box): Mark {
  const [x, y] = [map.xs[cell.x], map.ys[cell.y]];
  return {
    id: `${cell.x},${cell.y}`,
    series: String(cell.y),
    x: box.x + box.width / 2,
    y: box.y + box.height / 2,
    box,
    ...factsOf(map, cell),
    picked: {
      system: map.system,
      dataset: map.dataset,
      facets: { ...(x === undefined ? {} : { [map.xField]: x }), ...(y === undefined ? {} : { [map.yField]: y }) },
    },
  };
}
