import type { HeatMap } from "../../../../src/report/dashboard/contract.js";
import { formatPlural, formatScore } from "../../ui/format.js";
import type { ChartTableData } from "../frame/table.js";
import { formatName, shortenName } from "../names.js";
import type { TooltipFact } from "../plot/mark.js";

export type HeatMapDatum = HeatMap["cells"][number];
type MeasuredHeatMapDatum = HeatMapDatum & { mean: number };

function describeCellPosition({ xs, ys, xField, yField }: HeatMap, { x, y }: HeatMapDatum): string {
  return `${formatName(yField)} ${formatName(String(ys[y] ?? ""))}, ${formatName(xField)} ${formatName(String(xs[x] ?? ""))}`;
}

/** What a tooltip tells of a cell. */
export function describeHeatCell(map: HeatMap, cell: HeatMapDatum): { title: string; facts: TooltipFact[] } {
  const mean: TooltipFact = ["Mean score", cell.mean === null || cell.n === 0 ? "no data" : formatScore(cell.mean, 3)];
  return { title: describeCellPosition(map, cell), facts: [mean, ["Tasks", String(cell.n)]] };
}

/** What the chart shows, or why there is none. */
export function describeHeatMap(map: HeatMap): string {
  const known = map.cells.filter((cell): cell is MeasuredHeatMapDatum => cell.mean !== null && cell.n > 0);
  const sorted = [...known].sort((a, b) => a.mean - b.mean);
  const [lowest, highest] = [sorted[0], sorted.at(-1)];
  if (lowest === undefined || highest === undefined)
    return `There is nothing to draw: no task of ${shortenName(map.dataset)} was scored.`;
  const empty = map.xs.length * map.ys.length - known.length;
  const gaps = empty === 0 ? "" : ` ${formatPlural(empty, "cell")} ${empty === 1 ? "has" : "have"} no data.`;
  if (lowest.mean === highest.mean)
    return `${shortenName(map.system)} has a mean score of ${formatScore(lowest.mean)} everywhere.${gaps}`;
  return `${shortenName(map.system)} has its lowest mean score, ${formatScore(lowest.mean)}, at ${describeCellPosition(map, lowest)}, and its highest, ${formatScore(highest.mean)}, at ${describeCellPosition(map, highest)}.${gaps}`;
}

/** The same as a table: a row for each of the one facet, a column for each of the other. */
export function buildHeatMapTable(map: HeatMap): ChartTableData {
  const found = new Map(map.cells.map((cell) => [`${cell.x},${cell.y}`, cell]));
  const text = (cell: HeatMapDatum | undefined) =>
    cell === undefined || cell.mean === null ? "no data" : `${formatScore(cell.mean, 3)} (${cell.n})`;
  return {
    columns: [`${formatName(map.yField)} ↓ ${formatName(map.xField)} →`, ...map.xs.map((x) => formatName(String(x)))],
    rows: map.ys.map((value, y) => [formatName(String(value)), ...map.xs.map((_, x) => text(found.get(`${x},${y}`)))]),
  };
}
