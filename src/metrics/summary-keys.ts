import type { CompressionRatio } from "./compression-ratio.js";
import type { CostOfPass } from "./cost-of-pass.js";
import type { Coverage } from "./coverage.js";
import type { Economy } from "./economy.js";
import type { Efficiency } from "./efficiency.js";
import type { Latency } from "./latency.js";
import type { MeanScore } from "./mean-score.js";
import type { MemoryEfficiency } from "./memory-efficiency.js";
import type { ParetoRank } from "./pareto-rank.js";
import type { PassRate } from "./pass-rate.js";

/** Keys of every summary. */
type CommonKey = KeyOf<
  MeanScore | PassRate | CompressionRatio | CostOfPass | Latency | Coverage | Economy | Efficiency
>;

/** Keys that need several systems, several trials, or memories. */
type OccasionalKey = KeyOf<ParetoRank | MemoryEfficiency> | "flaky_rate";

/** Keys with a part that only the run knows. */
type OpenKey =
  | `pass_${"at" | "hat"}_${number}${"" | IntervalEnding}`
  | `${"dataset" | "facet" | "cell" | "measure"}:${string}`;

type IntervalEnding = "_ci_low" | "_ci_high" | "_n" | "_groups";

/** A key of a summary that Assay computes, without bounds of intervals. */
export type SummaryKey = CommonKey | OccasionalKey | OpenKey;

/**
 * The summary of a system with the standard metrics and those of the run: known keys are completed by editors, and a
 * misspelled one does not compile. Null is "not measured"; Infinity is "no passes".
 */
export type StandardSummary<MetricKey extends string = never> = Record<CommonKey | OpenKey | MetricKey, number | null> &
  Partial<Record<OccasionalKey | `${CommonKey | OccasionalKey | MetricKey}${IntervalEnding}`, number | null>>;

type KeyOf<Each extends { keys(): readonly string[] }> = ReturnType<Each["keys"]>[number];
