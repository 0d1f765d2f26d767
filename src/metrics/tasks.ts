import type { MetricContext, Tasks } from "../core/metric.js";
import type { EvalRow } from "../core/row.js";
import { findGroups, sharedGroups } from "./task-groups.js";

/** A value summed by task, for the tasks that have it. */
export interface TaskSums {
  readonly sums: Float64Array;
  /** How many trials each sum is over; null when it is one each. */
  readonly counts: Uint32Array | null;
  /** The group of each task; null where no two of these tasks share one, so that each stands for itself. */
  readonly groups: Uint32Array | null;
}

/** A value of a row; undefined when it has none. */
export type Read = (row: EvalRow) => number | undefined;

/**
 * Sums a value by task over the rows that have one. The task (one example under one system) is the unit of inference:
 * its trials are averaged before anything else is.
 */
export function sumByTask(tasks: Tasks, read: Read): TaskSums {
  const { rows, taskOf, groupOf, size } = tasks;
  if (taskOf === null && groupOf === null) return { sums: valuesOf(rows, read), counts: null, groups: null };
  const sums = new Float64Array(size);
  const counts = new Uint32Array(size);
  for (let i = 0; i < rows.length; i++) {
    const value = read(rows[i] as EvalRow);
    if (value === undefined) continue;
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
    groups: kept === null ? null : sharedGroups(kept),
  };
}

/** The mean of each task. */
export function meansOf({ sums, counts }: Pick<TaskSums, "sums" | "counts">): Float64Array {
  return counts === null ? sums : sums.map((sum, i) => sum / (counts[i] ?? 1));
}

/** How many trials stand behind the sums. */
export function trialsOf({ sums, counts }: Pick<TaskSums, "sums" | "counts">): number {
  return counts === null ? sums.length : sum(counts);
}

/** The value of each row that has one. */
export function valuesOf(rows: readonly EvalRow[], read: Read): Float64Array {
  const values = new Float64Array(rows.length);
  let n = 0;
  for (let i = 0; i < rows.length; i++) {
    const value = read(rows[i] as EvalRow);
    if (value !== undefined) values[n++] = value;
  }
  return n === values.length ? values : values.slice(0, n);
}

/** The values of each task, for statistics that need more than their sum; null when no task was tried twice. */
export function valuesByTask(tasks: Tasks, read: Read): number[][] | null {
  const { taskOf } = tasks;
  return taskOf === null ? null : valuesBy(tasks.rows, (index) => taskOf[index] ?? 0, read);
}

/** The values of each group of tasks; null when there are no groups. */
export function valuesByGroup({ rows, taskOf, groupOf }: Tasks, read: Read): number[][] | null {
  if (groupOf === null) return null;
  return valuesBy(rows, (index) => groupOf[taskOf === null ? index : (taskOf[index] ?? 0)] ?? 0, read);
}

function valuesBy(rows: readonly EvalRow[], placeOf: (index: number) => number, read: Read): number[][] {
  const values: number[][] = [];
  for (let i = 0; i < rows.length; i++) {
    const value = read(rows[i] as EvalRow);
    if (value === undefined) continue;
    const place = placeOf(i);
    const known = values[place];
    if (known === undefined) values[place] = [value];
    else known.push(value);
  }
  // Places where nothing was put are skipped.
  return values.filter(() => true);
}

export function sum(values: Float64Array | Uint32Array): number {
  let total = 0;
  for (let i = 0; i < values.length; i++) total += values[i] ?? 0;
  return total;
}

/** The tasks of rows: those that the summary found already, else found now. */
export function tasksOf(rows: readonly EvalRow[], context?: MetricContext): Tasks {
  return context?.tasksOf?.(rows) ?? findTasks(rows);
}

/** Finds the tasks of these rows once, for as long as nobody moves them; of any others each time. */
export function taskFinder(rows: readonly EvalRow[]): (asked: readonly EvalRow[]) => Tasks {
  let known: { tasks: Tasks; order: readonly EvalRow[] } | null = null;
  return (asked) => {
    if (asked !== rows) return findTasks(asked);
    if (known === null || !isInOrder(rows, known.order)) {
      const tasks = findTasks(rows);
      // Where every row is a task of its own and in no group, order tells nothing.
      known = { tasks, order: tasks.taskOf === null && tasks.groupOf === null ? rows : rows.slice() };
    }
    return known.tasks;
  };
}

/** A user's metric may sort the rows it is handed, which are those of the next metric too. */
function isInOrder(rows: readonly EvalRow[], order: readonly EvalRow[]): boolean {
  if (rows === order) return true;
  if (rows.length !== order.length) return false;
  for (let i = 0; i < rows.length; i++) if (rows[i] !== order[i]) return false;
  return true;
}

function findTasks(rows: readonly EvalRow[]): Tasks {
  if (isPlain(rows)) return { rows, taskOf: null, size: rows.length, groupOf: null };
  const onlyFirstTrials = rows.every((row) => (row.trial ?? 0) === 0);
  if (onlyFirstTrials) return { rows, taskOf: null, size: rows.length, groupOf: findGroups(rows, null, rows.length) };
  const taskOf = new Uint32Array(rows.length);
  const ids = new Map<string, number>();
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as EvalRow;
    const key = `${row.system}\u0000${row.dataset}\u0000${row.exampleId}`;
    const id = ids.get(key) ?? ids.size;
    ids.set(key, id);
    taskOf[i] = id;
  }
  return { rows, taskOf, size: ids.size, groupOf: findGroups(rows, taskOf, ids.size) };
}

/** Whether every row is a task of its own and in no group, which one look tells of most runs. Copied rows may lack both fields. */
function isPlain(rows: readonly EvalRow[]): boolean {
  for (let i = 0; i < rows.length; i++) {
    const { trial, group } = rows[i] as EvalRow;
    if ((trial ?? 0) !== 0 || group != null) return false;
  }
  return true;
}
