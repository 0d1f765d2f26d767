import { type Price, pricesAt, type TokenPrices } from "../core/price.js";
import type { Usage } from "../core/system.js";
import { promptOf } from "../core/usage.js";
import { PICO_PER_1K, PICO_PER_DOLLAR, PRICING_RULES, requireRule, requireRules } from "./rules.js";
import { requireCounts } from "./usage.js";

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
