import { extent } from "d3-array";
import type { HeatMap } from "../../../../src/report/dashboard/contract.js";
import { formatScore } from "../../ui/format.js";
import { estimateTextWidth, formatName, truncateName } from "../names.js";
import type { Box, Mark } from "../plot/mark.js";
import { describeHeatCell, type HeatMapDatum } from "./words.js";

/** A cell in pixels; `step` is 0 for the lowest values, and null where there are no data. */
export interface PlacedHeatCell {
  readonly id: string;
  readonly box: Box;
  readonly step: number | null;
  /** Empty when it has no room. */
  readonly text: string;
}

interface HeatMapLabel {
  readonly key: string;
  readonly text: string;
  readonly x: number;
  readonly y: number;
}

export interface HeatMapLayout {
  height: number;
  cells: readonly PlacedHeatCell[];
  above: readonly HeatMapLabel[];
  beside: readonly HeatMapLabel[];
  marks: readonly Mark[];
}

/** How many colors there are, from the lowest to the highest. */
export const COLOR_STEPS = 7;
const LABEL_WIDTH = 22;
const HEAT_MAP_HEAD_HEIGHT = 40;

/** From where to where the colors go: 0 to 1 for scores, so that maps of different systems can be compared. */
export function computeColorDomain({ cells }: HeatMap): [number, number] {
  const [low = 0, high = 1] = extent(cells, ({ mean }) => mean ?? undefined);
  if (low >= 0 && high <= 1) return [0, 1];
  return low === high ? [low - 1, high] : [low, high];
}

/** The color of a value. */
export function computeColorStep(value: number, [low, high]: readonly [number, number]): number {
  return Math.min(Math.max(Math.floor(((value - low) / (high - low)) * COLOR_STEPS), 0), COLOR_STEPS - 1);
}

/** Places all cells, those without data too. */
export function computeHeatMapLayout(map: HeatMap, width: number): HeatMapLayout {
  const { xs, ys } = map;
  const sideRoom = Math.min(
    Math.max(40, ...ys.map((value) => estimateTextWidth(formatName(String(value))) + 12)),
    width * 0.3,
  );
  const cellWidth = (width - sideRoom - 2) / Math.max(xs.length, 1);
  const cellHeight = Math.min(Math.max(360 / Math.max(ys.length, 1), 20), 40);
  const computeBox = (x: number, y: number): Box => ({
    x: sideRoom + x * cellWidth,
    y: HEAT_MAP_HEAD_HEIGHT + y * cellHeight,
    width: cellWidth,
    height: cellHeight,
  });
  const found = new Map(map.cells.map((cell) => [`${cell.x},${cell.y}`, cell]));
  const places = ys.flatMap((_, y) => xs.map((__, x) => found.get(`${x},${y}`) ?? { x, y, mean: null, n: 0 }));
  const domain = computeColorDomain(map);
  const every = Math.max(1, Math.ceil((LABEL_WIDTH * 1.6) / cellWidth));
  return {
    height: HEAT_MAP_HEAD_HEIGHT + ys.length * cellHeight + 4,
    cells: places.map((cell) => placeHeatCell(cell, computeBox(cell.x, cell.y), domain)),
    above: xs.flatMap((value, index) =>
      index % every === 0
        ? [
            createHeatMapLabel(value, {
              x: computeBox(index, 0).x + cellWidth / 2,
              y: HEAT_MAP_HEAD_HEIGHT - 6,
              room: cellWidth * every,
            }),
          ]
        : [],
    ),
    beside: ys.map((value, index) =>
      createHeatMapLabel(value, {
        x: sideRoom - 6,
        y: computeBox(0, index).y + cellHeight / 2 + 4,
        room: sideRoom - 8,
      }),
    ),
    marks: places.map((cell) => createHeatMapMark(map, cell, computeBox(cell.x, cell.y))),
  };
}

function placeHeatCell({ x, y, mean, n }: HeatMapDatum, box: Box, domain: readonly [number, number]): PlacedHeatCell {
  const isEmpty = mean === null || n === 0;
  const text = isEmpty ? "–" : formatScore(mean);
  return {
    id: `${x},${y}`,
    box,
    step: isEmpty ? null : computeColorStep(mean, domain),
    text: estimateTextWidth(text) + 4 <= box.width ? text : "",
  };
}

function createHeatMapLabel(
  value: string | number | boolean,
  { x, y, room }: { x: number; y: number; room: number },
): HeatMapLabel {
  return { key: String(value), text: truncateName(String(value), room), x, y };
}

function createHeatMapMark(map: HeatMap, cell: HeatMapDatum, box: Box): Mark {
  const [x, y] = [map.xs[cell.x], map.ys[cell.y]];
  return {
    id: `${cell.x},${cell.y}`,
    series: String(cell.y),
    x: box.x + box.width / 2,
    y: box.y + box.height / 2,
    box,
    ...describeHeatCell(map, cell),
    selection: {
      system: map.system,
      dataset: map.dataset,
      facets: { ...(x === undefined ? {} : { [map.xField]: x }), ...(y === undefined ? {} : { [map.yField]: y }) },
    },
  };
}
