import { interpolate, sortedCopy } from "./quantile.js";
import type { Random } from "./random.js";
import { binomialVariate } from "./variates.js";

/** The values of each task; every task has at least one. */
export type TaskValues = readonly (readonly number[])[];

/** A range of the sorted values that the quantile of a resample cannot leave. */
interface Window {
  low: number;
  high: number;
  values: Float64Array;
}

/** Tasks without a value in the window that look alike from there: so many values below it, so many in all. */
interface Bystanders {
  below: number;
  size: number;
  tasks: number;
}

/** Tasks with a value in the window; they have to be drawn one by one. */
interface Contenders {
  below: number[];
  sizes: number[];
  /** The contender each value in the window belongs to. */
  owners: Uint32Array;
}

/** The first index whose value is at least (or, if `beyond`, above) the one given. */
function search(sorted: Float64Array, value: number, beyond = false): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const found = sorted[middle] ?? 0;
    if (found < value || (beyond && found === value)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * The quantile of a resample lies below a rank only if the sum of n independent terms, each within a range of the
 * largest task's size, leaves its mean by the distance to that rank. At 4·size·√n Hoeffding's bound for that is
 * exp(-32), which no number of reports will ever meet.
 */
function windowAround(tasks: TaskValues, p: number): Window {
  const sorted = sortedCopy(tasks.flat());
  const largest = tasks.reduce((most, task) => Math.max(most, task.length), 0);
  const slack = 4 * largest * Math.sqrt(tasks.length) + largest;
  const position = (sorted.length - 1) * p;
  const low = sorted[Math.max(0, Math.floor(position - slack))] ?? 0;
  const high = sorted[Math.min(sorted.length - 1, Math.ceil(position + slack))] ?? 0;
  return { low, high, values: sorted.subarray(search(sorted, low), search(sorted, high, true)) };
}

function sortOut(tasks: TaskValues, window: Window): { contenders: Contenders; bystanders: Bystanders[] } {
  const owners = new Uint32Array(window.values.length);
  const taken = new Uint32Array(window.values.length);
  const contenders: Contenders = { below: [], sizes: [], owners };
  const groups = new Map<string, Bystanders>();
  for (const task of tasks) {
    let below = 0;
    let inside = 0;
    for (const value of task) {
      if (value < window.low) below++;
      else if (value <= window.high) {
        const first = search(window.values, value);
        const offset = taken[first] ?? 0;
        taken[first] = offset + 1;
        owners[first + offset] = contenders.sizes.length;
        inside++;
      }
    }
    if (inside > 0) {
      contenders.below.push(below);
      contenders.sizes.push(task.length);
    } else {
      const key = `${below} ${task.length}`;
      const group = groups.get(key) ?? { below, size: task.length, tasks: 0 };
      group.tasks++;
      groups.set(key, group);
    }
  }
  return { contenders, bystanders: [...groups.values()] };
}

/** The value at a fractional rank when each value counts as often as its owner was drawn and `below` come before. */
function valueAtRank(
  window: Window,
  drawn: (index: number) => number,
  rank: { position: number; below: number },
): number {
  const whole = Math.floor(rank.position);
  let reached = rank.below;
  let low: number | undefined;
  for (let i = 0; i < window.values.length; i++) {
    reached += drawn(i);
    if (reached <= whole) continue;
    const value = window.values[i] ?? 0;
    low ??= value;
    if (rank.position === whole) return low;
    if (reached > whole + 1) return interpolate(low, value, rank.position - whole);
  }
  return low ?? window.high;
}

export interface TaskResampler {
  /** Draws as many tasks as there are, with all their values, and returns the quantile of those. */
  next: (random: Random) => number;
  /** How much work one resample is. */
  cost: number;
}

/**
 * Bootstraps a quantile over tasks with several values each. Of the tasks whose values all lie clearly below or above
 * the quantile only the number drawn matters, so they are drawn by kind; at a million tasks that leaves a few thousand
 * to draw one by one.
 */
export function taskResampler(tasks: TaskValues, p: number): TaskResampler {
  const window = windowAround(tasks, p);
  const { contenders, bystanders } = sortOut(tasks, window);
  const sizes = Uint32Array.from(contenders.sizes);
  const below = Uint32Array.from(contenders.below);
  const counts = new Uint32Array(sizes.length);
  const drawn = (index: number) => counts[contenders.owners[index] ?? 0] ?? 0;

  const next = (random: Random) => {
    let [tasksLeft, drawsLeft] = [tasks.length, tasks.length];
    const tally = { total: 0, below: 0 };
    for (const group of bystanders) {
      const times = binomialVariate(drawsLeft, group.tasks / tasksLeft, random);
      tally.total += times * group.size;
      tally.below += times * group.below;
      tasksLeft -= group.tasks;
      drawsLeft -= times;
    }
    counts.fill(0);
    for (let i = 0; i < drawsLeft; i++) {
      const contender = random.int(counts.length);
      counts[contender] = (counts[contender] ?? 0) + 1;
      tally.total += sizes[contender] ?? 0;
      tally.below += below[contender] ?? 0;
    }
    return valueAtRank(window, drawn, { position: (tally.total - 1) * p, below: tally.below });
  };
  return { next, cost: counts.length + window.values.length };
}
