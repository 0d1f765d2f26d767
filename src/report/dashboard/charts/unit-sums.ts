import { type EvalRow, hasOutput, scoreOf } from "../../../core/row.js";
import type { QualityCostChart } from "../contract.js";
import type { ChartSystem } from "./chart-system.js";

/** What one system made of each unit: a task, or all tasks of a group, which are not independent of each other. */
export interface UnitSums {
  /** Sums over tasks of the task's mean score, and how many tasks those are. */
  readonly scores: Float64Array;
  readonly scored: Float64Array;
  readonly costs: Float64Array;
  readonly priced: Float64Array;
}

export interface UnitSumsOptions extends Pick<QualityCostChart, "costUnit"> {
  scoreField: string;
}

/** What an attempt cost in each unit. */
const COST_OF: Readonly<Record<QualityCostChart["costUnit"], (row: EvalRow) => number | undefined>> = {
  usd: (row) => row.costUsd ?? undefined,
  tokens: (row) => (hasOutput(row) ? row.outputTokens : undefined),
};

/** The sums of all systems over the same units, in the same order. */
export function unitSums(systems: readonly ChartSystem[], { scoreField, costUnit }: UnitSumsOptions): UnitSums[] {
  const places = new Places();
  const tasks = systems.map(({ rows }) => Uint32Array.from(rows, (row) => places.taskOf(row)));
  const unitOf = places.unitOfTask;
  return systems.map(({ rows }, i) => {
    const own: Own = { rows, taskOf: tasks[i] ?? new Uint32Array(), unitOf, units: places.units };
    const [scores, scored] = sumMeans(own, (row) => scoreOf(row, scoreField));
    const [costs, priced] = sumMeans(own, COST_OF[costUnit]);
    return { scores, scored, costs, priced };
  });
}

interface Own {
  rows: readonly EvalRow[];
  taskOf: Uint32Array;
  unitOf: readonly number[];
  units: number;
}

/** Numbers for tasks and units as they come along. A task is one example, whichever system it is put to. */
class Places {
  readonly unitOfTask: number[] = [];
  readonly #tasks = new Map<string, number>();
  readonly #groups = new Map<string, number>();
  units = 0;

  taskOf({ dataset, exampleId, group }: EvalRow): number {
    const key = `${dataset}\u0000${exampleId}`;
    const known = this.#tasks.get(key);
    if (known !== undefined) return known;
    const task = this.#tasks.size;
    this.#tasks.set(key, task);
    this.unitOfTask.push(group == null ? this.units++ : this.#unitOf(`${dataset}\u0000${group}`));
    return task;
  }

  #unitOf(group: string): number {
    const unit = this.#groups.get(group) ?? this.units++;
    this.#groups.set(group, unit);
    return unit;
  }
}

function sumMeans(own: Own, read: (row: EvalRow) => number | undefined): [Float64Array, Float64Array] {
  const totals = new Float64Array(own.unitOf.length);
  const trials = new Float64Array(own.unitOf.length);
  for (const [i, row] of own.rows.entries()) {
    const value = read(row);
    if (value === undefined) continue;
    const task = own.taskOf[i] ?? 0;
    totals[task] = (totals[task] ?? 0) + value;
    trials[task] = (trials[task] ?? 0) + 1;
  }
  return byUnit(own, totals, trials);
}

function byUnit({ unitOf, units }: Own, totals: Float64Array, trials: Float64Array): [Float64Array, Float64Array] {
  const sums = new Float64Array(units);
  const counts = new Float64Array(units);
  for (const [task, unit] of unitOf.entries()) {
    const count = trials[task] ?? 0;
    if (count === 0) continue;
    sums[unit] = (sums[unit] ?? 0) + (totals[task] ?? 0) / count;
    counts[unit] = (counts[unit] ?? 0) + 1;
  }
  return [sums, counts];
}
