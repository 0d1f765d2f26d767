import type { System, Usage } from "../core/index.js";
import {
  countPromptTokens,
  type Limits,
  type Price,
  SERVICE_TIERS,
  type ServicePrice,
  type ServiceTier,
  selectPrices,
  type TokenPrices,
} from "../core/index.js";
import { PICO_PER_1K, PICO_PER_DOLLAR, PRICING_RULES, requireRule, requireRules } from "./rules.js";

export { selectPrices, selectServicePrice } from "../core/index.js";

/** Dollars per 1,000 tokens of each class in one service tier. */
export interface TierPricing {
  input_per_1k: number;
  output_per_1k: number;
  /** Default: the input price. */
  cache_read_per_1k?: number;
  /** Default: the input price. */
  cache_write_per_1k?: number;
  /** For entries with a lifetime of one hour. Default: the cache write price. */
  cache_write_1h_per_1k?: number;
}

/** Dollars per 1,000 tokens of each class, as in models.yml, and those of service tiers. */
export interface Pricing extends TierPricing, Partial<Record<ServiceTier, TierPricing>> {}

/**
 * Converts prices to whole pico-dollars per token.
 * @example
 * createPrice({ input_per_1k: 0.0003, output_per_1k: 0.0012 }, "models.yml").input; // 300000
 */
export function createPrice(pricing: Pricing, source: string): Price {
  const services: Partial<Record<ServiceTier, ServicePrice>> = {};
  for (const service of SERVICE_TIERS) {
    const own = pricing[service];
    if (own != null) services[service] = createServicePrice(`pricing.${service}`, own, source);
  }
  return {
    ...createServicePrice("pricing", pricing, source),
    ...(Object.keys(services).length === 0 ? {} : { services }),
  };
}

function createServicePrice(section: string, pricing: TierPricing, source: string): ServicePrice {
  requireRule(`${section}.input_per_1k`, pricing.input_per_1k, PRICING_RULES.input_per_1k);
  requireRule(`${section}.output_per_1k`, pricing.output_per_1k, PRICING_RULES.output_per_1k);
  requireRules(section, pricing, PRICING_RULES);
  // The product of two doubles is off by less than a pico-dollar, so rounding restores the written value.
  const pico = (per1k: number) => Math.round(per1k * PICO_PER_1K);
  const cacheWrite = pricing.cache_write_per_1k ?? pricing.input_per_1k;
  return {
    input: pico(pricing.input_per_1k),
    output: pico(pricing.output_per_1k),
    cacheRead: pico(pricing.cache_read_per_1k ?? pricing.input_per_1k),
    cacheWrite: pico(cacheWrite),
    cacheWrite1h: pico(pricing.cache_write_1h_per_1k ?? cacheWrite),
    source,
  };
}

/**
 * Computes the exact cost of usage in pico-dollars. `promptTokens` is the length of the whole prompt, for prices that
 * depend on it. Default: the prompt of the usage itself.
 * @example
 * const price = createPrice({ input_per_1k: 0.0003, output_per_1k: 0.0012 }, "models.yml");
 * toDollars(computeCost(price, { input: 1000, output: 500 })); // 0.0009
 */
export function computeCost(
  price: ServicePrice,
  usage: Usage,
  promptTokens: number = countPromptTokens(usage),
): number {
  requireTokenCounts(usage);
  return computeTokenCost(selectPrices(price, promptTokens), usage);
}

/** The cost of checked usage. Every term is a whole number, so sums below 2⁵³ are exact. */
export function computeTokenCost(prices: TokenPrices, usage: Usage): number {
  const cacheWrite1h = usage.cacheWrite1h ?? 0;
  const cost =
    usage.input * prices.input +
    usage.output * prices.output +
    (usage.cacheRead ?? 0) * prices.cacheRead +
    ((usage.cacheWrite ?? 0) - cacheWrite1h) * prices.cacheWrite +
    cacheWrite1h * prices.cacheWrite1h;
  return cost <= Number.MAX_SAFE_INTEGER ? cost : computeLargeCost(prices, usage);
}

