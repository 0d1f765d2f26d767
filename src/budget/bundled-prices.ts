import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { ModelInfo, ModelPrice, Provider } from "@pydantic/genai-prices";
import type { Price, PriceMatch, TokenPrices } from "../core/index.js";
import { LOCK_FILE, type PriceLock, type PriceTable, readPriceLock, readPriceTable } from "./price-table.js";
import { getPriceProvider } from "./providers.js";
import { addPublishedServices } from "./service-rules.js";

const PACKAGE_NAME = "@pydantic/genai-prices";

/** The day on which the version of the price package in package.json was published. */
export const BUNDLED_TABLE = { version: "0.1.8", date: "2026-09-23" };

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

/** Which list a price comes from. */
export type TableOrigin = "prices.lock" | "updated" | "bundled";

/** A price, and how it was found. */
export interface PriceExplanation {
  readonly price: Price;
  readonly origin: TableOrigin;
  /** The seller's name in the table. */
  readonly seller: string;
  /** The model's name in the table. */
  readonly model: string;
  readonly by: PriceMatch;
  /** The day of the table or the lock, as YYYY-MM-DD. */
  readonly date: string;
  /** The day since which the price is valid; null if the table does not say. */
  readonly since: string | null;
  /** In dollars per million tokens, as in the table. */
  readonly prices: ModelPrice;
}

/** The prices that apply in a project. */
export interface PriceBook {
  readonly lock: PriceLock | null;
  /** The table that the project has stored, else the bundled one. */
  readonly table: PriceTable;
  readonly origin: Exclude<TableOrigin, "prices.lock">;
}

/** Reads the prices that apply in a folder: its lock and its stored table. If it is null, only the bundled table applies. */
export async function openPriceBook(dir: string | null = "."): Promise<PriceBook> {
  const lock = dir === null ? null : await readPriceLock(dir);
  const stored = dir === null ? null : await readPriceTable(dir);
  if (stored !== null) return { lock, table: stored, origin: "updated" };
  const { waitForUpdate } = await import("@pydantic/genai-prices");
  const source = `${PACKAGE_NAME} ${readPackageVersion()}`;
  return {
    lock,
    table: { source, date: BUNDLED_TABLE.date, providers: (await waitForUpdate()) ?? [] },
    origin: "bundled",
  };
}

/**
 * Looks up the price of a model; null when it is not known. The seller is determined by the provider, else the base URL,
 * else the model's name. A known name at an unknown URL does not get the known seller's price.
 * @param book default: the prices of the working folder
 * @example
 * (await findPrice({ model: "gpt-6-sol", provider: "openai" }))?.input; // 2000000
 */
export async function findPrice(query: PriceQuery, book?: PriceBook): Promise<Price | null> {
  return (await explainPrice(query, book))?.price ?? null;
}

/**
 * Looks up a price like `findPrice`, and says how it was found.
 * @example
 * (await explainPrice({ model: "gpt-6-sol", provider: "openai" }))?.origin; // "bundled"
 */
export async function explainPrice(query: PriceQuery, book?: PriceBook): Promise<PriceExplanation | null> {
  const { lock, table, origin } = book ?? (await openPriceBook());
  const { calcPrice, findProvider } = await import("@pydantic/genai-prices");
  const { model, at = new Date() } = query;
  const seller = findSeller(query, table.providers, findProvider);
  if (seller === undefined) return null;
  const locked = lock === null ? null : explainLocked(lock, seller.id, model);
  if (locked !== null) return locked;
  for (const candidate of listCandidates(seller, table.providers)) {
    const base = seller.id === BEDROCK_SELLER ? model.replace(REGION_PREFIX, "") : model;
    const named = calcPrice({}, model, { provider: candidate, timestamp: at });
    const found = named ?? (base === model ? null : calcPrice({}, base, { provider: candidate, timestamp: at }));
    if (found === null) continue;
    const by =
      base === model
        ? matchModel(found.model, model)
        : matchProfile(found.model, { model, base, isNamed: named !== null });
    const price = convertPrice(found.model_price, {
      model: found.model.id,
      by,
      seller: seller.id,
      source: formatTableSource(table, origin),
    });
    if (price === null) return null;
    const since = findStartDate(found.model, found.model_price);
    return {
      price: lock === null ? price : { ...price, isUnpinned: true },
      origin,
      seller: seller.id,
      model: found.model.id,
      by,
      date: table.date,
      since,
      prices: found.model_price,
    };
  }
  return null;
}

/** Bedrock's name in the table, and the regions of its inference profiles. */
const BEDROCK_SELLER = "aws";
const REGION_PREFIX = /^(?:us|us-gov|eu|apac|jp|au|ca|sa|in|global)\./i;

