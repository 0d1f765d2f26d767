import type { Usage } from "../core/index.js";
import {
  countPromptTokens,
  type Estimate,
  type EvalRow,
  hasOutput,
  type Metric,
  type MetricContext,
  pickValues,
  type TaskIndex,
} from "../core/index.js";
import { sum } from "../stats/index.js";
import { estimateAmount, estimateRatio, toComplement } from "./estimates.js";
import {
  addColumns,
  countRows,
  fillMissing,
  filterPresent,
  getTaskIndex,
  readColumn,
  readInputTokens,
  readOutputTokens,
  sumByTask,
} from "./tasks.js";

/** Cost per pass in dollars, tokens and time, and the prompt compression by a proxy. */
export class Economy implements Metric {
  readonly name = "economy";

  compute(rows: readonly EvalRow[], context?: MetricContext) {
    return pickValues(this.estimate(rows, context));
  }

  estimate(rows: readonly EvalRow[], context?: MetricContext): Record<string, Estimate> {
    const tasks = getTaskIndex(rows, context);
    const passes = sumByTask(
      tasks,
      readColumn(tasks.rows, ({ passed }) => Number(passed === true)),
    );
    // A failed trial may not have consumed its input; its cost counts in dollars, where it is billed.
    const input = sumByTask(tasks, fillMissing(readInputTokens(tasks.rows))).sums;
    const output = sumByTask(tasks, readOutputTokens(tasks.rows)).sums;
    const perPass: PerPassEstimator = (totals) => estimateRatio(totals, passes);
    return {
      ...estimateDollars(tasks, perPass),
      seconds_per_pass: estimateSecondsPerPass(tasks, perPass),
      tokens_per_pass_input: perPass(input),
      tokens_per_pass_output: perPass(output),
      tokens_per_pass_total: perPass(addColumns(input, output)),
      ...estimatePromptCompression(tasks),
      ...sumOtherCosts(tasks),
    };
  }

  keys() {
    return [
      "cost_per_pass_usd",
      "mean_cost_usd",
      "cost_unknown_trials",
      "seconds_per_pass",
      "tokens_per_pass_input",
      "tokens_per_pass_output",
      "tokens_per_pass_total",
      "prompt_compression_ratio",
      "judge_cost_usd",
      "user_cost_usd",
    ] as const;
  }
}

/** Estimates a total per pass. */
type PerPassEstimator = (totals: Float64Array) => Estimate;

/** Unknown is not zero: if part of a total is unknown, the total is unknown. */
function estimateDollars(tasks: TaskIndex, perPass: PerPassEstimator): Record<string, Estimate> {
  // Hand-made rows may lack the field.
  const costUsd = readColumn(tasks.rows, (row) => row.costUsd ?? undefined);
  const unknown = countRows(tasks.rows, (row) => hasOutput(row) && row.costUsd == null);
  const known = sumByTask(tasks, costUsd);
  const isKnown = known.sums.length > 0;
  const total = () => perPass(sumByTask(tasks, fillMissing(costUsd)).sums);
  return {
    cost_per_pass_usd:
      isKnown && unknown === 0 ? total() : { value: null, reason: explainUnknownCost(isKnown, unknown) },
    mean_cost_usd: isKnown ? estimateAmount(known) : { value: null, reason: explainUnknownCost(isKnown, unknown) },
    cost_unknown_trials: { value: unknown },
  };
}

/** Like dollars: the time of all trials, including failures and errors, per pass. */
function estimateSecondsPerPass(tasks: TaskIndex, perPass: PerPassEstimator): Estimate {
  // A system that reports a longer time than the clock is a recording, and its time is the real one.
  const seconds = readColumn(tasks.rows, ({ durationMs, latency }) =>
    durationMs == null ? undefined : Math.max(durationMs / 1000, latency ?? 0),
  );
  const unmeasured = countRows(tasks.rows, (row) => hasOutput(row) && row.durationMs == null);
  if (unmeasured > 0) return { value: null, reason: `trials without a measured time: ${unmeasured}` };
  if (filterPresent(seconds).length === 0) return { value: null, reason: "no trial has a measured time" };
  return perPass(sumByTask(tasks, fillMissing(seconds)).sums);
}

function explainUnknownCost(isKnown: boolean, unknown: number): string {
  return isKnown ? `trials with unknown cost: ${unknown}` : "no trial has a known cost";
}

function estimatePromptCompression(tasks: TaskIndex): Record<string, Estimate> {
  if (tasks.rows.every((row) => row.usage == null)) return {};
  const columnOf = (read: (row: EvalRow, usage: Usage) => number) =>
    readColumn(tasks.rows, (row) => (row.usage == null ? undefined : read(row, row.usage)));
  const given = sumByTask(
    tasks,
    columnOf((row) => row.inputTokens),
  );
  if (sum(given.sums) === 0) return {};
  const sent = sumByTask(
    tasks,
    columnOf((_, usage) => countPromptTokens(usage)),
  ).sums;
  return { prompt_compression_ratio: toComplement(estimateRatio(sent, given, "input tokens")) };
}

/** Costs are whole pico-dollars, but floating-point sums are not exact. */
function roundToPicoDollars(usd: number): number {
  return Math.round(usd * 1e12) / 1e12;
}

/** The total cost of scoring and of simulated users; each is absent if none is known. */
function sumOtherCosts({ rows }: TaskIndex): Record<string, Estimate> {
  const judging = filterPresent(readColumn(rows, (row) => row.judgeCostUsd ?? undefined));
  const users = filterPresent(readColumn(rows, (row) => row.userCostUsd ?? undefined));
  return {
    ...(judging.length > 0 && { judge_cost_usd: { value: roundToPicoDollars(sum(judging)) } }),
    ...(users.length > 0 && { user_cost_usd: { value: roundToPicoDollars(sum(users)) } }),
  };
}
