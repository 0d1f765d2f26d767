import type { MetricContext } from "../core/metric.js";

/** Options of metrics that read one score field. */
export interface ScoreOptions {
  /** Defaults to the run's score field, and "score", the primary score, when there is none. */
  scoreField?: string | undefined;
}

/** Options of metrics that need to know what passes. */
export interface PassOptions extends ScoreOptions {
  /** Passing means at least this much. Defaults to the run's threshold, else 0.7. */
  threshold?: number | undefined;
}

const DEFAULTS: MetricContext = { scoreField: "score", threshold: 0.7, seed: 0 };

/** What a metric works with: its own options first, then the run's, then the defaults. */
export function settingsOf(options: PassOptions, context: MetricContext = DEFAULTS): MetricContext {
  return {
    scoreField: options.scoreField ?? context.scoreField,
    threshold: options.threshold ?? context.threshold,
    seed: context.seed,
  };
}
