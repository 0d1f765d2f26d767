import { type Effort, type EffortName, findClosestName, UsageError } from "../core/index.js";
import {
  ANTHROPIC_TABLE,
  type CapabilityTable,
  DEEPSEEK_TABLE,
  type FamilyEntry,
  GOOGLE_TABLE,
  OPENAI_TABLE,
} from "./capability-table.js";

/** The efforts that a family accepts. */
export interface EffortSupport {
  readonly names: readonly EffortName[];
  /** The least and the most thinking tokens; null if it takes no number. */
  readonly tokens: { readonly min: number; readonly max: number } | null;
  /** True if a named effort is sent together with adaptive thinking. */
  readonly isAdaptive: boolean;
}

/** The end of a model: from this day its requests fail, or another model answers them. */
export interface ModelEnd {
  /** YYYY-MM-DD. */
  readonly date: string;
  /** What its maker recommends instead; null if unknown. */
  readonly replacement: string | null;
}

/** What is known about a model. Null is unknown. */
export interface ModelCapabilities {
  /** The family in the table, such as `gpt-5.4-mini`. */
  readonly family: string;
  /** Who makes it, such as `openai`. */
  readonly maker: string;
  readonly contextTokens: number | null;
  readonly maxOutputTokens: number | null;
  readonly structuredOutput: boolean | null;
  readonly effort: EffortSupport | null;
  readonly images: boolean | null;
  readonly files: boolean | null;
  /** Parameters of request bodies that it rejects. */
  readonly refused: readonly string[];
  /** Null if no end is announced, or if it is unknown for this provider. */
  readonly ends: ModelEnd | null;
  /** The date of the table, YYYY-MM-DD, and what it was compiled from. */
  readonly asOf: string;
  readonly source: string;
}

/** A model, as `findCapabilities` looks it up. */
export interface ModelIdentity {
  /** The name sent to the API. */
  readonly model: string;
  /** Who serves it; null or absent if unknown. */
  readonly provider?: string | null;
}

const TABLES: readonly CapabilityTable[] = [OPENAI_TABLE, ANTHROPIC_TABLE, GOOGLE_TABLE, DEEPSEEK_TABLE];

/** What may follow the name of a family: a date or version of a snapshot, `latest`, or a variant of a router. */
const SNAPSHOT =
  /^(?:[-@](?:\d{4}-\d{2}-\d{2}|\d{8}|\d{4}(?:-preview)?|\d{3}|preview(?:-\d{2}-\d{2,4})?|latest|0))?(?:-v\d+(?::\d+)?)?(?::[\w-]+)?$/;

/** The names of a model without the provider, region and collection that others put in front of it. */
const PREFIX =
  /^(?:.*\/)?(?:(?:us|eu|apac|jp|au|ca|sa|in|global|us-gov)\.)?(?:(?:anthropic|openai|google|deepseek)\.)?/;

/** OpenRouter writes versions of Claude with dots: `claude-opus-4.5`. */
export function normalizeModelName(model: string): string {
  const name = model.toLowerCase().replace(PREFIX, "");
  return name.startsWith("claude-") ? name.replaceAll(/(\d)\.(\d)/g, "$1-$2") : name;
}

/**
 * Looks up what is known about a model; null if the tables do not have it, and then nothing is assumed. The longest
 * family that the name begins with counts; dates of snapshots, and prefixes of routers and clouds, are ignored.
 * @example
 * findCapabilities({ provider: "openrouter", model: "anthropic/claude-opus-4.5" })?.maxOutputTokens; // 64000
 */
export function findCapabilities({ model, provider = null }: ModelIdentity): ModelCapabilities | null {
  const name = normalizeModelName(model);
  const found = TABLES.flatMap((table) =>
    Object.entries(table.families)
      .filter(([family]) => name.startsWith(family) && SNAPSHOT.test(name.slice(family.length)))
      .map(([family, entry]) => ({ table, family, entry })),
  ).sort((a, b) => b.family.length - a.family.length)[0];
  return found === undefined ? null : describeFamily(found, provider);
}

function describeFamily(
  { table, family, entry }: { table: CapabilityTable; family: string; entry: FamilyEntry },
  provider: string | null,
): ModelCapabilities {
  // Clouds and routers have dates of their own.
  const isAtMaker = provider === null || table.providers.includes(provider.toLowerCase());
  return {
    family,
    maker: table.maker,
    contextTokens: entry.context ?? null,
    maxOutputTokens: entry.output ?? null,
    structuredOutput: entry.structured ?? null,
    effort: describeEffort(entry),
    images: entry.images ?? null,
    files: entry.files ?? null,
    refused: entry.refused ?? [],
    ends: entry.ends === undefined || !isAtMaker ? null : { date: entry.ends, replacement: entry.replacement ?? null },
    asOf: table.asOf,
    source: table.source,
  };
}

