import { bareValues, type Estimate, type Metric } from "../core/metric.js";
import { type EvalRow, hasOutput } from "../core/row.js";
import type { Usage } from "../core/system.js";
import { complement, estimateMean, ratioBounds } from "./estimates.js";
import { count, sum, sumByTask } from "./tasks.js";

/** What passes cost, in dollars and in tokens of all trials, and what a compressing proxy saves of the prompt. */
export class Economy implements Metric {
  readonly name = "economy";

  compute(rows: readonly EvalRow[]) {
    return bareValues(this.estimate(rows));
  }

  estimate(rows: readonly EvalRow[]): Record<string, Estimate> {
    const passes = sumByTask(rows, (row) => Number(row.passed === true)).sums;
    const input = sumByTask(rows, inputTokens).sums;
    const output = sumByTask(rows, (row) => row.outputTokens).sums;
    return {
      ...dollars(rows, passes),
      tokens_per_pass_input: perPass(input, passes),
      tokens_per_pass_output: perPass(output, passes),
      tokens_per_pass_total: perPass(
        input.map((tokens, i) => tokens + (output[i] ?? 0)),
        passes,
      ),
      ...promptCompression(rows),
    };
  }
}

/** A trial without an output was not given its input for nothing: it is counted where it is billed, in dollars. */
const inputTokens = (row: EvalRow) => (hasOutput(row) ? row.inputTokens : 0);

function perPass(totals: Float64Array, passes: Float64Array): Estimate {
  const passed = sum(passes);
  const value = passed === 0 ? Number.POSITIVE_INFINITY : sum(totals) / passed;
  return { value, interval: ratioBounds(totals, passes) };
}

/** Unknown is not zero: a total of which a part is not known is not known. */
function dollars(rows: readonly EvalRow[], passes: Float64Array): Record<string, Estimate> {
  const unknown = count(rows, (row) => hasOutput(row) && row.costUsd === null);
  const known = sumByTask(rows, (row) => row.costUsd ?? undefined);
  const isKnown = known.sums.length > 0;
  const total = () => perPass(sumByTask(rows, (row) => row.costUsd ?? 0).sums, passes);
  return {
    cost_per_pass_usd: isKnown && unknown === 0 ? total() : { value: null, reason: whyUnknown(isKnown, unknown) },
    mean_cost_usd: isKnown ? estimateMean(known) : { value: null, reason: whyUnknown(isKnown, unknown) },
    cost_unknown_trials: { value: unknown },
  };
}

function whyUnknown(isKnown: boolean, unknown: number): string {
  return isKnown ? `trials whose cost is not known: ${unknown}` : "no trial has a known cost";
}

function promptCompression(rows: readonly EvalRow[]): Record<string, Estimate> {
  const metered = rows.filter((row) => row.usage != null);
  const given = sumByTask(metered, (row) => row.inputTokens).sums;
  const total = sum(given);
  if (total === 0) return {};
  const sent = sumByTask(metered, (row) => (row.usage === null ? 0 : promptTokens(row.usage))).sums;
  const interval = complement(ratioBounds(sent, given, "input tokens"));
  return { prompt_compression_ratio: { value: 1 - sum(sent) / total, interval } };
}

function promptTokens({ input, cacheRead = 0, cacheWrite = 0 }: Usage): number {
  return input + cacheRead + cacheWrite;
}
