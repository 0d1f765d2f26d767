import type { Provider } from "@pydantic/genai-prices";
import * as z from "zod";
import { BudgetError, getErrorMessage } from "../core/index.js";
import { LOCK_SCHEMA, type PriceLock, type PriceTable, TABLE_SCHEMA } from "./price-table.js";

/** More than any real price per million tokens. */
const MAX_PRICE = 1_000_000;

/** Patterns of a table are run on model names, so they are short. */
const MAX_PATTERN_LENGTH = 500;

const date = z.iso.date();
const text = z.string().min(1).max(2000);
const amount = z.number().min(0).max(MAX_PRICE);
const pattern = z.string().max(MAX_PATTERN_LENGTH).refine(isPattern, "is not a regular expression");
const tiered = z.object({ base: amount, tiers: z.array(z.object({ start: z.number().int().min(0), price: amount })) });
const modelPrice = z.record(z.string().regex(/^[a-z0-9_]+$/), z.union([amount, tiered]));
const time = z.string().regex(/^\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?$/);
const constraint = z.union([
  z.strictObject({ start_date: date, type: z.literal("start_date").default("start_date") }),
  z.strictObject({ start_time: time, end_time: time, type: z.literal("time_of_date").default("time_of_date") }),
]);
const conditional = z.object({ constraint: constraint.optional(), prices: modelPrice });

type Match = Provider["models"][number]["match"];
const match: z.ZodType<Match> = z.lazy(() =>
  z.union([
    z.strictObject({ equals: text }),
    z.strictObject({ starts_with: text }),
    z.strictObject({ ends_with: text }),
    z.strictObject({ contains: text }),
    z.strictObject({ regex: pattern }),
    z.strictObject({ or: z.array(match).min(1) }),
    z.strictObject({ and: z.array(match).min(1) }),
  ]),
);

/** Descriptions and the like are left out. */
const provider = z.object({
  id: text,
  name: text,
  api_pattern: pattern,
  model_match: match.optional(),
  fallback_model_providers: z.array(text).optional(),
  models: z.array(z.object({ id: text, match, prices: z.union([modelPrice, z.array(conditional).min(1)]) })),
});
const providers = z.array(provider).min(1, "has no providers");

const storedTable = z.object({ schema: z.literal(TABLE_SCHEMA), source: text, date, providers });
const storedLock = z.strictObject({
  schema: z.literal(LOCK_SCHEMA),
  date,
  source: text,
  prices: z.record(
    text,
    z.strictObject({ model: text, by: z.enum(["name", "prefix", "pattern", "base"]), prices: modelPrice }),
  ),
});

function isPattern(source: string): boolean {
  try {
    return new RegExp(source) instanceof RegExp;
  } catch {
    return false;
  }
}

/**
 * Reads a table as the price package publishes it, or as `assay prices update` stores it. Throws if anything in it is wrong.
 * @param origin where the text comes from, for messages
 */
export function parseProviders(content: string, origin: string): readonly Provider[] {
  const value = parseJson(content, origin);
  const list = Array.isArray(value) ? value : ((value as { providers?: unknown } | null)?.providers ?? value);
  const parsed = check(providers, list, origin) as unknown as Provider[];
  const ids = parsed.map(({ id }) => id);
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice !== undefined)
    throw new BudgetError(`${origin} is not a price table: the provider "${twice}" is in it twice.`);
  if (!parsed.some(({ models }) => models.length > 0))
    throw new BudgetError(`${origin} is not a price table: it has no models.`);
  return parsed;
}

/** Checks a stored table. */
export function parseStoredTable(content: string, origin: string): PriceTable {
  return check(storedTable, parseJson(content, origin), origin) as unknown as PriceTable;
}

/** Checks a lock. */
export function parseStoredLock(content: string, origin: string): PriceLock {
  return check(storedLock, parseJson(content, origin), origin);
}

function parseJson(content: string, origin: string): unknown {
  try {
    return JSON.parse(content);
  } catch (cause) {
    throw new BudgetError(`${origin} is not a price table: it is not JSON (${getErrorMessage(cause)}).`, { cause });
  }
}

function check<T>(schema: z.ZodType<T>, value: unknown, origin: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? "" : `${formatPath(issue.path)}: `;
  throw new BudgetError(`${origin} is not a price table: ${where}${issue?.message ?? "it has another form"}.`);
}

function formatPath(path: readonly PropertyKey[]): string {
  return path
    .map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`))
    .join("")
    .replace(/^\./, "");
}
