import type { Estimate, Metric } from "../core/metric.js";
import { type EvalRow, isScored } from "../core/row.js";
import { type PassCurvePoint, passCurves } from "../stats/index.js";
import { bounded, estimateRate } from "./estimates.js";
import { hasSeveralTrials, mean, sumByTask } from "./tasks.js";

/** With several trials: unbiased pass@k and pass^k for every k, and the share of tasks that sometimes pass. */
export class TrialCurves implements Metric {
  readonly name = "trial_curves";

  compute(rows: readonly EvalRow[]): Record<string, number> {
    if (!hasSeveralTrials(rows)) return {};
    const values = curvesOf(rows).flatMap(({ k, passAtK, passHatK }) => [
      [`pass_at_${k}`, passAtK],
      [`pass_hat_${k}`, passHatK],
    ]);
    return { ...Object.fromEntries(values), flaky_rate: mean(flakyTasks(rows)) };
  }

  intervals(rows: readonly EvalRow[]): Record<string, Estimate> {
    if (!hasSeveralTrials(rows)) return {};
    const values = curvesOf(rows).flatMap((point) => [
      [`pass_at_${point.k}`, estimate(point, point.passAtKInterval)],
      [`pass_hat_${point.k}`, estimate(point, point.passHatKInterval)],
    ]);
    const flaky = flakyTasks(rows);
    return {
      ...Object.fromEntries(values),
      flaky_rate: estimateRate({ sums: flaky, counts: new Uint32Array(flaky.length).fill(1) }),
    };
  }
}

function curvesOf(rows: readonly EvalRow[]): PassCurvePoint[] {
  const { sums, counts } = passes(rows);
  return passCurves(Array.from(sums, (c, i) => ({ n: counts[i] ?? 0, c })));
}

function flakyTasks(rows: readonly EvalRow[]): Float64Array {
  const { sums, counts } = passes(rows);
  return sums.map((passed, i) => Number(passed > 0 && passed < (counts[i] ?? 0)));
}

function passes(rows: readonly EvalRow[]) {
  return sumByTask(rows, (row) => (isScored(row) ? Number(row.passed === true) : undefined));
}

function estimate({ tasks }: PassCurvePoint, interval: { low: number; high: number } | null): Estimate {
  return bounded(interval?.low ?? null, interval?.high ?? null, tasks);
}
