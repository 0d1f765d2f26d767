import type { InfrastructureCategory } from "../../core/errors.js";

/** An object of a file that nobody has checked. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** A record that no trial can be made of; its message says why. */
export class BadRecord extends Error {}

/** Ids and names above this are no ids and names, but texts in the wrong place. */
const LONGEST_NAME = 500;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The first of the named fields that the object itself has, and that is not null. */
export function fieldOf(object: JsonObject, ...names: readonly string[]): unknown {
  const found = names.find((name) => Object.hasOwn(object, name) && object[name] !== null);
  return found === undefined ? undefined : object[found];
}

/** The first of the named fields that is a text with something in it. */
export function textOf(object: JsonObject, ...names: readonly string[]): string | undefined {
  const texts = names.map((name) => fieldOf(object, name));
  return texts.find((text): text is string => typeof text === "string" && text !== "");
}

/** The first of the named fields that is a number and not below 0, since every measure is one; else null. */
export function measureOf(object: JsonObject, ...names: readonly string[]): number | null {
  const values = names.map((name) => fieldOf(object, name));
  return values.find((value): value is number => isFiniteNumber(value) && value >= 0) ?? null;
}

/** As `measureOf`, for fields where 0 and -1 say that nobody measured. */
export function positiveOf(object: JsonObject, ...names: readonly string[]): number | null {
  const value = measureOf(object, ...names);
  return value === 0 ? null : value;
}

/** A count of tokens or turns, as a whole number; null when there is none. */
export function countOf(object: JsonObject, ...names: readonly string[]): number | null {
  const value = measureOf(object, ...names);
  return value === null || value > Number.MAX_SAFE_INTEGER ? null : Math.round(value);
}

export function flagOf(object: JsonObject, ...names: readonly string[]): boolean | undefined {
  const values = names.map((name) => fieldOf(object, name));
  return values.find((value) => typeof value === "boolean");
}

/** The first of the named fields that is an object; an empty one when none is. */
export function objectOf(object: JsonObject, ...names: readonly string[]): JsonObject {
  const values = names.map((name) => fieldOf(object, name));
  return values.find(isObject) ?? {};
}

/** The first of the named fields that is a list; an empty one when none is. */
export function listOf(object: JsonObject, ...names: readonly string[]): readonly unknown[] {
  const values = names.map((name) => fieldOf(object, name));
  return values.find((value) => Array.isArray(value)) ?? [];
}

export function isFiniteNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

/** The id of an example: a text or a number, and short enough to be one. */
export function idFrom(value: unknown, what: string): string | number {
  if (isFiniteNumber(value)) return value;
  return nameFrom(value, what);
}

/** A name that a record cannot do without. */
export function nameFrom(value: unknown, what: string): string {
  if (typeof value !== "string" || value.trim() === "") throw new BadRecord(`it has no ${what}`);
  // It would be looked for, and found, on every object that is kept by name.
  if (value === "__proto__") throw new BadRecord(`its ${what} is a name that JavaScript uses itself`);
  if (value.length > LONGEST_NAME) throw new BadRecord(`its ${what} is ${value.length} characters long`);
  return value;
}

/** A name that may be missing, and is cut where it is too long for one. */
export function shortName(value: unknown, longest = 80): string {
  const text = typeof value === "string" ? value.replaceAll(/\s+/g, " ").trim() : "";
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
}

/** The named fields that are short texts, numbers or truth values; null when there are none. */
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

/** A text as it is, anything else as JSON; nothing is an empty text. */
export function asText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}

/** The moment that a field tells, in milliseconds since 1970; null when it tells none that can be true. */
export function momentOf(object: JsonObject, ...names: readonly string[]): number | null {
  const value = fieldOf(object, ...names);
  const moment = typeof value === "string" ? Date.parse(value) : isFiniteNumber(value) ? value : Number.NaN;
  return moment > EARLIEST && moment < LATEST ? moment : null;
}

/** No results were written before, and a clock is never this far ahead. */
const EARLIEST = Date.UTC(2000, 0, 1);
const LATEST = Date.UTC(2200, 0, 1);

/**
 * Values by a key of theirs, both in the order they were met.
 * @example
 * grouped([1, 2, 3], (n) => n % 2); // Map { 1 => [1, 3], 0 => [2] }
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

/** Words at the start of a message say what it is about; what follows may be a whole page. */
const READ_CHARS = 2000;

/**
 * What kind of failure a message tells of; other tools write down no more than that.
 * @example
 * categoryOfError("Request failed with status 429"); // "rate_limit"
 */
export function categoryOfError(message: string): InfrastructureCategory {
  const start = message.slice(0, READ_CHARS);
  return WORDS.find(([, words]) => words.test(start))?.[0] ?? "system_error";
}
