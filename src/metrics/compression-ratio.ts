import type { EvalRow } from "../core/index.js";
import { type Estimate, type Metric, type MetricContext, pickValues } from "../core/index.js";
import { sum } from "../stats/index.js";
import { estimateAmount, estimateRatio, toComplement } from "./estimates.js";
import { getTaskIndex, maskMissing, readInputTokens, readOutputTokens, sumByTask } from "./tasks.js";

/**
 * How much shorter the outputs are than the inputs: 1 − Σ output tokens ÷ Σ input tokens, over trials with an output.
 * @example
 * new CompressionRatio().compute(rows); // { compression_ratio: 0.7, mean_input_tokens: 900, mean_output_tokens: 270 }
 */
export class CompressionRatio implements Metric {
  readonly name = "compression_ratio";

  compute(rows: readonly EvalRow[], context?: MetricContext) {
    return pickValues(this.estimate(rows, context));
  }

  estimate(
    rows: readonly EvalRow[],
    context?: MetricContext,
  ): Record<"compression_ratio" | "mean_input_tokens" | "mean_output_tokens", Estimate> {
    const tasks = getTaskIndex(rows, context);
    const inputTokens = readInputTokens(tasks.rows);
    const given = sumByTask(tasks, inputTokens);
    const produced = sumByTask(tasks, maskMissing(readOutputTokens(tasks.rows), inputTokens));
    const ratio = toComplement(estimateRatio(produced.sums, given, "input tokens"));
    return {
      compression_ratio: sum(given.sums) === 0 ? { ...ratio, value: 0 } : ratio,
      mean_input_tokens: estimateAmount(given),
      mean_output_tokens: estimateAmount(produced),
    };
  }

  keys() {
    return ["compression_ratio", "mean_input_tokens", "mean_output_tokens"] as const;
  }
}
