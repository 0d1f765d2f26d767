import type { EvalRow } from "./row.js";

/** What a token of each class costs, in whole pico-dollars (10⁻¹² $), so that sums are exact. */
export interface TokenPrices {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Of cache entries that live for an hour, where a provider sells them apart. */
  readonly cacheWrite1h: number;
}

/** The price of a model, and where it was taken from. */
export interface Price extends TokenPrices {
  /** Other prices for requests whose prompt is longer, by ascending length. */
  readonly tiers?: readonly PriceTier[];
  /** The file or the package and version it comes from. */
  readonly source: string;
}

/** Prices that hold for long prompts. */
export interface PriceTier extends TokenPrices {
  /** Prompts of more tokens than this have these prices. */
  readonly over: number;
}

/** The prices that hold for a prompt of this length. */
export function pricesAt(price: Price, promptTokens: number): TokenPrices {
  if (price.tiers === undefined) return price;
  let prices: TokenPrices = price;
  for (const tier of price.tiers) if (promptTokens > tier.over) prices = tier;
  return prices;
}

/** What a system's work costs, what one trial of it may cost, and how long it may take. */
export interface Limits {
  /** Null when nobody knows it: costs are unknown then, not 0. */
  readonly price: Price | null;
  /**
   * True when all that it uses is priced, model by model, by a meter of its own, which refuses what has no price: a limit
   * can be kept then without a price that is known beforehand.
   */
  readonly isMetered?: boolean;
  /** The most that one trial may cost. 0 means no limit, null that none can be enforced. */
  readonly maxCostUsd: number | null;
  /** The most tokens that one trial may use, for lanes that have no price. */
  readonly maxTokens?: number;
  /** The longest answer that the system asks for; absent when it asks for none. */
  readonly maxOutputTokens?: number;
  /** The safety net: a trial is stopped after this long, whatever it costs. */
  readonly hardTimeoutMs: number | null;
  /** A trial whose first token comes later than this has a note. */
  readonly expectedTtftMs?: number;
  /** A trial that took longer than this has a note. */
  readonly expectedSolutionMs?: number;
}

/** What a run has paid for a trial: what was in the cache or in a recording was paid for before. */
export function paidFor({
  costUsd,
  judgeCostUsd,
  cached,
}: Pick<EvalRow, "costUsd" | "judgeCostUsd" | "cached">): number {
  return (cached ? 0 : (costUsd ?? 0)) + (judgeCostUsd ?? 0);
}
