import type { SortOrder } from "../../../../../src/report/dashboard/order.js";
import { compareIds } from "./compare-ids.js";
import type { RowComparator } from "./merge-sort.js";
import type { RowTable } from "./row-table.js";

/** Rows as they came: the order in which the run was planned. */
export const PLANNED_ORDER: SortOrder = { key: "", isDescending: false };

/**
 * How two rows of a table stand to each other by a column, `field:NAME` for a score field; null when there is no such
 * column. What was not measured comes last either way.
 */
export function createRowComparator(table: RowTable, { key, isDescending }: SortOrder): RowComparator | null {
  if (key === "example") {
    const { ids } = table;
    const sign = isDescending ? -1 : 1;
    return (a, b) => sign * compareIds(ids[a] ?? "", ids[b] ?? "") || a - b;
  }
  const values = getSortValues(table, key);
  return values === null ? null : createValueComparator(values, isDescending);
}

function createValueComparator(values: ArrayLike<number>, isDescending: boolean): RowComparator {
  const sign = isDescending ? -1 : 1;
  return (a, b) => {
    const [x, y] = [values[a] ?? Number.NaN, values[b] ?? Number.NaN];
    if (x < y) return -sign;
    if (x > y) return sign;
    return x === y ? a - b : Number(Number.isNaN(x)) - Number(Number.isNaN(y)) || a - b;
  };
}

function getSortValues({ columns, head }: RowTable, column: string): ArrayLike<number> | null {
  if (column === "system") return rankNames(columns.system, head.systems);
  if (column === "dataset") return rankNames(columns.dataset, head.datasets);
  if (column === "outcome") return columns.outcome;
  if (column === "category") return rankNames(columns.category, head.categories);
  if (column.startsWith("field:")) return columns.scores[head.fields.indexOf(column.slice(6))] ?? null;
  return isMeasureName(column) ? columns[column] : null;
}

const MEASURE_COLUMN_NAMES = [
  "trial",
  "score",
  "costUsd",
  "latency",
  "inputTokens",
  "outputTokens",
  "turns",
  "attempts",
] as const;

function isMeasureName(column: string): column is (typeof MEASURE_COLUMN_NAMES)[number] {
  return (MEASURE_COLUMN_NAMES as readonly string[]).includes(column);
}

/** Each name's place in the order of the names. */
function rankNames(column: Uint8Array | Uint16Array, names: readonly string[]): ArrayLike<number> {
  const order = names.map((_, place) => place).sort((a, b) => compareIds(names[a] ?? "", names[b] ?? ""));
  const ranks = new Uint32Array(names.length);
  for (const [rank, place] of order.entries()) ranks[place] = rank;
  return column.map((place) => ranks[place] ?? 0);
}
