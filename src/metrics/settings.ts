import type { MetricContext } from "../core/index.js";

/** Options of metrics that read one score field. */
export interface ScoreOptions {
  /** Default: the run's score field, else "score", the primary score. */
  scoreField?: string | undefined;
}

/** Options of metrics that need a pass threshold. */
export interface PassOptions extends ScoreOptions {
  /** The minimum score that passes. Default: the run's threshold, else 0.7. */
  threshold?: number | undefined;
}

const DEFAULT_CONTEXT: MetricContext = { scoreField: "score", threshold: 0.7, seed: 0 };

/** Merges a metric's options with those of the run and the defaults. */
export function resolveMetricContext(options: PassOptions, context: MetricContext = DEFAULT_CONTEXT): MetricContext {
  return {
    scoreField: options.scoreField ?? context.scoreField,
    threshold: options.threshold ?? context.threshold,
    seed: context.seed,
  };
}
