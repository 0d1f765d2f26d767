import { bareValues, type Estimate, type Metric, type MetricContext, type Tasks } from "../core/metric.js";
import { type EvalRow, hasOutput, scoreOf } from "../core/row.js";
import { sum } from "../stats/mean.js";
import { present, type Read, readColumn, whereGiven } from "./columns.js";
import { estimateAmount, estimateRatio } from "./estimates.js";
import { quantileEstimator } from "./quantile-estimate.js";
import { type ScoreOptions, settingsOf } from "./settings.js";
import { meansOf, sumByTask, tasksOf } from "./tasks.js";

const THOUSAND = 1000;
const KEYS = [
  "mean_context_tokens",
  "context_share",
  "score_per_1k_context_tokens",
  "ingest_seconds_p50",
  "ingest_seconds_p95",
  "query_seconds_p50",
  "query_seconds_p95",
] as const;

/**
 * The retrieval of a memory: context tokens, their share of the whole history, score per thousand context tokens, and
 * seconds for ingesting a conversation and for answering.
 * @example
 * new MemoryEfficiency().compute(rows); // { mean_context_tokens: 512, context_share: 0.02, … }
 */
export class MemoryEfficiency implements Metric {
  readonly name = "memory_efficiency";
  readonly scoreField: string | undefined;

  constructor(options: ScoreOptions = {}) {
    this.scoreField = options.scoreField;
  }

  compute(rows: readonly EvalRow[], context?: MetricContext) {
    return bareValues(this.estimate(rows, context));
  }

  estimate(rows: readonly EvalRow[], context?: MetricContext): Record<(typeof KEYS)[number], Estimate> {
    const { scoreField } = settingsOf({ scoreField: this.scoreField }, context);
    const tasks = tasksOf(rows, context);
    const brought = measured("contextTokens");
    const ingests = secondsOf(tasks, "ingestMs");
    const queries = secondsOf(tasks, "queryMs");
    return {
      mean_context_tokens: meanOf(tasks, brought),
      context_share: ratioOf(tasks, brought, measured("historyTokens")),
      score_per_1k_context_tokens: ratioOf(
        tasks,
        (row) => scoreOf(row, scoreField),
        (row) => thousandth(brought(row)),
      ),
      ingest_seconds_p50: ingests(0.5),
      ingest_seconds_p95: ingests(0.95),
      query_seconds_p50: queries(0.5),
      query_seconds_p95: queries(0.95),
    };
  }

  keys() {
    return [...KEYS];
  }
}

function measured(name: string): Read {
  return (row) => {
    const value = hasOutput(row) ? row.metadata?.[name] : undefined;
    return typeof value === "number" && value >= 0 && value < Number.POSITIVE_INFINITY ? value : undefined;
  };
}

function thousandth(value: number | undefined): number | undefined {
  return value === undefined ? undefined : value / THOUSAND;
}

const UNMEASURED = "not measured in any trial";

function meanOf(tasks: Tasks, read: Read): Estimate {
  const sums = sumByTask(tasks, readColumn(tasks.rows, read));
  return sums.sums.length === 0 ? { value: null, reason: UNMEASURED } : estimateAmount(sums);
}

/** Mean over mean, of the trials that have both. */
function ratioOf(tasks: Tasks, above: Read, below: Read): Estimate {
  const [upper, lower] = [readColumn(tasks.rows, above), readColumn(tasks.rows, below)];
  const numerators = meansOf(sumByTask(tasks, whereGiven(upper, lower)));
  const given = sumByTask(tasks, whereGiven(lower, upper));
  const denominators = meansOf(given);
  if (numerators.length === 0) return { value: null, reason: UNMEASURED };
  if (sum(denominators) === 0) return { value: null, reason: "no context tokens" };
  return estimateRatio(numerators, { sums: denominators, groups: given.groups }, "context tokens");
}

/** Quantiles over the trials that have the value. */
function secondsOf(tasks: Tasks, name: string): (p: number) => Estimate {
  const milliseconds = measured(name);
  const column = readColumn(tasks.rows, (row) => thousandth(milliseconds(row)));
  if (present(column).length === 0) return () => ({ value: null, reason: UNMEASURED });
  return quantileEstimator(tasks, column);
}
