import type { InfrastructureCategory, Usage } from "../../core/index.js";

/** An unchecked object of a file. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A record that is not a valid trial; the message says why. */
export class BadRecordError extends Error {}

/** Longer ids and names are texts in the wrong place. */
const MAX_NAME_CHARS = 500;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the first of the named own fields that is not null. */
export function getField(object: JsonObject, ...names: readonly string[]): unknown {
  const found = names.find((name) => Object.hasOwn(object, name) && object[name] !== null);
  return found === undefined ? undefined : object[found];
}

/** Returns the first of the named fields that is a non-empty text. */
export function readTextField(object: JsonObject, ...names: readonly string[]): string | undefined {
  const texts = names.map((name) => getField(object, name));
  return texts.find((text): text is string => typeof text === "string" && text !== "");
}

/** Returns the first of the named fields that is a number of at least 0, otherwise null. */
export function readMeasureField(object: JsonObject, ...names: readonly string[]): number | null {
  const values = names.map((name) => getField(object, name));
  return values.find((value): value is number => isFiniteNumber(value) && value >= 0) ?? null;
}

/** Like `readMeasureField`, for fields where 0 and -1 mean "not measured". */
export function readPositiveField(object: JsonObject, ...names: readonly string[]): number | null {
  const value = readMeasureField(object, ...names);
  return value === 0 ? null : value;
}

/** Returns a count of tokens or turns as an integer; null if there is none. */
export function readCountField(object: JsonObject, ...names: readonly string[]): number | null {
  const value = readMeasureField(object, ...names);
  return value === null || value > Number.MAX_SAFE_INTEGER ? null : Math.round(value);
}

export function readFlagField(object: JsonObject, ...names: readonly string[]): boolean | undefined {
  const values = names.map((name) => getField(object, name));
  return values.find((value) => typeof value === "boolean");
}

/** Returns the first of the named fields that is an object; otherwise an empty one. */
export function readObjectField(object: JsonObject, ...names: readonly string[]): JsonObject {
  const values = names.map((name) => getField(object, name));
  return values.find(isJsonObject) ?? {};
}

/** Returns the first of the named fields that is a list; otherwise an empty one. */
export function readListField(object: JsonObject, ...names: readonly string[]): readonly unknown[] {
  const values = names.map((name) => getField(object, name));
  return values.find((value) => Array.isArray(value)) ?? [];
}

export function isFiniteNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/** Returns the id of an example: a text or number of reasonable length. */
export function requireId(value: unknown, what: string): string | number {
  if (isFiniteNumber(value)) return value;
  return requireName(value, what);
}

/** Returns a required name. */
export function requireName(value: unknown, what: string): string {
  if (typeof value !== "string" || value.trim() === "") throw new BadRecordError(`it has no ${what}`);
  // It would be found on every object that is used as a map.
  if (value === "__proto__") throw new BadRecordError(`its ${what} is a reserved name of JavaScript`);
  if (value.length > MAX_NAME_CHARS) throw new BadRecordError(`its ${what} is ${value.length} characters long`);
  return value;
}

/** Returns an optional name, shortened if needed. */
export function shortenName(value: unknown, longest = 80): string {
  const text = typeof value === "string" ? value.replaceAll(/\s+/g, " ").trim() : "";
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}

/** Returns the named fields that are short texts, numbers or booleans; null if there are none. */
export function pickScalars(object: JsonObject, names: readonly string[]): Record<string, unknown> | null {
  const kept = names.slice(0, MAX_SCALARS).map((name) => [name, getField(object, name)] as const);
  const known = kept.filter(([, value]) => isShortScalar(value));
  return known.length === 0 ? null : Object.fromEntries(known);
}

const MAX_SCALARS = 50;

function isShortScalar(value: unknown): boolean {
  if (typeof value === "string") return value.length <= MAX_NAME_CHARS;
  return typeof value === "boolean" || isFiniteNumber(value);
}

/** Returns a text unchanged, anything else as JSON, and null as an empty text. */
export function toImportText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}

/** Returns the time in a field, in milliseconds since 1970; null if it is missing or implausible. */
export function readTimeField(object: JsonObject, ...names: readonly string[]): number | null {
  const value = getField(object, ...names);
  const moment = typeof value === "string" ? Date.parse(value) : isFiniteNumber(value) ? value : Number.NaN;
  return moment > MIN_TIME_MS && moment < MAX_TIME_MS ? moment : null;
}

/** Earlier and later times are implausible. */
const MIN_TIME_MS = Date.UTC(2000, 0, 1);
const MAX_TIME_MS = Date.UTC(2200, 0, 1);

/**
 * Groups values by a key, in the order they were found.
 * @example
 * groupByKey([1, 2, 3], (n) => n % 2); // Map { 1 => [1, 3], 0 => [2] }
 */
export function groupByKey<K, V>(values: Iterable<V>, keyOf: (value: V) => K): Map<K, V[]> {
  const groups = new Map<K, V[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}

const ERROR_PATTERNS: readonly (readonly [InfrastructureCategory, RegExp])[] = [
  ["rate_limit", /\b429\b|rate.?limit|too many requests|throttl/i],
  ["timeout", /timed?.?out|deadline exceeded/i],
  [
    "api_error",
    /\b[45]\d\d\b|\bapi\b|\bhttp|econn|enotfound|epipe|socket|network|fetch failed|quota|unauthori[sz]ed|forbidden|overloaded|unavailable|credit/i,
  ],
];

/** The start of a message says what it is about; the rest may be a whole page. */
const MAX_ERROR_CHARS = 2000;

/**
 * Classifies an error message; other tools store nothing more precise.
 * @example
 * classifyErrorMessage("Request failed with status 429"); // "rate_limit"
 */
export function classifyErrorMessage(message: string): InfrastructureCategory {
  const start = message.slice(0, MAX_ERROR_CHARS);
  return ERROR_PATTERNS.find(([, words]) => words.test(start))?.[0] ?? "system_error";
}

/** Tokens as reported by another tool; null if it does not report them. */
interface ReportedTokens {
  readonly input: number | null;
  readonly output: number | null;
  readonly cacheRead?: number | null;
  readonly cacheWrite?: number | null;
  readonly reasoning?: number | null;
  /** Whether `input` includes cached tokens. */
  readonly inputHoldsCache: boolean;
}

/** Usage in disjoint classes; null if nothing was reported. All zeros count as not reported. */
export function toUsage(tokens: ReportedTokens): Usage | null {
  const { input, output, cacheRead, cacheWrite, reasoning } = tokens;
  if ((input ?? 0) === 0 && (output ?? 0) === 0) return null;
  const cached = (cacheRead ?? 0) + (cacheWrite ?? 0);
  const isInside = tokens.inputHoldsCache && cached <= (input ?? 0);
  return {
    input: (input ?? 0) - (isInside ? cached : 0),
    output: output ?? 0,
    ...(cacheRead == null ? {} : { cacheRead }),
    ...(cacheWrite == null ? {} : { cacheWrite }),
    ...(reasoning == null ? {} : { reasoning }),
  };
}
