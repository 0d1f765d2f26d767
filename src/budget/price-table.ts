import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ModelPrice, Provider } from "@pydantic/genai-prices";
import { BudgetError, getErrorMessage, type PriceMatch } from "../core/index.js";

/** The table that `assay prices update` stored in a project. */
export const PRICES_FILE = ".assay/prices.json";

/** The prices that a project is pinned to; it belongs into version control. */
export const LOCK_FILE = "prices.lock";

export const TABLE_SCHEMA = "assay.prices/1";
export const LOCK_SCHEMA = "assay.prices-lock/1";

/** A table of prices. */
export interface PriceTable {
  /** The package and its version, the address or the file that it comes from. */
  readonly source: string;
  /** The day it is from, as YYYY-MM-DD. */
  readonly date: string;
  readonly providers: readonly Provider[];
}

/** One price of a lock, in dollars per million tokens. */
export interface LockedPrice {
  /** The model's name in the table. */
  readonly model: string;
  readonly by: PriceMatch;
  readonly prices: ModelPrice;
}

/** The prices of a project's models on one day, by provider and model: `openai/gpt-5`. */
export interface PriceLock {
  readonly date: string;
  readonly source: string;
  readonly prices: Readonly<Record<string, LockedPrice>>;
}

export function formatPriceTable({ source, date: day, providers: list }: PriceTable): string {
  return `${JSON.stringify({ schema: TABLE_SCHEMA, source, date: day, providers: list })}\n`;
}

export function formatPriceLock(lock: PriceLock): string {
  return `${JSON.stringify({ schema: LOCK_SCHEMA, ...lock }, null, 2)}\n`;
}

/** Reads a table as the price package publishes it, or as a project stores it; throws if anything in it is wrong. */
export async function parsePriceTable(content: string, origin: string): Promise<readonly Provider[]> {
  const { parseProviders } = await import("./price-table-schema.js");
  return parseProviders(content, origin);
}

/** The table that a project has stored; null if there is none. */
export async function readPriceTable(dir: string): Promise<PriceTable | null> {
  const path = join(dir, PRICES_FILE);
  if (!existsSync(path)) return null;
  const { parseStoredTable } = await import("./price-table-schema.js");
  return readStored(path, parseStoredTable, "assay prices update");
}

/** The lock of a project; null if there is none. */
export async function readPriceLock(dir: string): Promise<PriceLock | null> {
  const path = join(dir, LOCK_FILE);
  if (!existsSync(path)) return null;
  const { parseStoredLock } = await import("./price-table-schema.js");
  return readStored(path, parseStoredLock, "assay prices pin DATE");
}

function readStored<T>(path: string, parse: (content: string, origin: string) => T, command: string): T {
  try {
    return parse(readFileSync(path, "utf8"), path);
  } catch (cause) {
    throw new BudgetError(`${getErrorMessage(cause)} Run: ${command}, or remove the file.`, { cause });
  }
}
