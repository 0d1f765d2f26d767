import {
  type Estimate,
  type EvalRow,
  getScore,
  hasOutput,
  type Metric,
  type MetricContext,
  pickValues,
  type TaskIndex,
} from "../core/index.js";
import { sum } from "../stats/index.js";
import { createQuantileEstimator, estimateAmount, estimateRatio } from "./estimates.js";
import { resolveMetricContext, type ScoreOptions } from "./settings.js";
import {
  computeTaskMeans,
  filterPresent,
  getTaskIndex,
  maskMissing,
  type RowValueReader,
  readColumn,
  sumByTask,
} from "./tasks.js";

const THOUSAND = 1000;
const MEMORY_KEYS = [
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
    return pickValues(this.estimate(rows, context));
  }

  estimate(rows: readonly EvalRow[], context?: MetricContext): Record<(typeof MEMORY_KEYS)[number], Estimate> {
    const { scoreField } = resolveMetricContext({ scoreField: this.scoreField }, context);
    const tasks = getTaskIndex(rows, context);
    const brought = createMetadataReader("contextTokens");
    const ingests = createSecondsEstimator(tasks, "ingestMs");
    const queries = createSecondsEstimator(tasks, "queryMs");
    return {
      mean_context_tokens: estimateMeasureMean(tasks, brought),
      context_share: estimateMeasureRatio(tasks, brought, createMetadataReader("historyTokens")),
      score_per_1k_context_tokens: estimateMeasureRatio(
        tasks,
        (row) => getScore(row, scoreField),
        (row) => divideByThousand(brought(row)),
      ),
      ingest_seconds_p50: ingests(0.5),
      ingest_seconds_p95: ingests(0.95),
      query_seconds_p50: queries(0.5),
      query_seconds_p95: queries(0.95),
    };
  }

  keys() {
    return [...MEMORY_KEYS];
  }
}

function createMetadataReader(name: string): RowValueReader {
  return (row) => {
    const value = hasOutput(row) ? row.metadata?.[name] : undefined;
    return typeof value === "number" && value >= 0 && value < Number.POSITIVE_INFINITY ? value : undefined;
  };
}

function divideByThousand(value: number | undefined): number | undefined {
  return value === undefined ? undefined : value / THOUSAND;
}

const NOT_MEASURED = "not measured in any trial";

function estimateMeasureMean(tasks: TaskIndex, read: RowValueReader): Estimate {
  const sums = sumByTask(tasks, readColumn(tasks.rows, read));
  return sums.sums.length === 0 ? { value: null, reason: NOT_MEASURED } : estimateAmount(sums);
}

/** Mean over mean, of the trials that have both. */
function estimateMeasureRatio(tasks: TaskIndex, above: RowValueReader, below: RowValueReader): Estimate {
  const [upper, lower] = [readColumn(tasks.rows, above), readColumn(tasks.rows, below)];
  const numerators = computeTaskMeans(sumByTask(tasks, maskMissing(upper, lower)));
  const given = sumByTask(tasks, maskMissing(lower, upper));
  const denominators = computeTaskMeans(given);
  if (numerators.length === 0) return { value: null, reason: NOT_MEASURED };
  if (sum(denominators) === 0) return { value: null, reason: "no context tokens" };
  return estimateRatio(numerators, { sums: denominators, groups: given.groups }, "context tokens");
}

/** Quantiles over the trials that have the value. */
function createSecondsEstimator(tasks: TaskIndex, name: string): (p: number) => Estimate {
  const milliseconds = createMetadataReader(name);
  const column = readColumn(tasks.rows, (row) => divideByThousand(milliseconds(row)));
  if (filterPresent(column).length === 0) return () => ({ value: null, reason: NOT_MEASURED });
  return createQuantileEstimator(tasks, column);
}
