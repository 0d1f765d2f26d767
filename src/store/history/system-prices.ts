import type { Price, TokenPrices } from "../../core/price.js";
import type { StoredRun } from "./stored-runs.js";

/** What is known of each system of each run: its model, and what its tokens cost. */
export const SYSTEM_COLUMNS: Readonly<Record<string, string>> = {
  run: "VARCHAR",
  system: "VARCHAR",
  model: "VARCHAR",
  prices:
    'STRUCT("over" BIGINT, "input" DOUBLE, "output" DOUBLE, cache_read DOUBLE, cache_write DOUBLE, cache_write_1h DOUBLE)[]',
};

/** One line a run and system. */
export function systemPrices(runs: readonly StoredRun[]): Record<string, unknown>[] {
  return runs.flatMap(({ run, manifest }) =>
    Object.entries(manifest.systems).map(([system, { model, limits }]) => ({
      run,
      system,
      model: model ?? null,
      prices: limits?.price == null ? null : pricesOf(limits.price),
    })),
  );
}

/** For longer prompts first, so that the first one whose bound a prompt exceeds is the one that holds. */
function pricesOf(price: Price): Record<string, number>[] {
  const tiers = (price.tiers ?? []).toSorted((a, b) => b.over - a.over);
  return [...tiers.map((tier) => entryOf(tier, tier.over)), entryOf(price, -1)];
}

function entryOf(prices: TokenPrices, over: number): Record<string, number> {
  return {
    over,
    input: prices.input,
    output: prices.output,
    cache_read: prices.cacheRead,
    cache_write: prices.cacheWrite,
    cache_write_1h: prices.cacheWrite1h,
  };
}
