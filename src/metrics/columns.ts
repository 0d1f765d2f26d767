import type { Column, Columns } from "../core/metric.js";
import { type EvalRow, hasOutput, scoreOf } from "../core/row.js";

/** A value of a row; undefined when it has none. */
export type Read = (row: EvalRow) => number | undefined;

/** A value of each row. */
export function readColumn(rows: readonly EvalRow[], read: Read): Column {
  const column = new Float64Array(rows.length);
  for (let i = 0; i < rows.length; i++) column[i] = read(rows[i] as EvalRow) ?? Number.NaN;
  return column;
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

/**
 * Reads what the usual metrics need of rows. In one loop, because reading one value of each row takes as long as reading
 * all of them, and a loop of its own for each would be over before it is compiled.
 */
export function readColumns(rows: readonly EvalRow[]): Columns {
  const passed = new Float64Array(rows.length);
  const given = new Float64Array(rows.length);
  const outputTokens = new Float64Array(rows.length);
  const latency = new Float64Array(rows.length);
  const costUsd = new Float64Array(rows.length);
  let unknownCosts = 0;
  let hasUsage = false;
  let judgeCostUsd: number | null = null;
  for (let i = 0; i < rows.length; i++) {
    // One that was made by hand may lack fields.
    const row = rows[i] as EvalRow;
    const isThere = hasOutput(row);
    passed[i] = row.passed === true ? 1 : 0;
    given[i] = isThere ? row.inputTokens : Number.NaN;
    outputTokens[i] = row.outputTokens;
    latency[i] = isThere ? (row.latency ?? Number.NaN) : Number.NaN;
    costUsd[i] = row.costUsd ?? Number.NaN;
    if (isThere && row.costUsd == null) unknownCosts += 1;
    if (row.usage != null) hasUsage = true;
    if (row.judgeCostUsd != null) judgeCostUsd = (judgeCostUsd ?? 0) + row.judgeCostUsd;
  }
  const scores = new Map<string, Column>();
  const score = (field: string) => {
    const known = scores.get(field) ?? readColumn(rows, (row) => scoreOf(row, field));
    scores.set(field, known);
    return known;
  };
  return { passed, given, outputTokens, latency, costUsd, unknownCosts, hasUsage, judgeCostUsd, score };
}
