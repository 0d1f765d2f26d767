import { createHash } from "node:crypto";
import { ShapeError } from "./errors.js";
import { isThenable } from "./shape.js";

/**
 * JSON with sorted keys, so that equal content gives equal text whatever the order it was written in.
 * @example
 * canonicalJson({ b: 1, a: [2] }); // '{"a":[2],"b":1}'
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, sortedKeys) ?? "null";
}

function sortedKeys(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return `${value}n`;
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
}

/** SHA-256 of a value's canonical JSON, in hex. */
export function digest(value: unknown): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex");
}

interface Fingerprinted {
  readonly name: string;
  fingerprint?(): unknown;
}

/**
 * What identifies a system's or an evaluator's work: its own `fingerprint()` when it has one, else its name, its own
 * plain fields, the source of the method that does the work and that of its class. What a closure captured, and what a
 * private field was set to, cannot be seen; a system that depends on it should say so with `fingerprint`.
 */
export function fingerprintOf(thing: Fingerprinted, method: string): string {
  if (typeof thing.fingerprint === "function") return digest([thing.name, saidOf(thing.name, thing.fingerprint())]);
  const fields = thing as unknown as Record<string, unknown>;
  return digest([thing.name, plainFields(fields), String(fields[method]), classSource(thing)]);
}

/** The whole class of an instance, for the other methods, the getters and the private fields it works with. */
function classSource(thing: object): string | null {
  return isPlainObject(thing) ? null : String(thing.constructor);
}

/** A promise has no content: every system that gave one would pass for every other. */
function saidOf(name: string, said: unknown): unknown {
  if (!isThenable(said)) return said;
  throw new ShapeError(`fingerprint() of "${name}" returned a promise. Return the value itself.`);
}

function plainFields(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, plain(value, [])]));
}

/** The part of a value that content can identify: of a live object, such as a client, its class and its own texts, such as a model or a URL; numbers there are often counters and times. A circle ends at its start. */
function plain(value: unknown, above: readonly unknown[]): unknown {
  if (typeof value === "function" || value instanceof RegExp || value instanceof URL) return String(value);
  if (typeof value !== "object" || value === null || value instanceof Date) return value;
  if (above.includes(value)) return undefined;
  const inside = [...above, value];
  if (Array.isArray(value) || value instanceof Set || value instanceof Map) {
    return Array.from(value as Iterable<unknown>, (item) => plain(item, inside));
  }
  if (!isPlainObject(value)) return [classSource(value), textsOf(value)];
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item, inside)]));
}

function textsOf(value: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => typeof item === "string"));
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The id of an example that has none: the hash of its content. */
export function contentId(content: unknown): string {
  return digest(content).slice(0, 16);
}

/** Numbers ids that repeat: "…-2", "…-3", in order. */
export class RepeatedIds {
  /** How often each was met; counting on from there keeps many equal examples from taking quadratic time. */
  readonly #met = new Map<string, number>();

  next(id: string, isTaken: (id: string) => boolean): string {
    for (;;) {
      const copy = (this.#met.get(id) ?? 0) + 1;
      this.#met.set(id, copy);
      const numbered = copy === 1 ? id : `${id}-${copy}`;
      if (!isTaken(numbered)) return numbered;
    }
  }
}
