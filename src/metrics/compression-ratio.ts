import type { Estimate, Metric } from "../core/metric.js";
import { type EvalRow, hasOutput } from "../core/row.js";
import { estimateMean, estimateRatio } from "./estimates.js";
import { mean, meansByTask, sum, sumByTask } from "./tasks.js";

/**
 * How much shorter the systems' text is than what they were given: 1 − Σ output tokens ÷ Σ input tokens, over the
 * trials that had an output.
 * @example
 * new CompressionRatio().compute(rows); // { compression_ratio: 0.7, mean_input_tokens: 900, mean_output_tokens: 270 }
 */
export class CompressionRatio implements Metric {
  readonly name = "compression_ratio";

  compute(rows: readonly EvalRow[]): Record<string, number> {
    const given = sum(sumByTask(rows, inputTokens).sums);
    const produced = sum(sumByTask(rows, outputTokens).sums);
    return {
      compression_ratio: given === 0 ? 0 : 1 - produced / given,
      mean_input_tokens: mean(meansByTask(rows, inputTokens)),
      mean_output_tokens: mean(meansByTask(rows, outputTokens)),
    };
  }

  intervals(rows: readonly EvalRow[]): Record<string, Estimate> {
    const { low, high, ...rest } = estimateRatio(sumByTask(rows, outputTokens).sums, sumByTask(rows, inputTokens).sums);
    return {
      compression_ratio: { low: high === null ? null : 1 - high, high: low === null ? null : 1 - low, ...rest },
      mean_input_tokens: estimateMean(meansByTask(rows, inputTokens)),
      mean_output_tokens: estimateMean(meansByTask(rows, outputTokens)),
    };
  }
}

const inputTokens = (row: EvalRow) => (hasOutput(row) ? row.inputTokens : undefined);
const outputTokens = (row: EvalRow) => (hasOutput(row) ? row.outputTokens : undefined);
