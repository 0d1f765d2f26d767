import type { MetricContext, NumberColumn, TaskIndex } from "../core/metric.js";
import type { EvalRow } from "../core/row.js";
import { sum } from "../stats/mean.js";
import { filterPresent } from "./columns.js";

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
