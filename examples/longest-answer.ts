import type { Metric } from "assay";
import { quantile } from "assay/stats";

/** The 95th percentile and the maximum of the output tokens per trial. */
const longestAnswer: Metric = {
  name: "longest_answer",
  compute(rows) {
    const tokens = rows.filter((row) => row.latency !== null).map((row) => row.outputTokens);
    // Null means "not measured"; 0 would mean that the longest answer was empty.
    if (tokens.length === 0) return { output_tokens_p95: null, output_tokens_max: null };
    return { output_tokens_p95: quantile(tokens, 0.95), output_tokens_max: Math.max(...tokens) };
  },
};

export default longestAnswer;
