import type { Estimate, Metric } from "../core/metric.js";
import { type EvalRow, isScored, OUTCOMES, type Outcome } from "../core/row.js";
import { estimateRate } from "./estimates.js";
import { sumByTask } from "./tasks.js";

/** How many planned trials ended how, and what share of them the quality figures stand on. */
export class Coverage implements Metric {
  readonly name = "coverage";

  compute(rows: readonly EvalRow[]): Record<string, number> {
    const counts = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
    for (const row of rows) counts[row.outcome] += 1;
    const share = (count: number) => (rows.length === 0 ? 0 : count / rows.length);
    return {
      coverage: share(counts.pass + counts.fail),
      error_rate: share(counts.error),
      num_planned: rows.length,
      ...Object.fromEntries(OUTCOMES.map((outcome) => [`num_${outcome}`, counts[outcome]])),
    };
  }

  intervals(rows: readonly EvalRow[]): Record<string, Estimate> {
    return { coverage: estimateRate(sumByTask(rows, covered)), error_rate: estimateRate(sumByTask(rows, failed)) };
  }
}

const covered = (row: EvalRow) => Number(isScored(row));
const failed = (row: EvalRow) => Number(row.outcome === "error");
