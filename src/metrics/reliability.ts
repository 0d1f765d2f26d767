import type {
  CalibrationFigures,
  EvalConfig,
  EvalRow,
  FaultFigures,
  ReliabilityFigure,
  ReliabilityProfile,
  StressArm,
  StressFigures,
} from "../core/index.js";
import { CALL_FAULT_KINDS, isDelayFault, isScored } from "../core/index.js";
import {
  type Clusters,
  calibrationFigures,
  meanInterval,
  type OpenInterval,
  outcomeConsistency,
  passRateInterval,
  ratioInterval,
  resourceConsistency,
  robustnessRatio,
  scoreInterval,
} from "../stats/index.js";

/** The profiles of a stress test, one for each system; null for other runs. */
export function computeReliability(
  rows: readonly EvalRow[],
  { arms }: Pick<EvalConfig, "arms">,
): ReliabilityProfile[] | null {
  if (arms === undefined) return null;
  const byName = new Map<string, EvalRow[]>(Object.keys(arms).map((name) => [name, []]));
  for (const row of rows) byName.get(row.system)?.push(row);
  const named = Object.entries(arms);
  return named.flatMap(([name, { system, kind }]) => {
    if (kind !== "clean") return [];
    const stressed = named.filter(([, arm]) => arm.system === system && arm.kind !== "clean");
    return [describeSystem({ system, clean: byName.get(name) ?? [], stressed, byName })];
  });
}

interface SystemRows {
  readonly system: string;
  readonly clean: readonly EvalRow[];
  readonly stressed: readonly (readonly [name: string, arm: StressArm])[];
  readonly byName: ReadonlyMap<string, readonly EvalRow[]>;
}

function describeSystem({ system, clean, stressed, byName }: SystemRows): ReliabilityProfile {
  const tasks = groupTasks(clean);
  return {
    system,
    passRate: estimatePassRate(tasks),
    outcomeConsistency: estimateConsistency(tasks),
    costConsistency: estimateResource(tasks, ({ costUsd }) => costUsd, "no cost is known"),
    tokenConsistency: estimateResource(tasks, countTokens, "no usage was reported"),
    timeConsistency: estimateResource(tasks, readSeconds, "no time was measured"),
    arms: stressed.map(([name, { kind }]) => describeArm({ name, kind, rows: byName.get(name) ?? [], clean: tasks })),
    calibration: describeCalibration(clean),
  };
}

/** The trials of one task, and the group that makes it depend on others. */
interface Task {
  readonly rows: readonly EvalRow[];
  readonly group: string;
}

type Tasks = ReadonlyMap<string, Task>;

function groupTasks(rows: readonly EvalRow[]): Tasks {
  const tasks = new Map<string, { rows: EvalRow[]; group: string }>();
  for (const row of rows) {
    const key = `${row.dataset}\u0000${row.exampleId}`;
    const task = tasks.get(key) ?? { rows: [], group: row.group === null ? key : `${row.dataset}\u0000${row.group}` };
    task.rows.push(row);
    tasks.set(key, task);
  }
  return tasks;
}

/** A value of each task that has one. */
interface TaskValues<T = number> {
  readonly keys: readonly string[];
  readonly values: readonly T[];
  /** Absent if every task is independent. */
  readonly clusters?: Clusters;
}

function collectValues<T>(tasks: Tasks, read: (task: Task) => T | null): TaskValues<T> {
  const keys: string[] = [];
  const values: T[] = [];
  for (const [key, task] of tasks) {
    const value = read(task);
    if (value === null) continue;
    keys.push(key);
    values.push(value);
  }
  return { keys, values, ...findClusters(tasks, keys) };
}

function findClusters(tasks: Tasks, keys: readonly string[]): { clusters?: Clusters } {
  const clusters = keys.map((key) => tasks.get(key)?.group ?? key);
  return new Set(clusters).size === clusters.length ? {} : { clusters };
}

/** The mean of each task over the trials that have the value. */
function collectMeans(tasks: Tasks, read: (row: EvalRow) => number | null): TaskValues {
  return collectValues(tasks, ({ rows }) => {
    const values = rows.map(read).filter((value) => value !== null);
    return values.length === 0 ? null : values.reduce((total, value) => total + value, 0) / values.length;
  });
}

