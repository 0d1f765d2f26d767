import type { MetricContext, NumberColumn, TaskIndex } from "../core/index.js";
import { type EvalRow, getScore, hasOutput } from "../core/index.js";
import { sum } from "../stats/index.js";

/** A value summed by task, for the tasks that have it. */
export interface TaskSums {
  readonly sums: Float64Array;
  /** The number of trials behind each sum; null if it is one each. */
  readonly counts: Uint32Array | null;
  /** The group of each task; null if no two tasks share one. */
  readonly groups: Uint32Array | null;
}

/**
 * Sums a value by task, over the rows that have one. The task (one example under one system) is the unit of inference:
 * its trials are averaged first.
 */
export function sumByTask({ taskOf, groupOf, size }: TaskIndex, column: NumberColumn): TaskSums {
  if (taskOf === null && groupOf === null) return { sums: filterPresent(column), counts: null, groups: null };
  const sums = new Float64Array(size);
  const counts = new Uint32Array(size);
  for (let i = 0; i < column.length; i++) {
    const value = column[i] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    const task = taskOf === null ? i : (taskOf[i] ?? 0);
    sums[task] = (sums[task] ?? 0) + value;
    counts[task] = (counts[task] ?? 0) + 1;
  }
  const isThere = (_: number, task: number) => counts[task] !== 0;
  const isWhole = !counts.includes(0);
  const kept = groupOf === null || isWhole ? groupOf : groupOf.filter(isThere);
  return {
    sums: isWhole ? sums : sums.filter(isThere),
    counts: taskOf === null ? null : isWhole ? counts : counts.filter(isThere),
    groups: kept === null ? null : pickSharedGroups(kept),
  };
}

export function computeTaskMeans({ sums, counts }: Pick<TaskSums, "sums" | "counts">): Float64Array {
  return counts === null ? sums : sums.map((sum, i) => sum / (counts[i] ?? 1));
}

export function countTaskTrials({ sums, counts }: Pick<TaskSums, "sums" | "counts">): number {
  return counts === null ? sums.length : sum(counts);
}

/** Uses the cached index of the summary if there is one. */
export function getTaskIndex(rows: readonly EvalRow[], context?: MetricContext): TaskIndex {
  return context?.tasksOf?.(rows) ?? buildTaskIndex(rows);
}

/** Caches the index of these rows; others are indexed on each call. */
export function createTaskIndexer(rows: readonly EvalRow[]): (asked: readonly EvalRow[]) => TaskIndex {
  let known: TaskIndex | null = null;
  return (asked) => {
    if (asked !== rows) return buildTaskIndex(asked);
    // A copy, because a user's metric may sort the rows, which later metrics share.
    known ??= buildTaskIndex(rows.slice());
    return known;
  };
}

function buildTaskIndex(rows: readonly EvalRow[]): TaskIndex {
  const { taskOf, size } = numberTasks(rows);
  const groupOf = numberGroups(rows, taskOf, size);
  return { rows, taskOf, size, groupOf };
}

function numberTasks(rows: readonly EvalRow[]): Pick<TaskIndex, "taskOf" | "size"> {
  const onlyFirstTrials = rows.every((row) => (row.trial ?? 0) === 0);
  if (onlyFirstTrials) return { taskOf: null, size: rows.length };
  const taskOf = new Uint32Array(rows.length);
  const ids = new Map<string, number>();
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as EvalRow;
    const key = `${row.system}\u0000${row.dataset}\u0000${row.exampleId}`;
    const id = ids.get(key) ?? ids.size;
    ids.set(key, id);
    taskOf[i] = id;
  }
  return { taskOf, size: ids.size };
}

/**
 * The group number of each task. Groups are separate per dataset, and a task without a group is its own.
 * Null if no row has a group, as in most datasets.
 */
function numberGroups(rows: readonly EvalRow[], taskOf: Uint32Array | null, size: number): Uint32Array | null {
  // Copied rows may lack the field.
  if (rows.every((row) => row.group == null)) return null;
  const groupOf = new Uint32Array(size);
  const ids = new Map<string, number>();
  for (let i = 0; i < rows.length; i++) {
    const { dataset, group } = rows[i] as EvalRow;
    if (group == null) continue;
    const key = `${dataset}\u0000${typeof group}\u0000${group}`;
    const id = ids.get(key) ?? ids.size + 1;
    ids.set(key, id);
    groupOf[taskOf === null ? i : (taskOf[i] ?? 0)] = id;
  }
  let last = ids.size;
  return groupOf.map((id) => {
    if (id === 0) last += 1;
    return id === 0 ? last : id;
  });
}

/** Null if no two tasks share a group. */
function pickSharedGroups(groups: Uint32Array): Uint32Array | null {
  return new Set(groups).size < groups.length ? groups : null;
}

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
