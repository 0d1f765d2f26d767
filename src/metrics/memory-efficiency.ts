import { bareValues, type Estimate, type Metric, type MetricContext, type Tasks } from "../core/metric.js";
import { type EvalRow, hasOutput, scoreOf } from "../core/row.js";
import { quantile, quantileBootstrapInterval, ratioInterval } from "../stats/index.js";
import { bounded, estimateMean } from "./estimates.js";
import { type ScoreOptions, settingsOf } from "./settings.js";
import { meansOf, sum, sumByTask, tasksOf } from "./tasks.js";

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
 * What a memory brings up and how fast: tokens of context, their share of the whole history, the score that a thousand
 * of them buy, and seconds for taking a conversation in and for answering.
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
    const { scoreField, seed } = settingsOf({ scoreField: this.scoreField }, context);
    const tasks = tasksOf(rows, context);
    const brought = measured("contextTokens");
    const ingests = secondsOf(rows, "ingestMs", seed);
    const queries = secondsOf(rows, "queryMs", seed);
    return {
      mean_context_tokens: meanOf(tasks, brought),
      context_share: ratioOf(tasks, brought, measured("historyTokens")),
      score_per_1k_context_tokens: ratioOf(
        tasks,
        (row) => scoreOf(row, scoreField),
        (row) => inThousands(brought(row)),
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

type Read = (row: EvalRow) => number | undefined;

/** What a memory's row tells under a name. */
function measured(name: string): Read {
  return (row) => {
    const value = hasOutput(row) ? row.metadata?.[name] : undefined;
    return typeof value === "number" && value >= 0 && value < Number.POSITIVE_INFINITY ? value : undefined;
  };
}

function inThousands(tokens: number | undefined): number | undefined {
  return tokens === undefined ? undefined : tokens / THOUSAND;
}

const UNMEASURED = "no trial has it measured";

function meanOf(tasks: Tasks, read: Read): Estimate {
  const sums = sumByTask(tasks, read);
  return sums.sums.length === 0 ? { value: null, reason: UNMEASURED } : estimateMean(sums);
}

/** Mean over mean, of the trials that have both. */
function ratioOf(tasks: Tasks, above: Read, below: Read): Estimate {
  const onlyWith =
    (read: Read, other: Read): Read =>
    (row) =>
      other(row) === undefined ? undefined : read(row);
  const numerators = meansOf(sumByTask(tasks, onlyWith(above, below)));
  const denominators = meansOf(sumByTask(tasks, onlyWith(below, above)));
  if (numerators.length === 0) return { value: null, reason: UNMEASURED };
  if (sum(denominators) === 0) return { value: null, reason: "no context tokens" };
  const { ratio, low, high, n, unbounded } = ratioInterval(numerators, denominators);
  if (unbounded)
    return { value: ratio, interval: { low, high, n, reason: "no upper bound: context tokens vary too much" } };
  return { value: ratio, interval: bounded(low, high, n) };
}

/** Quantiles over trials; for their intervals, trials of one example travel together. */
function secondsOf(rows: readonly EvalRow[], name: string, seed: number): (p: number) => Estimate {
  const read = measured(name);
  const byTask = new Map<string, number[]>();
  for (const row of rows) {
    const value = read(row);
    const key = `${row.dataset}\u0000${row.exampleId}`;
    if (value !== undefined) byTask.set(key, [...(byTask.get(key) ?? []), value / THOUSAND]);
  }
  const tasks = [...byTask.values()];
  if (tasks.length === 0) return () => ({ value: null, reason: UNMEASURED });
  return (p) => {
    const { low, high, n } = quantileBootstrapInterval(tasks, p, { seed });
    return { value: quantile(tasks.flat(), p), interval: bounded(low, high, n) };
  };
}