/** 1 or 0 for a scored trial. One that an injected fault broke is scored as failed by the runner. */
function readOutcome(row: EvalRow): number | null {
  return isScored(row) ? Number(row.passed === true) : null;
}

function readSeconds({ durationMs, cached }: EvalRow): number | null {
  return durationMs === null || cached ? null : durationMs / 1000;
}

function countTokens({ usage }: EvalRow): number | null {
  if (usage === null) return null;
  return usage.input + usage.output + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0);
}

function leaveOut(tasks: number, reason: string): ReliabilityFigure {
  return { value: null, low: null, high: null, tasks, reason };
}

const TOO_FEW = "fewer than two independent tasks";

/** A figure is only given with its interval. */
function toFigure(value: number, { low, high }: OpenInterval, tasks: number): ReliabilityFigure {
  return low === null && high === null ? leaveOut(tasks, TOO_FEW) : { value, low, high, tasks };
}

function estimateScore({ values, clusters }: TaskValues): ReliabilityFigure {
  if (values.length < 2) return leaveOut(values.length, values.length === 0 ? "no scored trial" : TOO_FEW);
  const found = scoreInterval(values, { clusters });
  return toFigure(found.mean, found, values.length);
}

/** As in the table of the run. */
function estimatePassRate(tasks: Tasks): ReliabilityFigure {
  const { values, clusters } = collectMeans(tasks, readOutcome);
  const trials = [...tasks.values()].reduce((total, { rows }) => total + rows.filter(isScored).length, 0);
  if (values.length === 0) return leaveOut(0, "no scored trial");
  const found = passRateInterval(values, trials, { clusters });
  return toFigure(found.rate, found, values.length);
}

function estimateConsistency(tasks: Tasks): ReliabilityFigure {
  const { values, clusters } = collectValues(tasks, ({ rows }) => rows.filter(isScored));
  const counts = values.map((rows) => ({ passes: rows.filter(({ passed }) => passed).length, trials: rows.length }));
  const { value, low, high, n } = outcomeConsistency(counts, { clusters }).agreement;
  return value === null ? leaveOut(0, NEEDS_TRIALS) : toFigure(value, { low, high }, n);
}

const NEEDS_TRIALS = "needs at least two scored trials of a task (--trials 5)";

function estimateResource(tasks: Tasks, read: (row: EvalRow) => number | null, why: string): ReliabilityFigure {
  const { values, clusters } = collectValues(tasks, ({ rows }) => {
    const amounts = rows.map(read).filter((amount) => amount !== null);
    return amounts.length === 0 ? null : amounts;
  });
  const { value, low, high, n } = resourceConsistency(values, { clusters });
  if (value !== null) return toFigure(value, { low, high }, n);
  return leaveOut(0, values.length === 0 ? why : "needs at least two trials of a task that used some");
}

interface ArmRows {
  readonly name: string;
  readonly kind: string;
  readonly rows: readonly EvalRow[];
  readonly clean: Tasks;
}

function describeArm({ name, kind, rows, clean }: ArmRows): StressFigures {
  const tasks = groupTasks(rows);
  return {
    name,
    kind,
    passRate: estimatePassRate(tasks),
    robustness: estimateRobustness(pairTasks(clean, tasks, readOutcome)),
    extraSeconds: estimateExtra(pairTasks(clean, tasks, readSeconds)),
    ...(kind === "faults" && { faults: describeFaults(tasks) }),
  };
}

/** The means of the tasks that both arms have. */
interface PairedTasks {
  readonly clean: readonly number[];
  readonly stressed: readonly number[];
  readonly clusters?: Clusters;
}

function pairTasks(clean: Tasks, stressed: Tasks, read: (row: EvalRow) => number | null): PairedTasks {
  const [before, after] = [collectMeans(clean, read), collectMeans(stressed, read)];
  const cleanOf = new Map(before.keys.map((key, at) => [key, before.values[at] ?? 0]));
  const shared = after.keys.flatMap((key, at) => (cleanOf.has(key) ? [{ key, value: after.values[at] ?? 0 }] : []));
  const keys = shared.map(({ key }) => key);
  return {
    clean: keys.map((key) => cleanOf.get(key) ?? 0),
    stressed: shared.map(({ value }) => value),
    ...findClusters(clean, keys),
  };
}

