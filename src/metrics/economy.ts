import type { Estimate, Metric } from "../core/metric.js";
import { type EvalRow, hasOutput } from "../core/row.js";
import type { Usage } from "../core/system.js";
import { estimateMean, estimateRatio } from "./estimates.js";
import { mean, meansByTask, sum, sumByTask } from "./tasks.js";

/** What passes cost, in dollars and in tokens of all trials, and what a compressing proxy saves of the prompt. */
export class Economy implements Metric {
  readonly name = "economy";
  readonly reasons = {
    cost_per_pass_usd: "no trial has a known cost",
    mean_cost_usd: "no trial has a known cost",
  };

  compute(rows: readonly EvalRow[]): Record<string, number | null> {
    const passes = sum(passesByTask(rows));
    const perPass = (total: number) => (passes === 0 ? Number.POSITIVE_INFINITY : total / passes);
    const input = sum(sumByTask(rows, inputTokens).sums);
    const output = sum(sumByTask(rows, (row) => row.outputTokens).sums);
    const costs = sumByTask(rows, costOf);
    const costIsKnown = costs.sums.length > 0;
    return {
      cost_per_pass_usd: costIsKnown ? perPass(sum(costs.sums)) : null,
      mean_cost_usd: costIsKnown ? mean(meansByTask(rows, costOf)) : null,
      cost_unknown_trials: rows.filter((row) => row.outcome !== "skipped" && row.costUsd === null).length,
      tokens_per_pass_input: perPass(input),
      tokens_per_pass_output: perPass(output),
      tokens_per_pass_total: perPass(input + output),
      ...promptCompression(rows),
    };
  }

  intervals(rows: readonly EvalRow[]): Record<string, Estimate> {
    const passes = passesByTask(rows);
    const ratio = (read: (row: EvalRow) => number) => estimateRatio(sumByTask(rows, read).sums, passes);
    const costs = meansByTask(rows, costOf);
    return {
      ...(costs.length === 0
        ? {}
        : { cost_per_pass_usd: ratio((row) => row.costUsd ?? 0), mean_cost_usd: estimateMean(costs) }),
      tokens_per_pass_input: ratio(inputTokens),
      tokens_per_pass_output: ratio((row) => row.outputTokens),
      tokens_per_pass_total: ratio((row) => inputTokens(row) + row.outputTokens),
    };
  }
}

const costOf = (row: EvalRow) => row.costUsd ?? undefined;
/** A trial without an output was not given its input for nothing: it is counted where it is billed, in dollars. */
const inputTokens = (row: EvalRow) => (hasOutput(row) ? row.inputTokens : 0);

function passesByTask(rows: readonly EvalRow[]): Float64Array {
  return sumByTask(rows, (row) => Number(row.passed === true)).sums;
}

function promptCompression(rows: readonly EvalRow[]): Record<string, number> {
  let given = 0;
  let sent = 0;
  for (const row of rows) {
    if (row.usage == null) continue;
    given += row.inputTokens;
    sent += promptTokens(row.usage);
  }
  return given === 0 ? {} : { prompt_compression_ratio: 1 - sent / given };
}

function promptTokens({ input, cacheRead = 0, cacheWrite = 0 }: Usage): number {
  return input + cacheRead + cacheWrite;
}
