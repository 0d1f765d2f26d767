import type { RecordedVariant } from "../evals/index.js";
import type { ReportedVariant } from "./experiment-figures.js";

/** Older records lack the planned count; it is known only for complete runs, from their rows. */
export function toReportedVariant({ planned, ...variant }: RecordedVariant, isComplete: boolean): ReportedVariant {
  if (planned !== undefined) return { ...variant, planned: planned.here };
  return isComplete ? variant : { ...variant, planned: null };
}
