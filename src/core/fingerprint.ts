import { createHash } from "node:crypto";
import { ShapeError } from "./errors.js";
import { isThenable } from "./shape.js";

/**
 * JSON with sorted keys: equal values give equal text.
 * @example
 * canonicalJson({ b: 1, a: [2] }); // '{"a":[2],"b":1}'
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, sortKeys) ?? "null";
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return `${value}n`;
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

/** SHA-256 of a value's canonical JSON, in hex. */
export function digest(value: unknown): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex");
}

interface Fingerprintable {
  readonly name: string;
  fingerprint?(): unknown;
}

/**
 * Identifies the work of a system or evaluator: the result of its `fingerprint()` if it has one, else a hash of its name,
 * its plain fields and the source of the method and class. Closures and private fields are not visible; implement
 * `fingerprint` if the result depends on them.
 */
export function computeFingerprint(thing: Fingerprintable, method: string): string {
  if (typeof thing.fingerprint === "function")
    return digest([thing.name, requireSyncFingerprint(thing.name, thing.fingerprint())]);
  const fields = thing as unknown as Record<string, unknown>;
  return digest([thing.name, toHashableFields(fields), String(fields[method]), getClassSource(thing)]);
}

/** Includes other methods, getters and private fields that the method may use. */
function getClassSource(thing: object): string | null {
  return isPlainObject(thing) ? null : String(thing.constructor);
}

/** All promises serialize alike, so different systems would share a fingerprint. */
function requireSyncFingerprint(name: string, said: unknown): unknown {
  if (!isThenable(said)) return said;
  throw new ShapeError(`fingerprint() of "${name}" returned a promise. Return the value itself.`);
}

function toHashableFields(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, toHashableValue(value, [])]));
}

/** The part of a value that identifies it. Of a live object such as a client, only its class and string fields (a model, a URL): its numbers are often counters or times. Cycles are cut. */
function toHashableValue(value: unknown, above: readonly unknown[]): unknown {
  if (typeof value === "function" || value instanceof RegExp || value instanceof URL) return String(value);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  if (above.includes(value)) return undefined;
  const inside = [...above, value];
  if (Array.isArray(value) || value instanceof Set || value instanceof Map) {
    return Array.from(value as Iterable<unknown>, (item) => toHashableValue(item, inside));
  }
  if (!isPlainObject(value)) return [getClassSource(value), pickStrings(value)];
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, toHashableValue(item, inside)]));
}

function pickStrings(value: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => typeof item === "string"));
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** An id for an example that has none. */
export function hashContent(content: unknown): string {
  return digest(content).slice(0, 16);
}

/** Makes repeated ids unique by appending "-2", "-3", and so on. */
export class IdDeduplicator {
  /** Uses per id; continuing from there avoids quadratic time for many equal examples. */
  readonly #met = new Map<string, number>();

  makeUnique(id: string, isTaken: (id: string) => boolean): string {
    for (;;) {
      const copy = (this.#met.get(id) ?? 0) + 1;
      this.#met.set(id, copy);
      const numbered = copy === 1 ? id : `${id}-${copy}`;
      if (!isTaken(numbered)) return numbered;
    }
  }
}
