import type { Effort } from "./effort.js";
import type { QualityKey } from "./recommendation.js";

/** One model or agent at one effort; unknown is null. */
export interface EffortPoint {
  system: string;
  /** Null for the model's own effort. */
  effort: Effort | null;
  quality: number | null;
  low: number | null;
  high: number | null;
  /** Mean dollars of a trial. */
  costUsd: number | null;
  costPerPassUsd: number | null;
  /** Median seconds inside the system. */
  latencySeconds: number | null;
  /** Mean over trials that report them. */
  reasoningTokens: number | null;
  /** Mean of the output tokens. */
  outputTokens: number | null;
}

/** Systems that differ only in their effort. */
export interface EffortCurve {
  /** Their name without the effort. */
  name: string;
  quality: QualityKey;
  /** From the least effort to the most; token budgets follow the names. */
  points: readonly EffortPoint[];
}
