import type { Column } from "../core/metric.js";
import { type EvalRow, hasOutput, scoreOf } from "../core/row.js";

/** A value of a row; undefined when it has none. */
export type Read = (row: EvalRow) => number | undefined;

/** A value of each row. */
export function readColumn(rows: readonly EvalRow[], read: Read): Column {
  const column = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) column[i] = read(rows[i] as EvalRow) ?? Number.NaN;
  return column;
}

/** How many rows are so. Of a million rows, a list of those would be large. */
export function countRows(rows: readonly EvalRow[], is: (row: EvalRow) => boolean): number {
  let count = 0;
  for (let i = 0; i < rows.length; i++) if (is(rows[i] as EvalRow)) count += 1;
  return count;
}

/** The values that are there. */
export function present(column: Column): Float64Array {
  return column.includes(Number.NaN) ? column.filter((value) => !Number.isNaN(value)) : column;
}

/** The values of rows that have another one as well. */
export function whereGiven(column: Column, other: Column): Column {
  return other.includes(Number.NaN) ? column.map((value, i) => (Number.isNaN(other[i]) ? Number.NaN : value)) : column;
}

/** The values, and 0 for rows that have none. */
export function orZero(column: Column): Column {
  return column.includes(Number.NaN) ? column.map((value) => (Number.isNaN(value) ? 0 : value)) : column;
}

/** 1 for rows whose value is at least the threshold, 0 for the others. */
export function atLeast(column: Column, threshold: number): Column {
  const passes = new Float64Array(column.length);
  for (let i = 0; i < column.length; i++) passes[i] = (column[i] ?? 0) >= threshold ? 1 : 0;
  return passes;
}

/** Both together, row by row. */
export function added(a: Column, b: Column): Column {
  const sums = new Float64Array(a.length);
  for (let i = 0; i < a.length; i++) sums[i] = (a[i] ?? 0) + (b[i] ?? 0);
  return sums;
}

/** The tokens that systems were given, of trials that have an output. */
export function readGiven(rows: readonly EvalRow[]): Column {
  return readColumn(rows, (row) => (hasOutput(row) ? row.inputTokens : undefined));
}

export function readOutputTokens(rows: readonly EvalRow[]): Column {
  return readColumn(rows, (row) => row.outputTokens);
}

export function readScore(rows: readonly EvalRow[], field: string): Column {
  return readColumn(rows, (row) => scoreOf(row, field));
}