function describeEffort({ efforts, thinkingTokens, adaptive = false }: FamilyEntry): EffortSupport | null {
  if (efforts === undefined) return null;
  const [min, max] = thinkingTokens ?? [];
  const tokens = min === undefined || max === undefined ? null : { min, max };
  return { names: efforts, tokens, isAdaptive: adaptive };
}

/**
 * Describes the efforts of a model for messages.
 * @example
 * describeEfforts({ names: ["low", "high"], tokens: null, isAdaptive: false }); // "low, high"
 */
export function describeEfforts({ names, tokens }: EffortSupport): string {
  const numbers = tokens === null ? [] : [`a number of thinking tokens from ${tokens.min} to ${tokens.max}`];
  return [...names, ...numbers].join(", ");
}

/** Throws a `UsageError` with the allowed values if the model is known not to support an effort. */
export function requireEffort(effort: Effort, identity: ModelIdentity): void {
  const problem = explainUnsupportedEffort(effort, identity);
  if (problem !== null) throw new UsageError(problem);
}

/**
 * Says that a model is known not to support an effort, and which ones it does; null if it may.
 * @example
 * explainUnsupportedEffort("xhigh", { model: "gpt-6-luna" });
 */
export function explainUnsupportedEffort(effort: Effort, identity: ModelIdentity): string | null {
  const support = findCapabilities(identity)?.effort ?? null;
  if (support === null || isEffortSupported(effort, support)) return null;
  const values =
    support.names.length === 0 && support.tokens === null
      ? "It takes no effort: remove it for this model."
      : `Use one of: ${describeEfforts(support)}.`;
  return `The model ${identity.model} does not support the effort ${effort}. ${values}`;
}

function isEffortSupported(effort: Effort, { names, tokens }: EffortSupport): boolean {
  if (typeof effort !== "number") return names.includes(effort);
  return tokens !== null && effort >= tokens.min && effort <= tokens.max;
}

const MS_PER_DAY = 86_400_000;

/** Models that end within so many days are warned about. */
const WARNING_DAYS = 90;

/**
 * Describes the end of a model that is over or near, as the end of a sentence; null if it is neither.
 * @example
 * describeModelEnd({ date: "2026-12-11", replacement: "new" }, new Date("2026-11-18"));
 * // "ends on 2026-12-11, in 23 days; its maker recommends new"
 */
export function describeModelEnd({ date, replacement }: ModelEnd, now: Date): string | null {
  const days = Math.ceil((Date.parse(date) - now.getTime()) / MS_PER_DAY);
  if (days > WARNING_DAYS) return null;
  const when = days > 0 ? `ends on ${date}, in ${days} ${days === 1 ? "day" : "days"}` : `ended on ${date}`;
  return replacement === null ? when : `${when}; its maker recommends ${replacement}`;
}

/**
 * Finds the family that a model which no table has is most likely misspelled from; null if none is close, or if its
 * provider is not the maker of one.
 * @example
 * findSimilarModel({ provider: "openai", model: "gtp-6-sol" }); // "gpt-6-sol"
 */
export function findSimilarModel({ model, provider = null }: ModelIdentity): string | null {
  if (provider === null || findCapabilities({ model }) !== null) return null;
  const own = TABLES.filter(({ providers }) => providers.includes(provider.toLowerCase()));
  return (
    findClosestName(
      normalizeModelName(model),
      own.flatMap(({ families }) => Object.keys(families)),
    ) ?? null
  );
}

/**
 * Says what may be wrong with a model that its endpoint does not have: it ended, or its name is misspelled. Null if
 * neither is known.
 * @example
 * explainMissingModel({ provider: "openai", model: "gtp-6-sol" }, new Date()); // 'Did you mean "gpt-6-sol"?'
 */
export function explainMissingModel(identity: ModelIdentity, now: Date): string | null {
  const ends = findCapabilities(identity)?.ends ?? null;
  const end = ends === null ? null : describeModelEnd(ends, now);
  if (end !== null) return `The model ${end}.`;
  const similar = findSimilarModel(identity);
  return similar === null ? null : `Did you mean "${similar}"?`;
}
