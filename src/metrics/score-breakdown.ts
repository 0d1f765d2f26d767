import {
  type Estimate,
  type EvalRow,
  getScore,
  type Metric,
  type MetricContext,
  type MetricRun,
  pickValues,
} from "../core/index.js";
import { estimateScore } from "./estimates.js";
import { resolveMetricContext, type ScoreOptions } from "./settings.js";
import { getTaskIndex, readColumn } from "./tasks.js";

/** The mean of a score field for each part of the rows; subclasses define the parts. */
export abstract class ScoreBreakdown implements Metric {
  abstract readonly name: string;
  readonly scoreField: string | undefined;

  constructor(options: ScoreOptions = {}) {
    this.scoreField = options.scoreField;
  }

  compute(rows: readonly EvalRow[], context?: MetricContext) {
    return pickValues(this.estimate(rows, context));
  }

  estimate(rows: readonly EvalRow[], context?: MetricContext): Record<string, Estimate> {
    const { scoreField } = resolveMetricContext({ scoreField: this.scoreField }, context);
    const estimates: Record<string, Estimate> = {};
    for (const [key, own] of this.parts(rows, context)) {
      const column = readColumn(own, (row) => getScore(row, scoreField));
      estimates[key] = estimateScore(getTaskIndex(own), column);
    }
    return estimates;
  }

  /** The rows of each part, by summary key. */
  protected abstract parts(
    rows: readonly EvalRow[],
    context?: MetricContext,
  ): Iterable<readonly [key: string, rows: readonly EvalRow[]]>;

  abstract keys(run: MetricRun): string[];
}
