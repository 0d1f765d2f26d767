import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { ModelPrice, PriceOptions } from "@pydantic/genai-prices";
import type { Price, TokenPrices } from "../core/index.js";
import { getPriceProvider } from "./providers.js";

const PACKAGE_NAME = "@pydantic/genai-prices";

/** Converts dollars per million tokens to pico-dollars per token. */
const PICO_PER_MTOK = 1e6;

const FREE_PRICES: TokenPrices = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0 };

/** The model to look up a price for. */
export interface PriceQuery {
  /** The model name sent to the API. */
  readonly model: string;
  readonly provider?: string | null;
  readonly baseUrl?: string | null;
  /** The date of the price, because prices change. Default: now. */
  readonly at?: Date;
}

/**
 * Looks up the price of a model in the bundled table; null when the table does not have it. The seller is determined by
 * the provider, else the base URL, else the model's name. A known name at an unknown URL does not get the known seller's price.
 * @example
 * (await bundledPrice({ model: "gpt-4o", provider: "openai" }))?.input; // 2500000
 */
export async function bundledPrice({ model, provider, baseUrl, at = new Date() }: PriceQuery): Promise<Price | null> {
  const { calcPrice, findProvider } = await import("@pydantic/genai-prices");
  const seller = findSeller({ provider, baseUrl }, (providerId) => findProvider({ providerId })?.id === providerId);
  if (seller === null) return null;
  const found = calcPrice({}, model, { ...seller, timestamp: at });
  return found === null ? null : convertBundledPrice(found.model_price, found.model.id);
}

/** The library matches any name that contains "openai" as OpenAI, so check that the name itself is listed. */
function findSeller(
  { provider, baseUrl }: { provider: string | null | undefined; baseUrl: string | null | undefined },
  isKnown: (seller: string) => boolean,
): PriceOptions | null {
  const seller = provider == null ? null : getPriceProvider(provider);
  if (seller !== null && isKnown(seller)) return { providerId: seller };
  if (baseUrl != null) return { providerApiUrl: baseUrl };
  return provider == null ? {} : null;
}

function convertBundledPrice(prices: ModelPrice, model: string): Price | null {
  const source = `${PACKAGE_NAME} ${readPackageVersion()}`;
  // An entry without prices may be free or incomplete; the name decides.
  if (Object.keys(prices).length === 0 && model.endsWith(":free")) return { ...FREE_PRICES, source };
  if (prices.input_mtok === undefined) return null;
  const tiers = listTierStarts(prices).map((over) => ({ over, ...resolveTokenPrices(prices, over + 1) }));
  return {
    ...resolveTokenPrices(prices, 0),
    ...(tiers.length === 0 ? {} : { tiers }),
    source: prices.requests_kcount === undefined ? source : `${source} (without its price per request)`,
  };
}

function listTierStarts(prices: ModelPrice): number[] {
  const starts = Object.values(prices).flatMap((price) =>
    typeof price === "object" ? price.tiers.map(({ start }) => start) : [],
  );
  return [...new Set(starts)].sort((a, b) => a - b);
}

function resolveTokenPrices(prices: ModelPrice, promptTokens: number): TokenPrices {
  const priceOf = (key: string) => findTierPrice(prices[key], promptTokens);
  const input = priceOf("input_mtok") ?? 0;
  const cacheWrite = priceOf("cache_write_5m_mtok") ?? priceOf("cache_write_mtok") ?? input;
  return {
    input,
    // Embeddings have no output price, and the oldest models have one price for all tokens.
    output: priceOf("output_mtok") ?? input,
    cacheRead: priceOf("cache_read_mtok") ?? input,
    cacheWrite,
    cacheWrite1h: priceOf("cache_write_1h_mtok") ?? cacheWrite,
  };
}

function findTierPrice(price: ModelPrice[string], promptTokens: number): number | null {
  if (price === undefined) return null;
  if (typeof price === "number") return Math.round(price * PICO_PER_MTOK);
  const reached = price.tiers.filter(({ start }) => promptTokens > start).sort((a, b) => a.start - b.start);
  return Math.round((reached.at(-1)?.price ?? price.base) * PICO_PER_MTOK);
}

/** The package does not export its package.json, so read it next to the exported folder. */
function readPackageVersion(): string {
  const entry = createRequire(import.meta.url).resolve(PACKAGE_NAME);
  const text = readFileSync(join(dirname(entry), "..", "package.json"), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}
