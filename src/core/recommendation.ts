/** The figure that decides which system is best. */
export type QualityKey = "pass_rate" | "mean_score";

/** What the cost of a system is counted in: dollars or output tokens per pass, or tokens of retrieved context. */
export type CostBasis = "usd" | "tokens" | "context_tokens";

/** The system with the best quality; a bound is null if unknown. */
export interface BestSystem {
  system: string;
  value: number;
  low: number | null;
  high: number | null;
}

/** The cheapest system whose quality is not significantly worse than the best. */
export interface CheapestSystem {
  system: string;
  basis: CostBasis;
  cost: number;
  /** The cost of the best system; null if unknown or infinite. */
  bestCost: number | null;
}

/** The system with the lowest median latency. */
export interface FastestSystem {
  system: string;
  /** Median latency in seconds, and that of the best system. */
  seconds: number;
  bestSeconds: number;
  /** True if its quality is significantly worse than the best. */
  isWorse: boolean;
}

/** The quality of a system minus that of the best, over the examples that both have. */
export interface QualityDifference {
  system: string;
  /** Number of examples that both have. */
  examples: number;
  difference: number | null;
  low: number | null;
  high: number | null;
  /** Two-sided, without correction. */
  p: number | null;
  /** Holm-corrected over all pairs of systems, because the best was chosen by the same data. */
  adjustedP: number | null;
  /** `worse` is significant; `same` means that every example has the same result. */
  verdict: "worse" | "unclear" | "same";
  /**
   * For `unclear`: about how many more examples would show a difference of this size at 80 % power. Null if there is no
   * difference, or nothing to estimate it from.
   */
  moreExamples: number | null;
}

/** Which of several systems to choose, as far as the run tells. */
export interface Recommendation {
  /** Why nothing is recommended; `best`, `cheapest` and `fastest` are then null. */
  withheld: string | null;
  quality: QualityKey;
  best: BestSystem | null;
  /** Null if no cost is known for all systems. */
  cheapest: CheapestSystem | null;
  /** Null if the latency of a system is unknown. */
  fastest: FastestSystem | null;
  /** Every other system and the best, highest quality first. */
  differences: readonly QualityDifference[];
  /** What limits the recommendation, such as systems without a price. */
  notes: readonly string[];
  /** The command to run next; null if the run is not stored. */
  next: string | null;
}