/** The price in the bundled table alone. */
export async function bundledPrice(query: PriceQuery): Promise<Price | null> {
  return findPrice(query, await openPriceBook(null));
}

function formatTableSource({ source, date }: PriceTable, origin: PriceBook["origin"]): string {
  return origin === "bundled" ? source : `${source} of ${date}`;
}

/** The library matches any name that contains "openai" as OpenAI, so a provider must be listed by its own name. */
function findSeller(
  { model, provider, baseUrl }: PriceQuery,
  providers: readonly Provider[],
  findProvider: typeof import("@pydantic/genai-prices").findProvider,
): Provider | undefined {
  const byId = (wanted: string | undefined) => providers.find(({ id }) => id === wanted);
  const named = provider == null ? undefined : byId(getPriceProvider(provider) ?? undefined);
  if (named !== undefined) return named;
  if (baseUrl != null) return byId(findProvider({ providerApiUrl: baseUrl })?.id);
  return provider == null ? byId(findProvider({ modelId: model.toLowerCase().trim() })?.id) : undefined;
}

/** A cloud that sells other providers' models lists them as fallbacks. */
function listCandidates(seller: Provider, providers: readonly Provider[]): Provider[] {
  const others = seller.fallback_model_providers ?? [];
  return [seller, ...others.flatMap((id) => providers.find((provider) => provider.id === id) ?? [])].map(
    ({ fallback_model_providers: _, ...provider }) => provider,
  );
}

function explainLocked({ prices, date, source }: PriceLock, seller: string, model: string): PriceExplanation | null {
  const key = formatLockKey(seller, model);
  const entry = Object.hasOwn(prices, key) ? prices[key] : undefined;
  if (entry === undefined) return null;
  const { model: name, by } = entry;
  const price = convertPrice(entry.prices, { model: name, by, seller, source: `${LOCK_FILE} of ${date} (${source})` });
  if (price === null) return null;
  return { price, origin: "prices.lock", seller, model: name, by, date, since: null, prices: entry.prices };
}

/** The key of a model in a lock. */
export function formatLockKey(seller: string, model: string): string {
  return `${seller}/${model.toLowerCase().trim()}`;
}

/** An inference profile of Bedrock. The table writes `regional.` for the regions that have one price. */
function matchProfile(
  found: ModelInfo,
  { model, base, isNamed }: { model: string; base: string; isNamed: boolean },
): PriceMatch {
  if (!isNamed || found.id === base) return "base";
  return found.id === `regional.${base}` ? "name" : matchModel(found, model);
}

function matchModel({ id, match }: ModelInfo, model: string): PriceMatch {
  const name = model.toLowerCase().trim();
  return id.toLowerCase() === name ? "name" : (matchName(match, name) ?? "pattern");
}

/** The closest way in which a name matches; null if it does not match by its name or its beginning. */
function matchName(match: ModelInfo["match"], name: string): PriceMatch | null {
  if ("equals" in match) return match.equals.toLowerCase() === name ? "name" : null;
  if ("starts_with" in match) return name.startsWith(match.starts_with.toLowerCase()) ? "prefix" : null;
  if (!("or" in match)) return null;
  const ways = match.or.map((each) => matchName(each, name));
  return ways.find((way) => way === "name") ?? ways.find((way) => way === "prefix") ?? null;
}

function findStartDate({ prices }: ModelInfo, used: ModelPrice): string | null {
  const condition = Array.isArray(prices) ? prices.find((each) => each.prices === used)?.constraint : undefined;
  return condition?.type === "start_date" ? condition.start_date : null;
}

interface PriceContext {
  readonly model: string;
  readonly by: PriceMatch;
  readonly seller: string;
  readonly source: string;
}

function convertPrice(prices: ModelPrice, { model, by, seller, source }: PriceContext): Price | null {
  const matched = by === "name" ? {} : { matched: { model, by } };
  // An entry without prices may be free or incomplete; the name decides.
  if (Object.keys(prices).length === 0 && model.endsWith(":free")) return { ...FREE_PRICES, source, ...matched };
  if (prices.input_mtok === undefined) return null;
  const tiers = listTierStarts(prices).map((over) => ({ over, ...resolveTokenPrices(prices, over + 1) }));
  const price = {
    ...resolveTokenPrices(prices, 0),
    ...(tiers.length === 0 ? {} : { tiers }),
    source: prices.requests_kcount === undefined ? source : `${source} (without its price per request)`,
  };
  return { ...addPublishedServices(price, seller), ...matched };
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
