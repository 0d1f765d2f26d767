import type { HeatMap } from "../../../../src/report/dashboard/contract.js";
import { formatPlural, formatScore } from "../../ui/format.js";
import type { TableData } from "../frame/table.js";
import { shown, told } from "../names.js";
import type { Fact } from "../plot/mark.js";

type Cell = HeatMap["cells"][number];
type KnownCell = Cell & { mean: number };

function placeOf({ xs, ys, xField, yField }: HeatMap, { x, y }: Cell): string {
  return `${shown(yField)} ${shown(String(ys[y] ?? ""))}, ${shown(xField)} ${shown(String(xs[x] ?? ""))}`;
}

/** What a tooltip tells of a cell. */
export function factsOf(map: HeatMap, cell: Cell): { title: string; facts: Fact[] } {
  const mean: Fact = ["Mean score", cell.mean === null || cell.n === 0 ? "no data" : formatScore(cell.mean, 3)];
  return { title: placeOf(map, cell), facts: [mean, ["Tasks", String(cell.n)]] };
}

/** What the chart shows, or why there is none. */
export function heatMapWords(map: HeatMap): string {
  const known = map.cells.filter((cell): cell is KnownCell => cell.mean !== null && cell.n > 0);
  const sorted = [...known].sort((a, b) => a.mean - b.mean);
  const [lowest, highest] = [sorted[0], sorted.at(-1)];
  if (lowest === undefined || highest === undefined)
    return `There is nothing to draw: no task of ${told(map.dataset)} was scored.`;
  const empty = map.xs.length * map.ys.length - known.length;
  const gaps = empty === 0 ? "" : ` ${formatPlural(empty, "cell")} ${empty === 1 ? "has" : "have"} no data.`;
  if (lowest.mean === highest.mean)
    return `${told(map.system)} has a mean score of ${formatScore(lowest.mean)} everywhere.${gaps}`;
  return `${told(map.system)} has its lowest mean score, ${formatScore(lowest.mean)}, at ${placeOf(map, lowest)}, and its highest, ${formatScore(highest.mean)}, at ${placeOf(map, highest)}.${gaps}`;
}

/** The same as a table: a row for each of the one facet, a column for each of the other. */
export function heatMapTable(map: HeatMap): TableData {
  const found = new Map(map.cells.map((cell) => [`${cell.x},${cell.y}`, cell]));
  const text = (cell: Cell | undefined) =>
    cell === undefined || cell.mean === null ? "no data" : `${formatScore(cell.mean, 3)} (${cell.n})`;
  return {
    columns: [`${shown(map.yField)} ↓ ${shown(map.xField)} →`, ...map.xs.map((x) => shown(String(x)))],
    rows: map.ys.map((value, y) => [shown(String(value)), ...map.xs.map((_, x) => text(found.get(`${x},${y}`)))]),
  };
}
