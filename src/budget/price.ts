import { type Limits, type Price, pricesAt, type TokenPrices } from "../core/price.js";
import type { System, Usage } from "../core/system.js";
import { promptOf } from "../core/usage.js";
import { PICO_PER_1K, PICO_PER_DOLLAR, PRICING_RULES, requireRule, requireRules } from "./rules.js";

export { pricesAt } from "../core/price.js";

/** Dollars for a thousand tokens of each class, as written in models.yml. */
export interface Pricing {
  input_per_1k: number;
  output_per_1k: number;
  /** The input price when absent. */
  cache_read_per_1k?: number;
  /** The input price when absent. */
  cache_write_per_1k?: number;
  /** Of entries that live for an hour; the cache write price when absent. */
  cache_write_1h_per_1k?: number;
}

/**
 * Prices as whole pico-dollars a token.
 * @example
 * priceFrom({ input_per_1k: 0.0003, output_per_1k: 0.0012 }, "models.yml").input; // 300000
 */
export function priceFrom(pricing: Pricing, source: string): Price {
  requireRule("pricing.input_per_1k", pricing.input_per_1k, PRICING_RULES.input_per_1k);
  requireRule("pricing.output_per_1k", pricing.output_per_1k, PRICING_RULES.output_per_1k);
  requireRules("pricing", pricing, PRICING_RULES);
  // The product of two doubles is off by less than a pico-dollar: rounding gives what was written.
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
 * What usage costs in pico-dollars, exactly. `promptTokens` is the length of the whole prompt it belongs to, for prices
 * that depend on it; the prompt of the usage itself unless told.
 * @example
 * const price = priceFrom({ input_per_1k: 0.0003, output_per_1k: 0.0012 }, "models.yml");
 * dollars(costOf(price, { input: 1000, output: 500 })); // 0.0009
 */
export function costOf(price: Price, usage: Usage, promptTokens: number = promptOf(usage)): number {
  requireCounts(usage);
  return costAt(pricesAt(price, promptTokens), usage);
}

/** What checked usage costs. Every term is a whole number, so that a sum below 2⁵³ has had nothing rounded in it. */
export function costAt(prices: TokenPrices, usage: Usage): number {
  const cacheWrite1h = usage.cacheWrite1h ?? 0;
  const cost =
    usage.input * prices.input +
    usage.output * prices.output +
    (usage.cacheRead ?? 0) * prices.cacheRead +
    ((usage.cacheWrite ?? 0) - cacheWrite1h) * prices.cacheWrite +
    cacheWrite1h * prices.cacheWrite1h;
  return cost <= Number.MAX_SAFE_INTEGER ? cost : largeCost(prices, usage);
}

/** Above $9,007 the sum is made in bigints and rounded once. */
function largeCost(prices: TokenPrices, usage: Usage): number {
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
 * Pico-dollars as dollars.
 * @example
 * dollars(57_600_000_000); // 0.0576
 */
export function dollars(pico: number): number {
  return pico / PICO_PER_DOLLAR;
}

/** Dollars as whole pico-dollars. */
export function picoDollars(usd: number): number {
  return Math.round(usd * PICO_PER_DOLLAR);
}

/** True of a system that is played back, or whose prices are all 0. */
export function isFree({ isRecorded }: System, limits: Limits | null): boolean {
  if (isRecorded === true) return true;
  const price = limits?.price;
  return price != null && Object.values(price).every((each) => typeof each !== "number" || each === 0);
}

/** How much a system is given in a trial: tokens of its prompt, and how often it is asked. */
export interface GivenPrompt {
  readonly tokens: number;
  readonly calls: number;
}

/** The most that a trial can cost, and what says so; null when nothing does. */
export interface CanCost {
  readonly usd: number;
  /** The prompt and the longest answers at their prices, or the limit of the trial where that is lower or all that is known. */
  readonly by: "tokens" | "limit";
}

/**
 * What a trial can cost before anything is known of others: its prompt and the longest answers it may get, at most its
 * limit. Each further turn is sent all that was said before.
 * @example
 * canCost({ price, maxCostUsd: 0.5, hardTimeoutMs: null, maxOutputTokens: 500 }, { tokens: 1200, calls: 1 });
 */
export function canCost(limits: Limits | null, prompt: GivenPrompt): CanCost | null {
  const limit = limits?.maxCostUsd ?? 0;
  const tokens = limits === null ? null : costOfTokens(limits, prompt);
  if (tokens !== null && (limit === 0 || tokens < limit)) return { usd: tokens, by: "tokens" };
  return limit > 0 ? { usd: limit, by: "limit" } : null;
}

function costOfTokens({ price, maxOutputTokens }: Limits, { tokens, calls }: GivenPrompt): number | null {
  if (price === null || maxOutputTokens === undefined) return null;
  const answers = maxOutputTokens * (calls - 1);
  const prices = pricesAt(price, tokens + answers);
  const sent = calls * tokens + (answers * calls) / 2;
  return dollars(Math.ceil(sent * prices.input + calls * maxOutputTokens * prices.output));
}

/** Throws unless every count is a whole number of at least 0, before anything is done with any of them. */
export function requireCounts(usage: Usage): void {
  requireCount("input", usage.input);
  requireCount("output", usage.output);
  const cacheWrite = usage.cacheWrite ?? 0;
  const cacheWrite1h = usage.cacheWrite1h ?? 0;
  requireCount("cacheRead", usage.cacheRead ?? 0);
  requireCount("cacheWrite", cacheWrite);
  requireCount("cacheWrite1h", cacheWrite1h);
  requireCount("reasoning", usage.reasoning ?? 0);
  if (cacheWrite1h > cacheWrite)
    throw new RangeError(`cacheWrite1h (${cacheWrite1h}) is a part of cacheWrite (${cacheWrite}) and cannot exceed it`);
}

/** The same for one count, by the name of its class. */
export function requireCount(name: string, count: number): void {
  if (!Number.isSafeInteger(count) || count < 0)
    throw new RangeError(`${name} must be a whole number of tokens and not negative, but is ${count}`);
}
