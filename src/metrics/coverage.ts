import { bareValues, type Estimate, type Metric, type MetricContext } from "../core/metric.js";
import { type EvalRow, isScored, OUTCOMES, type Outcome } from "../core/row.js";
import { readColumn } from "./columns.js";
import { estimateRate, estimateShare } from "./estimates.js";
import { sumByTask, tasksOf } from "./tasks.js";

/** How many planned trials ended how, and what share of them the quality figures stand on. */
export class Coverage implements Metric {
  readonly name = "coverage";

  compute(rows: readonly EvalRow[], context?: MetricContext) {
    return bareValues(this.estimate(rows, context));
  }

  estimate(rows: readonly EvalRow[], context?: MetricContext): Record<string, Estimate> {
    const tasks = tasksOf(rows, context);
    const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
    for (const row of rows) counts[row.outcome] += 1;
    const isPlain = tasks.taskOf === null && tasks.groupOf === null && rows.length > 0;
    const share = (count: number, is: (row: EvalRow) => boolean): Estimate => {
      if (isPlain) return estimateShare(count, rows.length);
      const { interval } = estimateRate(
        sumByTask(
          tasks,
          readColumn(tasks.rows, (row) => Number(is(row))),
        ),
      );
      return { value: rows.length === 0 ? 0 : count / rows.length, ...(interval && { interval }) };
    };
    const estimates: Record<string, Estimate> = {
      coverage: share(counts.pass + counts.fail, isScored),
      error_rate: share(counts.error, (row) => row.outcome === "error"),
      num_planned: { value: rows.length },
    };
    for (const outcome of OUTCOMES) estimates[`num_${outcome}`] = { value: counts[outcome] };
    return estimates;
  }

  keys() {
    return ["coverage", "error_rate", "num_planned", ...OUTCOMES.map((outcome) => `num_${outcome}`)];
  }
}