/** Above $9,007 the sum is computed with bigints and rounded once. */
function computeLargeCost(prices: TokenPrices, usage: Usage): number {
  const cacheWrite1h = usage.cacheWrite1h ?? 0;
  const terms = [
    [usage.input, prices.input],
    [usage.output, prices.output],
    [usage.cacheRead ?? 0, prices.cacheRead],
    [(usage.cacheWrite ?? 0) - cacheWrite1h, prices.cacheWrite],
    [cacheWrite1h, prices.cacheWrite1h],
  ] as const;
  return Number(terms.reduce((sum, [count, each]) => sum + BigInt(count) * BigInt(each), 0n));
}

/**
 * Converts pico-dollars to dollars.
 * @example
 * toDollars(57_600_000_000); // 0.0576
 */
export function toDollars(pico: number): number {
  return pico / PICO_PER_DOLLAR;
}

/** Converts dollars to whole pico-dollars. */
export function toPicoDollars(usd: number): number {
  return Math.round(usd * PICO_PER_DOLLAR);
}

/** True for a recorded system and for one whose prices are all 0. */
export function isFreeSystem({ isRecorded }: System, limits: Limits | null): boolean {
  if (isRecorded === true) return true;
  const price = limits?.price;
  return price != null && Object.values(price).every((each) => typeof each !== "number" || each === 0);
}

/** The input of a trial: tokens of its prompt, and the number of model calls. */
export interface PromptEstimate {
  /** Null if it has files whose tokens cannot be known. */
  readonly tokens: number | null;
  readonly calls: number;
}

/** The most a trial can cost, and how that was determined. */
export interface MaxCostEstimate {
  readonly usd: number;
  /** From the prompt and the longest answers, or the trial's limit if that is lower or nothing else is known. */
  readonly by: "tokens" | "limit";
}

/**
 * Estimates the most a trial can cost: its prompt and its longest answers, at most its limit. Each further turn sends the
 * whole conversation again.
 * @example
 * estimateMaxCost({ price, maxCostUsd: 0.5, hardTimeoutMs: null, maxOutputTokens: 500 }, { tokens: 1200, calls: 1 });
 */
export function estimateMaxCost(limits: Limits | null, prompt: PromptEstimate): MaxCostEstimate | null {
  const limit = limits?.maxCostUsd ?? 0;
  const tokens =
    limits === null || prompt.tokens === null ? null : estimateTokenCost(limits, { ...prompt, tokens: prompt.tokens });
  if (tokens !== null && (limit === 0 || tokens < limit)) return { usd: tokens, by: "tokens" };
  return limit > 0 ? { usd: limit, by: "limit" } : null;
}

function estimateTokenCost(
  { price, maxOutputTokens }: Limits,
  { tokens, calls }: { tokens: number; calls: number },
): number | null {
  if (price === null || maxOutputTokens === undefined) return null;
  const answers = maxOutputTokens * (calls - 1);
  const prices = selectPrices(price, tokens + answers);
  const sent = calls * tokens + (answers * calls) / 2;
  return toDollars(Math.ceil(sent * prices.input + calls * maxOutputTokens * prices.output));
}

/** Throws unless every count is a non-negative whole number, before any of them is used. */
export function requireTokenCounts(usage: Usage): void {
  requireTokenCount("input", usage.input);
  requireTokenCount("output", usage.output);
  const cacheWrite = usage.cacheWrite ?? 0;
  const cacheWrite1h = usage.cacheWrite1h ?? 0;
  requireTokenCount("cacheRead", usage.cacheRead ?? 0);
  requireTokenCount("cacheWrite", cacheWrite);
  requireTokenCount("cacheWrite1h", cacheWrite1h);
  requireTokenCount("reasoning", usage.reasoning ?? 0);
  if (cacheWrite1h > cacheWrite)
    throw new RangeError(`cacheWrite1h (${cacheWrite1h}) is part of cacheWrite (${cacheWrite}) and cannot exceed it`);
}

export function requireTokenCount(name: string, count: number): void {
  if (!Number.isSafeInteger(count) || count < 0)
    throw new RangeError(`${name} must be a non-negative whole number of tokens, but is ${count}`);
}
