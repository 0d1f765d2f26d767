import {
  type Estimate,
  type EvalRow,
  isScored,
  type Metric,
  type MetricContext,
  type MetricRun,
  pickValues,
} from "../core/index.js";
import { type PassCurvePoint, passCurves } from "../stats/index.js";
import { estimateRate, toEstimateInterval } from "./estimates.js";
import { getTaskIndex, readColumn, sumByTask } from "./tasks.js";

/** With several trials: unbiased pass@k and pass^k for every k, and the share of flaky tasks. */
export class TrialCurves implements Metric {
  readonly name = "trial_curves";

  compute(rows: readonly EvalRow[], context?: MetricContext) {
    return pickValues(this.estimate(rows, context));
  }

  estimate(rows: readonly EvalRow[], context?: MetricContext): Record<string, Estimate> {
    const tasks = getTaskIndex(rows, context);
    if (tasks.taskOf === null) return {};
    const passed = readColumn(tasks.rows, (row) => (isScored(row) ? Number(row.passed === true) : undefined));
    const { sums, counts, groups } = sumByTask(tasks, passed);
    if (counts === null) return {};
    const estimates: Record<string, Estimate> = {};
    const trials = Array.from(sums, (c, i) => ({ n: counts[i] ?? 0, c }));
    for (const point of passCurves(trials, { clusters: groups ?? undefined })) {
      const { k, passAtKInterval, passHatKInterval } = point;
      estimates[`pass_at_${k}`] = { value: point.passAtK, interval: toCurveInterval(passAtKInterval, point) };
      estimates[`pass_hat_${k}`] = { value: point.passHatK, interval: toCurveInterval(passHatKInterval, point) };
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

function toCurveInterval(interval: { low: number; high: number } | null, { tasks, clusters }: PassCurvePoint) {
  return toEstimateInterval({ low: interval?.low ?? null, high: interval?.high ?? null, n: tasks, groups: clusters });
}
