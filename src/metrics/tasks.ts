import type { EvalRow } from "../core/row.js";

/** A value summed by task: entry i of both arrays belongs to the same task, and only tasks that have the value are there. */
export interface TaskSums {
  readonly sums: Float64Array;
  readonly counts: Uint32Array;
}

/**
 * Sums a value by task over the rows that have one. The task (one example under one system) is the unit of inference:
 * its trials are averaged before anything else is.
 */
export function sumByTask(rows: readonly EvalRow[], read: (row: EvalRow) => number | undefined): TaskSums {
  const { taskOf, size } = tasksOf(rows);
  const sums = new Float64Array(size);
  const counts = new Uint32Array(size);
  for (let i = 0; i < rows.length; i++) {
    const value = read(rows[i] as EvalRow);
    if (value === undefined) continue;
    const task = taskOf[i] ?? 0;
    sums[task] = (sums[task] ?? 0) + value;
    counts[task] = (counts[task] ?? 0) + 1;
  }
  return compact(sums, counts);
}

/** The mean of each task. */
export function meansOf({ sums, counts }: TaskSums): Float64Array {
  return sums.map((sum, i) => sum / (counts[i] ?? 1));
}

/** The values of each task, for statistics that need more than their sum. */
export function valuesByTask(rows: readonly EvalRow[], read: (row: EvalRow) => number | undefined): number[][] {
  const { taskOf, size } = tasksOf(rows);
  const values = Array.from({ length: size }, (): number[] => []);
  for (let i = 0; i < rows.length; i++) {
    const value = read(rows[i] as EvalRow);
    if (value !== undefined) values[taskOf[i] ?? 0]?.push(value);
  }
  return values.filter((task) => task.length > 0);
}

/** True when some task was tried more than once. */
export function hasSeveralTrials(rows: readonly EvalRow[]): boolean {
  return tasksOf(rows).size < rows.length;
}

export function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** 0 for no values, as every metric's empty summary asks. */
export function mean(values: ArrayLike<number> & Iterable<number>): number {
  return values.length === 0 ? 0 : sum(values) / values.length;
}

interface Tasks {
  readonly taskOf: Uint32Array;
  readonly size: number;
}

/** Every metric of a summary asks for the tasks of the same rows; they are found once. */
const known = new WeakMap<readonly EvalRow[], Tasks>();

function tasksOf(rows: readonly EvalRow[]): Tasks {
  let tasks = known.get(rows);
  if (tasks === undefined || tasks.taskOf.length !== rows.length) {
    tasks = findTasks(rows);
    known.set(rows, tasks);
  }
  return tasks;
}

function findTasks(rows: readonly EvalRow[]): Tasks {
  const taskOf = new Uint32Array(rows.length);
  const onlyFirstTrials = rows.every((row) => (row.trial ?? 0) === 0);
  if (onlyFirstTrials) return { taskOf: taskOf.map((_, i) => i), size: rows.length };
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

function compact(sums: Float64Array, counts: Uint32Array): TaskSums {
  if (!counts.includes(0)) return { sums, counts };
  return { sums: sums.filter((_, i) => counts[i] !== 0), counts: counts.filter((count) => count !== 0) };
}
