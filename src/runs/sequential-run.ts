import type { ComparedVariant, EvalConfig, EvalRow, Example, SequentialArm, SequentialReport } from "../core/index.js";
import { computePaidCost, createStoredTrialCounter } from "../core/index.js";
import { describeUntilHeadroom, nameTaskOfRow, SequentialJudge } from "../metrics/index.js";
import {
  type ExampleGroups,
  groupExamples,
  orderTasks,
  type Plan,
  readNotRun,
  type StopRule,
  type TaskUnits,
} from "../runner/index.js";

/** The rule that stops a run; undefined if it has none. `stored` are the rows of the stored run it is compared with. */
export function createStopRule(plan: Plan, config: EvalConfig, stored: readonly EvalRow[] = []): StopRule | undefined {
  const { until, systems, scoreField } = config;
  if (until === undefined) return undefined;
  const nameTask = createTaskNames(config);
  const judge = new SequentialJudge({ until, systems, units: orderTasks(plan).count, scoreField, nameTask });
  if (stored.length === 0) return judge;
  const find = indexStoredRows(stored, nameTask);
  return { look: (rows) => judge.look([...rows, ...find(rows.map(nameTask))]) };
}

/** What even all tasks of the run cannot show of what is asked for. */
export function describeRunLimits({ examples, trials }: Plan, { until }: EvalConfig): string[] {
  return until === undefined ? [] : describeUntilHeadroom(until, { tasks: examples.length, trials });
}

/** Tasks of datasets that share them have the same name in all. */
function createTaskNames({ datasets }: Pick<EvalConfig, "datasets">): (row: EvalRow) => string {
  const shared = new Map(
    datasets.flatMap(({ tags, pairedAs }) =>
      pairedAs === undefined ? [] : tags.map((tag) => [tag, pairedAs] as const),
    ),
  );
  return ({ dataset, exampleId }) => nameTaskOfRow({ dataset: shared.get(dataset) ?? dataset, exampleId });
}

/** Finds the rows of a stored run by the names of their tasks. */
function indexStoredRows(rows: readonly EvalRow[], nameTask: (row: EvalRow) => string) {
  const byTask = groupByTask(rows, nameTask);
  return (tasks: readonly string[]): EvalRow[] => [...new Set(tasks)].flatMap((task) => byTask.get(task) ?? []);
}

function groupByTask(rows: readonly EvalRow[], nameTask: (row: EvalRow) => string): Map<string, EvalRow[]> {
  const byTask = new Map<string, EvalRow[]>();
  for (const row of rows) {
    const name = nameTask(row);
    const own = byTask.get(name);
    if (own === undefined) byTask.set(name, [row]);
    else own.push(row);
  }
  return byTask;
}

/** The rows and examples of a run, complete or not. */
interface SequentialRun {
  config: EvalConfig;
  /** All examples of the run, in the order of its datasets. */
  examples: readonly Example[];
  /** Rows of trials that never ran may be among them. */
  rows: readonly EvalRow[];
  /** Those of the stored run that it is compared with. Default: none. */
  stored?: readonly EvalRow[] | undefined;
}

/** What a run has decided, by the tasks that are complete without a gap. Null if it cannot stop before its last task. */
export function reportSequentialRun({ config, examples, rows, stored = [] }: SequentialRun): SequentialReport | null {
  const { until, systems, scoreField } = config;
  if (until === undefined) return null;
  const nameTask = createTaskNames(config);
  const schedule = orderStoredTasks(config, examples);
  const judge = new SequentialJudge({ until, systems, units: schedule.units.count, scoreField, nameTask });
  replayTasks(judge, { schedule, systems, rows, nameTask, findStored: indexStoredRows(stored, nameTask) });
  const { seen, units, passedOver } = judge.progress;
  const found = judge.variants.flatMap((variant, index) => {
    // That of a stored run costs nothing here.
    if (!variant.systems.some((system) => systems.includes(system))) return [];
    const planned = addUp(variant.systems.map((system) => schedule.countPlanned(system)));
    const arm = summarizeArm(variant, { judge, index, rows, planned });
    return [{ arm, fixedUsd: estimateFixedCost(arm, planned) }];
  });
  const arms = found.map(({ arm }) => arm);
  const { order: _, ...asked } = until;
  return {
    ...asked,
    isDecided: judge.isDecided,
    level: judge.level,
    armLevel: 1 - until.alpha,
    tasks: { planned: schedule.tasks, seen, passedOver },
    groups:
      schedule.groupSizes === null ? null : { planned: schedule.units.count, seen: units, ...schedule.groupSizes },
    findings: judge.listFindings(),
    arms,
    spentUsd: addDollars(arms.map((arm) => arm.spentUsd)),
    notSpentUsd: addDollars(arms.map((arm) => arm.notSpentUsd)),
    fixedUsd: addDollars(found.map(({ fixedUsd }) => fixedUsd)),
  };
}

/** The tasks of a run in their seeded order. */
interface Schedule {
  units: TaskUnits;
  /** Examples that datasets share are one task. */
  tasks: number;
  /** Null if every task is by itself. */
  groupSizes: { smallest: number; largest: number } | null;
  /** By example: the trials of each system. */
  countTrials(example: number, system: string): number;
  getExample(example: number): Example | undefined;
  countPlanned(system: string): number;
}

