import { UsageError } from "./errors.js";
import { describe } from "./shape.js";

/** The score that passing takes, checked: a percentage given by mistake would fail every trial. */
export function requireThreshold(threshold: number): number {
  if (typeof threshold === "number" && threshold >= 0 && threshold <= 1) return threshold;
  throw new UsageError(
    `The threshold must lie in [0, 1], but is ${describe(threshold)}. Scores are shares, not percentages.`,
  );
}
