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

/** The services that providers sell the same tokens by, besides the standard one. */
export const SERVICE_TIERS = ["batch", "flex", "priority"] as const;

/** `batch` is answered within hours, `flex` is slow, `priority` is fast. */
export type ServiceTier = (typeof SERVICE_TIERS)[number];

/** The price of a model in one service tier, and its source. */
export interface ServicePrice extends TokenPrices {
  /** Prices for longer prompts, by ascending length. */
  readonly tiers?: readonly PriceTier[];
  /** The file, or the package and version, that it comes from. */
  readonly source: string;
}

/** The price of a model in the service tier that is used, and in all others whose price is known. */
export interface Price extends ServicePrice {
  /** The service tier that it is for. Default: the standard one. */
  readonly service?: ServiceTier;
  /** The prices of the other service tiers; those without a known price are absent. */
  readonly services?: Readonly<Partial<Record<ServiceTier | "standard", ServicePrice>>>;
  /** The model in the price table that it is the price of, if the names differ. */
  readonly matched?: { readonly model: string; readonly by: Exclude<PriceMatch, "name"> };
  /** True if the project has pinned its prices, but not this one. */
  readonly isUnpinned?: boolean;
}

/** How a model's name was found in a price table; `base` is its name without the region that a cloud puts in front. */
export type PriceMatch = "name" | "prefix" | "pattern" | "base";

/** Words for how a name was found, after "by". */
export function describePriceMatch(by: PriceMatch): string {
  return by === "base" ? "the name without its region" : by;
}

/** Prices for long prompts. */
export interface PriceTier extends TokenPrices {
  /** Applies to prompts with more tokens than this. */
  readonly over: number;
}

export function selectPrices(price: ServicePrice, promptTokens: number): TokenPrices {
  if (price.tiers === undefined) return price;
  let prices: TokenPrices = price;
  for (const tier of price.tiers) if (promptTokens > tier.over) prices = tier;
  return prices;
}

/**
 * The same model's price in a service tier; null if it is not known.
 * @example
 * selectServicePrice(price, "batch")?.input;
 */
export function selectServicePrice(price: Price, service: string): Price | null {
  const { service: current = "standard", services = {}, matched, isUnpinned, ...own } = price;
  if (service === current) return price;
  const found = Object.hasOwn(services, service) ? services[service as ServiceTier | "standard"] : undefined;
  if (found === undefined) return null;
  const { [service as ServiceTier]: _, ...others } = services;
  return {
    ...found,
    ...(service === "standard" ? {} : { service: service as ServiceTier }),
    services: { ...others, [current]: own },
    ...(matched === undefined ? {} : { matched }),
    ...(isUnpinned === undefined ? {} : { isUnpinned }),
  };
}

/** The price in the service tier that a trial was answered in. */
export function selectRowPrice(price: Price, { metadata }: Pick<EvalRow, "metadata">): Price {
  const tier = metadata?.serviceTier;
  return (typeof tier === "string" ? selectServicePrice(price, tier) : null) ?? price;
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
  userCostUsd,
  cached,
}: Pick<EvalRow, "costUsd" | "judgeCostUsd" | "userCostUsd" | "cached">): number {
  return (cached ? 0 : (costUsd ?? 0) + (userCostUsd ?? 0)) + (judgeCostUsd ?? 0);
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
