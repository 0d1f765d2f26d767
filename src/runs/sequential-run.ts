import type { EvalConfig, EvalRow, Example, SequentialArm, SequentialReport } from "../core/index.js";
import { SequentialJudge } from "../metrics/index.js";
import { groupExamples, orderTasks, type Plan, readNotRun, type StopRule, type TaskUnits } from "../runner/index.js";

/** The rule that stops a run; undefined if it has none. */
export function createStopRule(plan: Plan, config: EvalConfig): StopRule | undefined {
  const { until, systems, scoreField } = config;
  if (until === undefined) return undefined;
  return new SequentialJudge({ until, systems, units: orderTasks(plan).count, scoreField });
}

/** The rows and examples of a run, complete or not. */
interface SequentialRun {
  config: EvalConfig;
  /** All examples of the run, in the order of its datasets. */
  examples: readonly Example[];
  /** Rows of trials that never ran may be among them. */
  rows: readonly EvalRow[];
}

/** What a run has decided, by the tasks that are complete without a gap. Null if it cannot stop before its last task. */
export function reportSequentialRun({ config, examples, rows }: SequentialRun): SequentialReport | null {
  const { until, systems, scoreField } = config;
  if (until === undefined) return null;
  const schedule = orderStoredTasks(config, examples);
  const judge = new SequentialJudge({ until, systems, units: schedule.units.count, scoreField });
  replayTasks(judge, schedule, rows);
  const { seen, units, passedOver } = judge.progress;
  const arms = systems.map((system, i) =>
    summarizeArm(system, { judge, index: i, rows, planned: schedule.planned[i] ?? 0 }),
  );
  const spentUsd = addDollars(arms.map((arm) => arm.spentUsd));
  const notSpentUsd = addDollars(arms.map((arm) => arm.notSpentUsd));
  const { order: _, ...asked } = until;
  return {
    ...asked,
    isDecided: judge.isDecided,
    level: judge.level,
    armLevel: 1 - until.alpha,
    tasks: { planned: examples.length, seen, passedOver },
    groups: schedule.isGrouped ? { planned: schedule.units.count, seen: units } : null,
    findings: judge.listFindings(),
    arms,
    spentUsd,
    notSpentUsd,
    fixedUsd: estimateFixedCost(config, { arms, planned: schedule.planned }),
  };
}

/** The tasks of a run in their seeded order. */
interface Schedule {
  units: TaskUnits;
  isGrouped: boolean;
  /** By example: the trials of each system. */
  countTrials(example: number, system: string): number;
  getExample(example: number): Example | undefined;
  /** By system. */
  planned: readonly number[];
}

function orderStoredTasks({ datasets, systems, trials, seed }: EvalConfig, examples: readonly Example[]): Schedule {
  const datasetIndexes = new Uint32Array(examples.length);
  let start = 0;
  for (const [index, { examples: count }] of datasets.entries()) {
    datasetIndexes.fill(index, start, start + count);
    start += count;
  }
  const datasetPlans = datasets.map(({ groupBy = null }) => ({ groupBy }));
  const groups = groupExamples({ examples, datasetIndexes, datasetPlans });
  const countTrials = (example: number, system: string) => {
    const { terms } = datasets[datasetIndexes[example] ?? 0] ?? {};
    return (terms?.systems ?? systems).includes(system) ? (terms?.trials ?? trials) : 0;
  };
  return {
    units: orderTasks({ examples, groups, seed }),
    isGrouped: groups !== null && groups.count < examples.length,
    countTrials,
    getExample: (example) => examples[example],
    planned: systems.map((system) => examples.reduce((sum, _, example) => sum + countTrials(example, system), 0)),
  };
}

/** Shows complete tasks to the judge, up to the first that is not. */
function replayTasks(judge: SequentialJudge, schedule: Schedule, rows: readonly EvalRow[]): void {
  const byTask = new Map<string, EvalRow[]>();
  for (const row of rows) {
    // Trials that were interrupted or never ran continue on resume.
    if (row.outcome === "skipped" && readNotRun(row) === null) continue;
    const key = encodeTask(row.dataset, row.exampleId);
    const own = byTask.get(key);
    if (own === undefined) byTask.set(key, [row]);
    else own.push(row);
  }
  const dropped = new Set<string>();
  for (let position = 0; position < schedule.units.count; position++) {
    const own = Array.from(schedule.units.listExamples(position), (example) => {
      const { dataset = "", id = "" } = schedule.getExample(example) ?? {};
      return { example, rows: byTask.get(encodeTask(dataset, id)) ?? [] };
    });
    const isComplete = own.every((task) => isTaskComplete(task, { schedule, dropped, systems: judge.systems }));
    if (!isComplete) return;
    for (const name of judge.look(own.flatMap((task) => task.rows)).dropped) dropped.add(name);
  }
  judge.finish();
}

function isTaskComplete(
  { example, rows }: { example: number; rows: readonly EvalRow[] },
  { schedule, dropped, systems }: { schedule: Schedule; dropped: ReadonlySet<string>; systems: readonly string[] },
): boolean {
  return systems.every((system) => {
    if (dropped.has(system)) return true;
    const finished = rows.filter((row) => row.system === system).length;
    return finished >= schedule.countTrials(example, system);
  });
}

function encodeTask(dataset: string, id: string | number): string {
  return `${dataset}\u0000${id}`;
}

function summarizeArm(
  system: string,
  { judge, index, rows, planned }: { judge: SequentialJudge; index: number; rows: readonly EvalRow[]; planned: number },
): SequentialArm {
  const own = rows.filter((row) => row.system === system);
  const run = own.filter(({ outcome }) => outcome !== "skipped");
  const droppedAfter = judge.droppedAfter(index);
  const isOver = judge.isDecided || droppedAfter !== null;
  const notRun = isOver ? Math.max(0, planned - run.length) : 0;
  const costs = run.flatMap(({ costUsd, judgeCostUsd }) => (costUsd === null ? [] : costUsd + (judgeCostUsd ?? 0)));
  const spent = own.flatMap(({ costUsd, judgeCostUsd }) => costUsd ?? judgeCostUsd ?? []);
  const each = costs.length === 0 ? null : addUp(costs) / costs.length;
  return {
    system,
    droppedAfter: isOver ? droppedAfter : null,
    intervals: {
      pass_rate: judge.computeInterval(index, "pass_rate"),
      mean_score: judge.computeInterval(index, "mean_score"),
    },
    trials: run.length,
    notRun,
    spentUsd: spent.length === 0 ? null : addUp(own.map((row) => (row.costUsd ?? 0) + (row.judgeCostUsd ?? 0))),
    notSpentUsd: each === null ? null : each * notRun,
  };
}

function estimateFixedCost(
  { systems }: EvalConfig,
  { arms, planned }: { arms: readonly SequentialArm[]; planned: readonly number[] },
): number | null {
  return addDollars(
    systems.map((_, i) => {
      const { spentUsd = null, trials = 0, notRun = 0, notSpentUsd = null } = arms[i] ?? {};
      if (spentUsd === null || trials === 0) return null;
      const missing = (planned[i] ?? 0) - trials - notRun;
      return spentUsd + (notSpentUsd ?? 0) + (Math.max(0, missing) * spentUsd) / trials;
    }),
  );
}

function addUp(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** Unknown if any part is unknown. */
function addDollars(parts: readonly (number | null)[]): number | null {
  return parts.reduce<number | null>((sum, part) => (sum === null || part === null ? null : sum + part), 0);
}
