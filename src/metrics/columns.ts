import type { NumberColumn } from "../core/metric.js";
import { type EvalRow, getScore, hasOutput } from "../core/row.js";

/** Reads a value from a row; undefined if it has none. */
export type RowValueReader = (row: EvalRow) => number | undefined;

export function readColumn(rows: readonly EvalRow[], read: RowValueReader): NumberColumn {
  const column = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) column[i] = read(rows[i] as EvalRow) ?? Number.NaN;
  return column;
}

/** Counts without building a list, which would be large for a million rows. */
export function countRows(rows: readonly EvalRow[], is: (row: EvalRow) => boolean): number {
  let count = 0;
  for (let i = 0; i < rows.length; i++) if (is(rows[i] as EvalRow)) count += 1;
  return count;
}

export function filterPresent(column: NumberColumn): Float64Array {
  return column.includes(Number.NaN) ? column.filter((value) => !Number.isNaN(value)) : column;
}

/** Keeps the values of rows that also have a value in `other`. */
export function maskMissing(column: NumberColumn, other: NumberColumn): NumberColumn {
  return other.includes(Number.NaN) ? column.map((value, i) => (Number.isNaN(other[i]) ? Number.NaN : value)) : column;
}

/** Replaces missing values with 0. */
export function fillMissing(column: NumberColumn): NumberColumn {
  return column.includes(Number.NaN) ? column.map((value) => (Number.isNaN(value) ? 0 : value)) : column;
}

/** 1 for values of at least the threshold, else 0. */
export function markAtLeast(column: NumberColumn, threshold: number): NumberColumn {
  const passes = new Float64Array(column.length);
  for (let i = 0; i < column.length; i++) passes[i] = (column[i] ?? 0) >= threshold ? 1 : 0;
  return passes;
}

export function addColumns(a: NumberColumn, b: NumberColumn): NumberColumn {
  const sums = new Float64Array(a.length);
  for (let i = 0; i < a.length; i++) sums[i] = (a[i] ?? 0) + (b[i] ?? 0);
  return sums;
}

/** The input tokens of trials with an output. */
export function readInputTokens(rows: readonly EvalRow[]): NumberColumn {
  return readColumn(rows, (row) => (hasOutput(row) ? row.inputTokens : undefined));
}

export function readOutputTokens(rows: readonly EvalRow[]): NumberColumn {
  return readColumn(rows, (row) => row.outputTokens);
}

export function readScore(rows: readonly EvalRow[], field: string): NumberColumn {
  return readColumn(rows, (row) => getScore(row, field));
}
