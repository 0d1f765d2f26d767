import type { InfrastructureCategory } from "../../core/errors.js";

/** An unchecked object of a file. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A record that is not a valid trial; the message says why. */
export class BadRecord extends Error {}

/** Longer ids and names are texts in the wrong place. */
const LONGEST_NAME = 500;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Returns the first of the named own fields that is not null. */
export function fieldOf(object: JsonObject, ...names: readonly string[]): unknown {
  const found = names.find((name) => Object.hasOwn(object, name) && object[name] !== null);
  return found === undefined ? undefined : object[found];
}

/** Returns the first of the named fields that is a non-empty text. */
export function textOf(object: JsonObject, ...names: readonly string[]): string | undefined {
  const texts = names.map((name) => fieldOf(object, name));
  return texts.find((text): text is string => typeof text === "string" && text !== "");
}

/** Returns the first of the named fields that is a number of at least 0, otherwise null. */
export function measureOf(object: JsonObject, ...names: readonly string[]): number | null {
  const values = names.map((name) => fieldOf(object, name));
  return values.find((value): value is number => isFiniteNumber(value) && value >= 0) ?? null;
}

/** Like `readMeasureField`, for fields where 0 and -1 mean "not measured". */
export function positiveOf(object: JsonObject, ...names: readonly string[]): number | null {
  const value = measureOf(object, ...names);
  return value === 0 ? null : value;
}

/** Returns a count of tokens or turns as an integer; null if there is none. */
export function countOf(object: JsonObject, ...names: readonly string[]): number | null {
  const value = measureOf(object, ...names);
  return value === null || value > Number.MAX_SAFE_INTEGER ? null : Math.round(value);
}

export function flagOf(object: JsonObject, ...names: readonly string[]): boolean | undefined {
  const values = names.map((name) => fieldOf(object, name));
  return values.find((value) => typeof value === "boolean");
}

/** Returns the first of the named fields that is an object; otherwise an empty one. */
export function objectOf(object: JsonObject, ...names: readonly string[]): JsonObject {
  const values = names.map((name) => fieldOf(object, name));
  return values.find(isObject) ?? {};
}

/** Returns the first of the named fields that is a list; otherwise an empty one. */
export function listOf(object: JsonObject, ...names: readonly string[]): readonly unknown[] {
  const values = names.map((name) => fieldOf(object, name));
  return values.find((value) => Array.isArray(value)) ?? [];
}

export function isFiniteNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/** Returns the id of an example: a text or number of reasonable length. */
export function idFrom(value: unknown, what: string): string | number {
  if (isFiniteNumber(value)) return value;
  return nameFrom(value, what);
}

/** Returns a required name. */
export function nameFrom(value: unknown, what: string): string {
  if (typeof value !== "string" || value.trim() === "") throw new BadRecord(`it has no ${what}`);
  // It would be found on every object that is used as a map.
  if (value === "__proto__") throw new BadRecord(`its ${what} is a reserved name of JavaScript`);
  if (value.length > LONGEST_NAME) throw new BadRecord(`its ${what} is ${value.length} characters long`);
  return value;
}

/** Returns an optional name, shortened if needed. */
export function shortName(value: unknown, longest = 80): string {
  const text = typeof value === "string" ? value.replaceAll(/\s+/g, " ").trim() : "";
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}

/** Returns the named fields that are short texts, numbers or booleans; null if there are none. */
export function scalarsOf(object: JsonObject, names: readonly string[]): Record<string, unknown> | null {
  const kept = names.slice(0, MOST_SCALARS).map((name) => [name, fieldOf(object, name)] as const);
  const known = kept.filter(([, value]) => isShort(value));
  return known.length === 0 ? null : Object.fromEntries(known);
}

const MOST_SCALARS = 50;

function isShort(value: unknown): boolean {
  if (typeof value === "string") return value.length <= LONGEST_NAME;
  return typeof value === "boolean" || isFiniteNumber(value);
}

/** Returns a text unchanged, anything else as JSON, and null as an empty text. */
export function asText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}

/** Returns the time in a field, in milliseconds since 1970; null if it is missing or implausible. */
export function momentOf(object: JsonObject, ...names: readonly string[]): number | null {
  const value = fieldOf(object, ...names);
  const moment = typeof value === "string" ? Date.parse(value) : isFiniteNumber(value) ? value : Number.NaN;
  return moment > EARLIEST && moment < LATEST ? moment : null;
}

/** Earlier and later times are implausible. */
const EARLIEST = Date.UTC(2000, 0, 1);
const LATEST = Date.UTC(2200, 0, 1);

/**
 * Groups values by a key, in the order they were found.
 * @example
 * groupByKey([1, 2, 3], (n) => n % 2); // Map { 1 => [1, 3], 0 => [2] }
 */
export function grouped<K, V>(values: Iterable<V>, keyOf: (value: V) => K): Map<K, V[]> {
  const groups = new Map<K, V[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}

const WORDS: readonly (readonly [InfrastructureCategory, RegExp])[] = [
  ["rate_limit", /\b429\b|rate.?limit|too many requests|throttl/i],
  ["timeout", /timed?.?out|deadline exceeded/i],
  [
    "api_error",
    /\b[45]\d\d\b|\bapi\b|\bhttp|econn|enotfound|epipe|socket|network|fetch failed|quota|unauthori[sz]ed|forbidden|overloaded|unavailable|credit/i,
  ],
];

/** The start of a message says what it is about; the rest may be a whole page. */
const READ_CHARS = 2000;

/**
 * Classifies an error message; other tools store nothing more precise.
 * @example
 * classifyErrorMessage("Request failed with status 429"); // "rate_limit"
 */
export function categoryOfError(message: string): InfrastructureCategory {
  const start = message.slice(0, READ_CHARS);
  return WORDS.find(([, words]) => words.test(start))?.[0] ?? "system_error";
}
