import type { EvalRow } from "../core/row.js";

/** A value summed by task, for the tasks that have it. */
export interface TaskSums {
  readonly sums: Float64Array;
  /** How many trials each sum is over; null when it is one each. */
  readonly counts: Uint32Array | null;
}

type Read = (row: EvalRow) => number | undefined;

/**
 * Sums a value by task over the rows that have one. The task (one example under one system) is the unit of inference:
 * its trials are averaged before anything else is.
 */
export function sumByTask(rows: readonly EvalRow[], read: Read): TaskSums {
  const tasks = tasksOf(rows);
  return tasks === null ? { sums: valuesOf(rows, read), counts: null } : groupedSums(rows, read, tasks);
}

/** The mean of each task. */
export function meansOf({ sums, counts }: TaskSums): Float64Array {
  return counts === null ? sums : sums.map((sum, i) => sum / (counts[i] ?? 1));
}

/** How many trials stand behind the sums. */
export function trialsOf({ sums, counts }: TaskSums): number {
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
export function valuesByTask(rows: readonly EvalRow[], read: Read): number[][] | null {
  const tasks = tasksOf(rows);
  if (tasks === null) return null;
  const values = Array.from({ length: tasks.size }, (): number[] => []);
  for (let i = 0; i < rows.length; i++) {
    const value = read(rows[i] as EvalRow);
    if (value !== undefined) values[tasks.taskOf[i] ?? 0]?.push(value);
  }
  return values.filter((task) => task.length > 0);
}

export function sum(values: Float64Array | Uint32Array): number {
  let total = 0;
  for (let i = 0; i < values.length; i++) total += values[i] ?? 0;
  return total;
}

export function count(rows: readonly EvalRow[], is: (row: EvalRow) => boolean): number {
  let found = 0;
  for (let i = 0; i < rows.length; i++) if (is(rows[i] as EvalRow)) found += 1;
  return found;
}

interface Tasks {
  /** The task of each row. */
  readonly taskOf: Uint32Array;
  readonly size: number;
}

/** Every metric of a summary asks for the tasks of the same rows; they are found once. */
const known = new WeakMap<readonly EvalRow[], { length: number; tasks: Tasks | null }>();

/** Null when every row is the first trial of its task, which is then the row itself. */
function tasksOf(rows: readonly EvalRow[]): Tasks | null {
  let found = known.get(rows);
  if (found === undefined || found.length !== rows.length) {
    const onlyFirstTrials = rows.every((row) => (row.trial ?? 0) === 0);
    found = { length: rows.length, tasks: onlyFirstTrials ? null : findTasks(rows) };
    known.set(rows, found);
  }
  return found.tasks;
}

function findTasks(rows: readonly EvalRow[]): Tasks {
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

function groupedSums(rows: readonly EvalRow[], read: Read, { taskOf, size }: Tasks): TaskSums {
  const sums = new Float64Array(size);
  const counts = new Uint32Array(size);
  for (let i = 0; i < rows.length; i++) {
    const value = read(rows[i] as EvalRow);
    if (value === undefined) continue;
    const task = taskOf[i] ?? 0;
    sums[task] = (sums[task] ?? 0) + value;
    counts[task] = (counts[task] ?? 0) + 1;
  }
  if (!counts.includes(0)) return { sums, counts };
  return { sums: sums.filter((_, i) => counts[i] !== 0), counts: counts.filter((trials) => trials !== 0) };
}