function orderStoredTasks({ datasets, systems, trials, seed }: EvalConfig, examples: readonly Example[]): Schedule {
  const datasetIndexes = new Uint32Array(examples.length);
  let start = 0;
  for (const [index, { examples: count }] of datasets.entries()) {
    datasetIndexes.fill(index, start, start + count);
    start += count;
  }
  const datasetPlans = datasets.map(({ groupBy = null, pairedAs = null }) => ({ groupBy, pairedAs }));
  const groups = groupExamples({ examples, datasetIndexes, datasetPlans });
  const alone = datasetPlans.map(({ pairedAs }) => ({ groupBy: null, pairedAs }));
  const own = groupExamples({ examples, datasetIndexes, datasetPlans: alone });
  const tasks = own?.count ?? examples.length;
  const units = orderTasks({ examples, groups, seed });
  const counters = datasets.map((dataset) => createStoredTrialCounter(dataset, trials));
  const countTrials = (example: number, system: string) => {
    const at = datasetIndexes[example] ?? 0;
    const isRun = (datasets[at]?.terms?.systems ?? systems).includes(system);
    return isRun ? (counters[at]?.(examples[example]?.id ?? "") ?? 0) : 0;
  };
  return {
    units,
    tasks,
    groupSizes: groups === null || groups.count === tasks ? null : countGroupSizes(units, own),
    countTrials,
    getExample: (example) => examples[example],
    countPlanned: (system) => examples.reduce((sum, _, example) => sum + countTrials(example, system), 0),
  };
}

/** Examples that datasets share are one task. */
function countGroupSizes(units: TaskUnits, tasks: ExampleGroups | null): { smallest: number; largest: number } {
  let [smallest, largest] = [Number.POSITIVE_INFINITY, 0];
  for (let position = 0; position < units.count; position++) {
    const own = new Set(Array.from(units.listExamples(position), (example) => tasks?.of[example] ?? example));
    smallest = Math.min(smallest, own.size);
    largest = Math.max(largest, own.size);
  }
  return { smallest, largest };
}

interface Replay {
  schedule: Schedule;
  systems: readonly string[];
  rows: readonly EvalRow[];
  nameTask: (row: EvalRow) => string;
  findStored: (tasks: readonly string[]) => readonly EvalRow[];
}

/** Shows complete tasks to the judge, up to the first that is not. */
function replayTasks(judge: SequentialJudge, { schedule, systems, rows, nameTask, findStored }: Replay): void {
  // Trials that were interrupted or never ran continue on resume.
  const finished = rows.filter((row) => row.outcome !== "skipped" || readNotRun(row) !== null);
  const byExample = groupByTask(finished, nameTaskOfRow);
  const dropped = new Set<string>();
  for (let position = 0; position < schedule.units.count; position++) {
    const own = Array.from(schedule.units.listExamples(position), (example) => {
      const { dataset = "", id: exampleId = "" } = schedule.getExample(example) ?? {};
      return { example, rows: byExample.get(nameTaskOfRow({ dataset, exampleId })) ?? [] };
    });
    if (!own.every((task) => isTaskComplete(task, { schedule, dropped, systems }))) return;
    const seen = own.flatMap((task) => task.rows);
    for (const name of judge.look([...seen, ...findStored(seen.map(nameTask))]).dropped) dropped.add(name);
  }
  judge.finish();
}

function isTaskComplete(
  { example, rows }: { example: number; rows: readonly EvalRow[] },
  { schedule, dropped, systems }: Pick<Replay, "schedule" | "systems"> & { dropped: ReadonlySet<string> },
): boolean {
  return systems.every((system) => {
    if (dropped.has(system)) return true;
    const finished = rows.filter((row) => row.system === system).length;
    return finished >= schedule.countTrials(example, system);
  });
}

function summarizeArm(
  { name, systems }: ComparedVariant,
  { judge, index, rows, planned }: { judge: SequentialJudge; index: number; rows: readonly EvalRow[]; planned: number },
): SequentialArm {
  const own = rows.filter((row) => systems.includes(row.system));
  const run = own.filter(({ outcome }) => outcome !== "skipped");
  const droppedAfter = judge.droppedAfter(index);
  const isOver = judge.isDecided || droppedAfter !== null;
  const notRun = isOver ? Math.max(0, planned - run.length) : 0;
  const costs = run.flatMap((row) => readPaidCost(row) ?? []);
  const spent = own.flatMap((row) => readPaidCost(row) ?? row.judgeCostUsd ?? row.userCostUsd ?? []);
  const each = costs.length === 0 ? null : addUp(costs) / costs.length;
  return {
    system: name,
    droppedAfter: isOver ? droppedAfter : null,
    intervals: {
      pass_rate: judge.computeInterval(index, "pass_rate"),
      mean_score: judge.computeInterval(index, "mean_score"),
    },
    trials: run.length,
    notRun,
    spentUsd: spent.length === 0 ? null : addUp(spent),
    notSpentUsd: each === null ? null : each * notRun,
  };
}

/** With the cost of judging; null if unknown. An output from the cache or a recording is not paid for again. */
function readPaidCost(row: EvalRow): number | null {
  return !row.cached && row.costUsd === null ? null : computePaidCost(row);
}

/** What all planned trials would have cost. */
function estimateFixedCost({ spentUsd, trials, notRun, notSpentUsd }: SequentialArm, planned: number): number | null {
  if (spentUsd === null || trials === 0) return null;
  const missing = planned - trials - notRun;
  return spentUsd + (notSpentUsd ?? 0) + (Math.max(0, missing) * spentUsd) / trials;
}

function addUp(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** Unknown if any part is unknown. */
function addDollars(parts: readonly (number | null)[]): number | null {
  return parts.reduce<number | null>((sum, part) => (sum === null || part === null ? null : sum + part), 0);
}
