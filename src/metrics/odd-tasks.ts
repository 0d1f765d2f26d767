import type { EvalRow } from "../core/index.js";
import { fitItemResponse, type ItemEstimate, type ResponseCell, type TaskFlag } from "../stats/index.js";

/** Rows of one system, which several runs may share. */
export interface SystemTrials {
  system: string;
  rows: readonly EvalRow[];
}

/** A task whose results look odd, with the figures behind it. */
export interface OddTask extends Omit<ItemEstimate, "systems"> {
  dataset: string;
  exampleId: string | number;
  /** The systems with trials of it, best pass rate on it first. */
  systems: readonly TaskResult[];
}

interface TaskResult extends ResponseCell {
  system: string;
}

/** Odd tasks of stored trials, and how much there was to judge them by. */
export interface OddTasks {
  /** Suspicious ones first, then noisy, dead and saturated ones. */
  tasks: readonly OddTask[];
  /** All tasks with a trial that passed or failed. */
  total: number;
  systems: readonly MeasuredSystem[];
  /** By flag: how many tasks have trials enough to get it. */
  judged: Readonly<Record<TaskFlag, number>>;
  /** How many of the judged tasks would be called suspicious by chance. */
  expectedSuspicious: number;
}

interface MeasuredSystem {
  system: string;
  tasks: number;
  trials: number;
  /** From the fit: 0 is the mean of the systems. */
  ability: number;
}

/** In the order in which tasks are listed: what needs a look first. */
export const TASK_FLAGS: readonly TaskFlag[] = ["suspicious", "noisy", "dead", "saturated"];

interface TaskCells {
  dataset: string;
  exampleId: string | number;
  cells: (ResponseCell | null)[];
}

/**
 * Finds the tasks whose results say little or look wrong: passed by all, by none, at random, or by weak systems only.
 * @example
 * findOddTasks([{ system: "small", rows }, { system: "large", rows: others }]).tasks[0]?.flags; // ["suspicious"]
 */
export function findOddTasks(trials: readonly SystemTrials[]): OddTasks {
  const tasks = new Map<string, TaskCells>();
  trials.forEach(({ rows }, system) => {
    for (const row of rows) countTrial(tasks, row, { system, systems: trials.length });
  });
  const all = [...tasks.values()];
  const fit = fitItemResponse(all.map(({ cells }) => cells));
  const odd = fit.items.flatMap(({ systems: _, ...item }, i): OddTask[] => {
    const task = all[i];
    if (task === undefined || item.flags.length === 0) return [];
    const { dataset, exampleId, cells } = task;
    return [{ dataset, exampleId, ...item, systems: listResults(cells, trials) }];
  });
  return {
    tasks: odd.sort(compareOddTasks),
    total: all.length,
    systems: trials.map(({ system }, at) => {
      const own = all.flatMap(({ cells }) => cells[at] ?? []);
      const count = own.reduce((sum, cell) => sum + cell.trials, 0);
      return { system, tasks: own.length, trials: count, ability: fit.abilities[at] ?? 0 };
    }),
    judged: countJudged(all, fit.tested),
    expectedSuspicious: fit.expectedSuspicious,
  };
}

/** Trials that neither passed nor failed say nothing about the task. */
function countTrial(
  tasks: Map<string, TaskCells>,
  { dataset, exampleId, outcome }: EvalRow,
  { system, systems }: { system: number; systems: number },
): void {
  if (outcome !== "pass" && outcome !== "fail") return;
  const key = JSON.stringify([dataset, exampleId]);
  const task = tasks.get(key) ?? { dataset, exampleId, cells: new Array<ResponseCell | null>(systems).fill(null) };
  tasks.set(key, task);
  const cell = task.cells[system] ?? { passes: 0, trials: 0 };
  task.cells[system] = { passes: cell.passes + (outcome === "pass" ? 1 : 0), trials: cell.trials + 1 };
}

function listResults(cells: readonly (ResponseCell | null)[], trials: readonly SystemTrials[]): TaskResult[] {
  const results = cells.flatMap((cell, at) => (cell === null ? [] : [{ system: trials[at]?.system ?? "", ...cell }]));
  return results.sort((a, b) => b.passes / b.trials - a.passes / a.trials);
}

/** The same conditions as those of `fitItemResponse`. */
function countJudged(tasks: readonly TaskCells[], tested: number): Record<TaskFlag, number> {
  const judged = { saturated: 0, dead: 0, noisy: 0, suspicious: tested };
  for (const { cells } of tasks) {
    const present = cells.flatMap((cell) => cell ?? []);
    const trials = present.reduce((sum, cell) => sum + cell.trials, 0);
    const isCounted = present.length >= 2 && trials >= 3 ? 1 : 0;
    judged.saturated += isCounted;
    judged.dead += isCounted;
    judged.noisy += present.filter((cell) => cell.trials >= 2).length >= 3 ? 1 : 0;
  }
  return judged;
}

function compareOddTasks(a: OddTask, b: OddTask): number {
  const rank = ({ flags }: OddTask) => Math.min(...flags.map((flag) => TASK_FLAGS.indexOf(flag)));
  return (
    rank(a) - rank(b) ||
    (a.negativeP ?? 1) - (b.negativeP ?? 1) ||
    (b.disagreement ?? 0) - (a.disagreement ?? 0) ||
    b.trials - a.trials
  );
}
