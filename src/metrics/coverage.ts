import {
  type Estimate,
  type EvalRow,
  isScored,
  type Metric,
  type MetricContext,
  OUTCOMES,
  type Outcome,
  pickValues,
  type TaskIndex,
} from "../core/index.js";
import { passRateInterval } from "../stats/index.js";
import { estimateShare, toEstimateInterval } from "./estimates.js";
import { countRows, getTaskIndex, readColumn } from "./tasks.js";

/** Counts planned trials by outcome, and the share of them that was scored. */
export class Coverage implements Metric {
  readonly name = "coverage";

  compute(rows: readonly EvalRow[], context?: MetricContext) {
    return pickValues(this.estimate(rows, context));
  }

  estimate(rows: readonly EvalRow[], context?: MetricContext): Record<string, Estimate> {
    const tasks = getTaskIndex(rows, context);
    const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
    for (const row of rows) counts[row.outcome] += 1;
    const estimates: Record<string, Estimate> = {
      coverage: estimateTrialShare(tasks, isScored),
      error_rate: estimateTrialShare(tasks, (row) => row.outcome === "error"),
      num_planned: { value: rows.length },
    };
    for (const outcome of OUTCOMES) estimates[`num_${outcome}`] = { value: counts[outcome] };
    return estimates;
  }

  keys() {
    return ["coverage", "error_rate", "num_planned", ...OUTCOMES.map((outcome) => `num_${outcome}` as const)] as const;
  }
}

/**
 * The share of all trials, which differs from the mean over tasks if their numbers of trials differ. Trials of a task, or
 * of a group of tasks, are a cluster, because they are not independent.
 */
function estimateTrialShare(tasks: TaskIndex, is: (row: EvalRow) => boolean): Estimate {
  const { rows, taskOf, groupOf, size } = tasks;
  const hasGroups = groupOf !== null && new Set(groupOf).size < size;
  if (rows.length > 0 && taskOf === null && !hasGroups) return estimateShare(countRows(rows, is), rows.length);
  const values = readColumn(rows, (row) => Number(is(row)));
  const taskOfRow = (index: number) => taskOf?.[index] ?? index;
  const clusterOf = (i: number) => (hasGroups ? groupOf[taskOfRow(i)] : undefined) ?? taskOfRow(i);
  const clusters = new Uint32Array(rows.length).map((_, i) => clusterOf(i));
  const found = passRateInterval(values, rows.length, { clusters });
  const groups = hasGroups ? found.clusters : undefined;
  return { value: found.rate, interval: toEstimateInterval({ low: found.low, high: found.high, n: size, groups }) };
}
