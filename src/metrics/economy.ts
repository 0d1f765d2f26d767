import { bareValues, type Estimate, type Metric, type MetricContext, type Tasks } from "../core/metric.js";
import { type EvalRow, hasOutput } from "../core/row.js";
import type { Usage } from "../core/system.js";
import { complement, estimateMean, ratioBounds } from "./estimates.js";
import { sum, sumByTask, type TaskSums, tasksOf } from "./tasks.js";

/** What passes cost, in dollars and in tokens of all trials, and what a compressing proxy saves of the prompt. */
export class Economy implements Metric {
  readonly name = "economy";

  compute(rows: readonly EvalRow[], context?: MetricContext) {
    return bareValues(this.estimate(rows, context));
  }

  estimate(rows: readonly EvalRow[], context?: MetricContext): Record<string, Estimate> {
    const tasks = tasksOf(rows, context);
    const passes = sumByTask(tasks, (row) => Number(row.passed === true));
    const input = sumByTask(tasks, inputTokens).sums;
    const output = sumByTask(tasks, (row) => row.outputTokens).sums;
    return {
      ...dollars(tasks, passes),
      tokens_per_pass_input: perPass(input, passes),
      tokens_per_pass_output: perPass(output, passes),
      tokens_per_pass_total: perPass(
        input.map((tokens, i) => tokens + (output[i] ?? 0)),
        passes,
      ),
      ...promptCompression(tasks),
      ...judging(tasks.rows),
    };
  }

  keys() {
    return [
      "cost_per_pass_usd",
      "mean_cost_usd",
      "cost_unknown_trials",
      "tokens_per_pass_input",
      "tokens_per_pass_output",
      "tokens_per_pass_total",
      "prompt_compression_ratio",
      "judge_cost_usd",
    ];
  }
}

/** A trial without an output was not given its input for nothing: it is counted where it is billed, in dollars. */
const inputTokens = (row: EvalRow) => (hasOutput(row) ? row.inputTokens : 0);

function perPass(totals: Float64Array, passes: TaskSums): Estimate {
  const passed = sum(passes.sums);
  const value = passed === 0 ? Number.POSITIVE_INFINITY : sum(totals) / passed;
  return { value, interval: ratioBounds(totals, passes) };
}

/** Unknown is not zero: a total of which a part is not known is not known. */
function dollars(tasks: Tasks, passes: TaskSums): Record<string, Estimate> {
  let unknown = 0;
  const known = sumByTask(tasks, (row) => {
    if (row.costUsd != null) return row.costUsd;
    if (hasOutput(row)) unknown += 1;
    return undefined;
  });
  const isKnown = known.sums.length > 0;
  const total = () => perPass(sumByTask(tasks, (row) => row.costUsd ?? 0).sums, passes);
  return {
    cost_per_pass_usd: isKnown && unknown === 0 ? total() : { value: null, reason: whyUnknown(isKnown, unknown) },
    mean_cost_usd: isKnown ? estimateMean(known) : { value: null, reason: whyUnknown(isKnown, unknown) },
    cost_unknown_trials: { value: unknown },
  };
}

function whyUnknown(isKnown: boolean, unknown: number): string {
  return isKnown ? `trials whose cost is not known: ${unknown}` : "no trial has a known cost";
}

function promptCompression(tasks: Tasks): Record<string, Estimate> {
  const given = sumByTask(tasks, (row) => (row.usage == null ? undefined : row.inputTokens));
  const total = sum(given.sums);
  if (total === 0) return {};
  const sent = sumByTask(tasks, (row) => (row.usage == null ? undefined : promptTokens(row.usage))).sums;
  const interval = complement(ratioBounds(sent, given, "input tokens"));
  return { prompt_compression_ratio: { value: 1 - sum(sent) / total, interval } };
}

/** Costs are whole pico-dollars; sums of fractions are not quite. */
function wholePico(usd: number): number {
  return Math.round(usd * 1e12) / 1e12;
}

/** What scoring has cost, of all trials together; absent when it cost nothing that is known. */
function judging(rows: readonly EvalRow[]): Record<string, Estimate> {
  let total: number | null = null;
  for (const { judgeCostUsd } of rows) if (judgeCostUsd != null) total = (total ?? 0) + judgeCostUsd;
  return total === null ? {} : { judge_cost_usd: { value: wholePico(total) } };
}

function promptTokens({ input, cacheRead = 0, cacheWrite = 0 }: Usage): number {
  return input + cacheRead + cacheWrite;
}
