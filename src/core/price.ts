import type { EvalRow } from "./row.js";
import type { Usage } from "./system.js";

/** Price per token of each class, in whole pico-dollars (10⁻¹² $) so that sums are exact. */
export interface TokenPrices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Cache entries that live for an hour, if priced separately. */
  readonly cacheWrite1h: number;
}

/** The price of a model and its source. */
export interface Price extends TokenPrices {
  /** Prices for longer prompts, by ascending length. */
  readonly tiers?: readonly PriceTier[];
  /** The file, or the package and version, that it comes from. */
  readonly source: string;
}

/** Prices for long prompts. */
export interface PriceTier extends TokenPrices {
  /** Applies to prompts with more tokens than this. */
  readonly over: number;
}

export function selectPrices(price: Price, promptTokens: number): TokenPrices {
  if (price.tiers === undefined) return price;
  let prices: TokenPrices = price;
  for (const tier of price.tiers) if (promptTokens > tier.over) prices = tier;
  return prices;
}

/** The price of a system, and the cost and time limits of its trials. */
export interface Limits {
  /** Null if unknown; costs are then unknown, not 0. */
  readonly price: Price | null;
  /**
   * True if the system has its own meter that prices every model and refuses unpriced ones, so that a limit can be enforced
   * without a known price.
   */
  readonly isMetered?: boolean;
  /** Maximum cost of one trial. 0 means no limit; null means that none can be enforced. */
  readonly maxCostUsd: number | null;
  /** Maximum tokens of one trial, for systems without a price. */
  readonly maxTokens?: number;
  /** Maximum output tokens that the system requests; absent if it requests none. */
  readonly maxOutputTokens?: number;
  /** Stops a trial after this time, independent of its cost. */
  readonly hardTimeoutMs: number | null;
  /** A trial gets a note if its first token arrives later. */
  readonly expectedTtftMs?: number;
  /** A trial gets a note if it takes longer. */
  readonly expectedSolutionMs?: number;
}

/** What the run paid for a trial. Outputs from the cache or a recording were paid for earlier. */
export function computePaidCost({
  costUsd,
  judgeCostUsd,
  cached,
}: Pick<EvalRow, "costUsd" | "judgeCostUsd" | "cached">): number {
  return (cached ? 0 : (costUsd ?? 0)) + (judgeCostUsd ?? 0);
}

/** Prompt tokens of all classes. */
export function countPromptTokens(usage: Usage): number {
  return usage.input + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0);
}

/**
 * The usage of each call, because a price may depend on the prompt length of each; `total` alone if a call's usage is
 * unknown.
 */
export function listCallUsages({ metadata }: Pick<EvalRow, "metadata">, total: Usage): readonly Usage[] {
  const turns = metadata?.turnUsage;
  if (!Array.isArray(turns)) return [total];
  const known = turns.filter((usage): usage is Usage => usage !== null);
  const isWhole = (["input", "output"] as const).every(
    (name) => known.reduce((sum, usage) => sum + usage[name], 0) === total[name],
  );
  return isWhole ? known : [total];
}
