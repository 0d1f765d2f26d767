import { bareValues, type Estimate, type Metric, type MetricContext, type MetricRun } from "../core/metric.js";
import { type EvalRow, isScored } from "../core/row.js";
import { type PassCurvePoint, passCurves } from "../stats/index.js";
import { readColumn } from "./columns.js";
import { bounded, estimateRate } from "./estimates.js";
import { sumByTask, tasksOf } from "./tasks.js";

/** With several trials: unbiased pass@k and pass^k for every k, and the share of flaky tasks. */
export class TrialCurves implements Metric {
  readonly name = "trial_curves";

  compute(rows: readonly EvalRow[], context?: MetricContext) {
    return bareValues(this.estimate(rows, context));
  }

  estimate(rows: readonly EvalRow[], context?: MetricContext): Record<string, Estimate> {
    const tasks = tasksOf(rows, context);
    if (tasks.taskOf === null) return {};
    const passed = readColumn(tasks.rows, (row) => (isScored(row) ? Number(row.passed === true) : undefined));
    const { sums, counts, groups } = sumByTask(tasks, passed);
    if (counts === null) return {};
    const estimates: Record<string, Estimate> = {};
    const trials = Array.from(sums, (c, i) => ({ n: counts[i] ?? 0, c }));
    for (const point of passCurves(trials, { clusters: groups ?? undefined })) {
      const { k, passAtKInterval, passHatKInterval } = point;
      estimates[`pass_at_${k}`] = { value: point.passAtK, interval: boundsOf(passAtKInterval, point) };
      estimates[`pass_hat_${k}`] = { value: point.passHatK, interval: boundsOf(passHatKInterval, point) };
    }
    const flaky = sums.map((passed, i) => Number(passed > 0 && passed < (counts[i] ?? 0)));
    estimates.flaky_rate = estimateRate({ sums: flaky, counts: null, groups });
    return estimates;
  }

  keys({ trials }: MetricRun) {
    if (trials < 2) return [];
    const ks = Array.from({ length: trials }, (_, i) => i + 1);
    return [...ks.flatMap((k) => [`pass_at_${k}`, `pass_hat_${k}`]), "flaky_rate"];
  }
}

function boundsOf(interval: { low: number; high: number } | null, { tasks, clusters }: PassCurvePoint) {
  return bounded({ low: interval?.low ?? null, high: interval?.high ?? null, n: tasks, groups: clusters });
}
