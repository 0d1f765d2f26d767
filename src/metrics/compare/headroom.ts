import { type EvalRow, isScored } from "../../core/index.js";
import type { ComparedRun, RunComparison } from "./compare-runs.js";
import type { PairedComparison } from "./comparison.js";

/** From this pass rate on, a better system can hardly show it. */
const CEILING = 0.9;
/** Fewer scored trials may be equal by chance. */
const MIN_CONSTANT_TRIALS = 20;

/** What was compared, and the smallest difference that was asked for, if any. */
interface HeadroomQuestion {
  runs: readonly [ComparedRun, ComparedRun];
  asked: number | undefined;
}

/**
 * Warns where a comparison has no room to show anything: a baseline at its ceiling, a difference that even the whole
 * dataset cannot show, and scores that never vary.
 * @example
 * describeHeadroom(compareRuns(a, b), { runs: [a, b], asked: 0.02 });
 */
export function describeHeadroom({ comparisons }: RunComparison, { runs, asked }: HeadroomQuestion): string[] {
  return [
    ...comparisons.flatMap(describeCeiling),
    ...(asked === undefined ? [] : comparisons.flatMap((each) => describeLimit(each, { asked, run: runs[0] }))),
    ...describeConstantScores(comparisons, runs),
  ];
}

/** Fewer tasks may all be easy by chance. */
const MIN_CEILING_TASKS = 20;

/**
 * The same for one run: the first system, with which others are compared, is at its ceiling, or scores never vary.
 * @example
 * describeRunHeadroom(rows, ["old", "new"]); // ["old passes 96 %: a better system can hardly show it. Harder tasks could"]
 */
export function describeRunHeadroom(rows: readonly EvalRow[], systems: readonly string[]): string[] {
  const tasks = new Map<string, { passes: number; trials: number }>();
  for (const row of rows) {
    if (row.system !== systems[0] || !isScored(row)) continue;
    const key = `${row.dataset}\u0000${row.exampleId}`;
    const known = tasks.get(key) ?? { passes: 0, trials: 0 };
    tasks.set(key, known);
    known.trials += 1;
    if (row.outcome === "pass") known.passes += 1;
  }
  let rate = 0;
  for (const { passes, trials } of tasks.values()) rate += passes / trials / tasks.size;
  // Sums of shares may miss the bound by rounding.
  const isFull = tasks.size >= MIN_CEILING_TASKS && rate + 1e-9 >= CEILING;
  const percent = Math.floor((rate + 1e-9) * 100);
  const ceiling = isFull
    ? [`${systems[0]} passes ${percent} %: a better system can hardly show it. Harder tasks could`]
    : [];
  const own = new Set(systems);
  return [...ceiling, ...describeConstant(rows.filter(({ system }) => own.has(system)))];
}

function findPassRate({ metrics }: PairedComparison) {
  return metrics.find(({ metric, n }) => metric === "pass_rate" && n > 0);
}

function describeCeiling(comparison: PairedComparison): string[] {
  const rate = findPassRate(comparison)?.a ?? 0;
  if (rate < CEILING) return [];
  const percent = Math.floor(rate * 100);
  return [`${comparison.systemA} passes ${percent} % in A: a better system can hardly show it. Harder tasks could`];
}

function describeLimit(comparison: PairedComparison, { asked, run }: { asked: number; run: ComparedRun }): string[] {
  const metric = findPassRate(comparison);
  const least = metric?.detectable?.difference ?? null;
  if (metric === undefined || least === null) return [];
  const tasks = run.config.datasets.reduce((total, { examples }) => total + examples, 0);
  const limit = least * Math.sqrt(Math.min(1, metric.n / tasks));
  if (!(limit > asked)) return [];
  return [
    `${comparison.systemB}: all ${tasks} tasks of the run can show a difference of ${limit.toFixed(3)} at 80 % power, not the ${asked} that was asked for. More trials of each task or more tasks could`,
  ];
}

function describeConstantScores(
  comparisons: readonly PairedComparison[],
  [a, b]: readonly [ComparedRun, ComparedRun],
): string[] {
  const [ofA, ofB] = [new Set(comparisons.map((c) => c.systemA)), new Set(comparisons.map((c) => c.systemB))];
  const rows = [...a.rows.filter(({ system }) => ofA.has(system)), ...b.rows.filter(({ system }) => ofB.has(system))];
  return describeConstant(rows);
}

function describeConstant(rows: readonly EvalRow[]): string[] {
  return [...collectScores(rows)].flatMap(([field, { value, count, isConstant }]) =>
    isConstant && count >= MIN_CONSTANT_TRIALS
      ? [`${field} is ${value} in all ${count} scored trials: a score that never varies tells nothing apart`]
      : [],
  );
}

function collectScores(rows: readonly EvalRow[]) {
  const fields = new Map<string, { value: number; count: number; isConstant: boolean }>();
  for (const { scores } of rows)
    for (const [field, value] of Object.entries(scores ?? {})) {
      if (field === "score" || typeof value !== "number") continue;
      const known = fields.get(field);
      if (known === undefined) fields.set(field, { value, count: 1, isConstant: true });
      else {
        known.count += 1;
        known.isConstant &&= known.value === value;
      }
    }
  return fields;
}