function estimateRobustness({ clean, stressed, clusters }: PairedTasks): ReliabilityFigure {
  if (clean.length === 0) return leaveOut(0, "no task was scored in both arms");
  const { ratio, low, high, n } = robustnessRatio({ usual: clean, perturbed: stressed }, { clusters });
  if (ratio === null) return leaveOut(n, "undefined: without stress, no trial of these tasks passes");
  return toFigure(ratio, { low, high }, n);
}

function estimateExtra({ clean, stressed, clusters }: PairedTasks): ReliabilityFigure {
  if (clean.length === 0) return leaveOut(0, "no time was measured in both arms");
  const found = meanInterval(
    stressed.map((seconds, at) => seconds - (clean[at] ?? 0)),
    { clusters },
  );
  return toFigure(found.mean, found, clean.length);
}

function describeFaults(tasks: Tasks): FaultFigures {
  const breaking = ({ rows }: Task) => rows.flatMap(({ faults }) => faults).filter(({ kind }) => !isDelayFault(kind));
  const all = [...tasks.values()].flatMap(({ rows }) => rows.flatMap(({ faults }) => faults));
  const counted = CALL_FAULT_KINDS.map((known) => [known, all.filter(({ kind }) => kind === known).length] as const);
  const recovered = collectValues(tasks, (task) => {
    const faults = breaking(task);
    return faults.length === 0 ? null : faults.filter(({ recoveryMs }) => recoveryMs !== null).length / faults.length;
  });
  return {
    counts: Object.fromEntries(counted.filter(([, count]) => count > 0)),
    recovered: recovered.values.length === 0 ? leaveOut(0, "no fault was injected") : estimateScore(recovered),
    recoverySeconds: estimateRecovery(tasks, breaking),
  };
}

/** An interval that reaches further says nothing. */
const MAX_BOUND_RATIO = 100;

/** Seconds per fault: a ratio of sums over tasks, because tasks have different numbers of faults. */
function estimateRecovery(
  tasks: Tasks,
  breaking: (task: Task) => readonly { readonly recoveryMs: number | null }[],
): ReliabilityFigure {
  const times = (task: Task) => breaking(task).flatMap(({ recoveryMs }) => recoveryMs ?? []);
  const counts = collectValues(tasks, (task) => times(task).length || null);
  const sums = collectValues(tasks, (task) => {
    const own = times(task);
    return own.length === 0 ? null : own.reduce((total, ms) => total + ms / 1000, 0);
  });
  if (sums.values.length === 0) return leaveOut(0, "no trial recovered from a fault");
  const found = ratioInterval(sums.values, counts.values, { clusters: sums.clusters });
  const isBounded = found.high !== null && found.high < MAX_BOUND_RATIO * found.ratio;
  return isBounded
    ? toFigure(found.ratio, found, sums.values.length)
    : leaveOut(sums.values.length, "too few faults to bound it");
}

function describeCalibration(rows: readonly EvalRow[]): CalibrationFigures | null {
  const scored = rows.filter(isScored);
  const stated = scored.filter(({ confidence }) => confidence !== null);
  if (stated.length === 0) return null;
  const tasks = groupTasks(stated);
  // Groups, not tasks, are independent.
  const figures = calibrationFigures(
    [...tasks.values()].flatMap(({ rows: own, group }) =>
      own.map(({ confidence, passed }) => ({ task: group, confidence: confidence ?? 0, passed: passed === true })),
    ),
  );
  const units = figures.brier.n;
  const toUsable = ({ value, low, high }: OpenInterval & { value: number | null }, why: string) => {
    if (units < MIN_RESAMPLED) return leaveOut(tasks.size, `needs at least ${MIN_RESAMPLED} independent tasks`);
    return value === null ? leaveOut(tasks.size, why) : toFigure(value, { low, high }, tasks.size);
  };
  const gaps = collectMeans(tasks, ({ confidence, passed }) => (confidence ?? 0) - Number(passed === true));
  const gap = meanInterval(gaps.values, { clusters: gaps.clusters });
  return {
    stated: stated.length,
    scored: scored.length,
    brier: toUsable(figures.brier, TOO_FEW),
    ece: toUsable(figures.ece, TOO_FEW),
    discrimination: toUsable(figures.discrimination, "all of these trials passed, or all failed"),
    overconfidence: toFigure(gap.mean, gap, gaps.values.length),
  };
}

/** With fewer, resamples say little. */
const MIN_RESAMPLED = 10;
