import { ownValue } from "../../core/shape.js";
import { nearest } from "../../core/suggest.js";
import type { KeyPath } from "../../utils/files/yaml-tree.js";
import type { Alias, Inside, KeyRules } from "./key-rules.js";
import { inSnakeCase, ourKey } from "./spelling.js";

/** A problem in a document, by its path in the file. */
export interface PathProblem {
  readonly path: KeyPath;
  readonly isKey: boolean;
  readonly text: string;
}

/** A document with only our own keys. */
export interface Respelled {
  readonly value: unknown;
  readonly notes: readonly string[];
  readonly problems: readonly PathProblem[];
  /** Maps a path in the normalized document to the path in the file. */
  readonly sourceOf: (path: KeyPath) => KeyPath;
}

type Fields = Readonly<Record<string, unknown>>;

/** Renames the keys of other harnesses to ours, so that one schema describes all. */
export function respell(document: unknown, rules: KeyRules, isGraderType: (type: string) => boolean): Respelled {
  const respelling = new Respelling(isGraderType);
  const value = respelling.inMapping(document, rules, []);
  return {
    value,
    notes: [...respelling.notes],
    problems: respelling.problems,
    sourceOf: (path) => respelling.sourceOf(path),
  };
}

class Respelling {
  readonly notes = new Set<string>();
  readonly problems: PathProblem[] = [];
  readonly #moved = new Map<string, KeyPath>();
  readonly #isGraderType: (type: string) => boolean;

  constructor(isGraderType: (type: string) => boolean) {
    this.#isGraderType = isGraderType;
  }

  /** The longest moved prefix of the path says where the rest is. */
  sourceOf(path: KeyPath): KeyPath {
    for (let length = path.length; length > 0; length--) {
      const source = this.#moved.get(JSON.stringify(path.slice(0, length)));
      if (source !== undefined) return [...source, ...path.slice(length)];
    }
    return path;
  }

  inMapping(value: unknown, rules: KeyRules, at: KeyPath): unknown {
    if (!isMapping(value)) return value;
    const fields = rules.isGrader === true ? this.#grader(value, at) : value;
    const result = new Map<string, unknown>();
    for (const [key, given] of Object.entries(fields)) this.#take({ key, given, fields, rules, at, result });
    return Object.fromEntries(result);
  }

  #take({ key, given, fields, rules, at, result }: Taken): void {
    const why = ownValue(rules.ignored ?? {}, key) ?? ownValue(rules.ignored ?? {}, inSnakeCase(key));
    const ours = ourKey(key, rules);
    if (ours === null && why !== undefined) {
      this.notes.add(`${labelOf(at, key)}: ignored: ${why}`);
      return;
    }
    const name = ours?.key ?? key;
    if (ours !== null && name !== key && this.#isGivenTwice({ key, ours, fields, at, result })) return;
    if (name !== key) {
      this.#moved.set(JSON.stringify([...at, name]), this.sourceOf([...at, key]));
      this.notes.add(`${labelOf(at, key)} is read as ${name}`);
    }
    const value = this.#inForm(ours?.convert === undefined ? given : ours.convert(given), { rules, at, name });
    const inside = ownValue(rules.inside ?? {}, name);
    result.set(name, inside === undefined ? value : this.#inside(value, inside, [...at, name]));
  }

  #inForm(given: unknown, { rules, at, name }: { rules: KeyRules; at: KeyPath; name: string }): unknown {
    const value = ownValue(rules.forms ?? {}, name)?.(given) ?? given;
    if (value !== given) this.notes.add(`${labelOf(at, name)}: only its name is used`);
    return value;
  }

  #isGivenTwice({ key, ours, fields, at, result }: Twice): boolean {
    const isThere = Object.hasOwn(fields, ours.key) || result.has(ours.key);
    if (!isThere) return false;
    const label = labelOf(at, key);
    if (ours.yields === true) this.notes.add(`${label}: ignored: ${ours.key} is given`);
    else {
      const text = `${label} and ${ours.key} mean the same: keep one of them.`;
      this.problems.push({ path: this.sourceOf([...at, key]), isKey: true, text });
    }
    return true;
  }

  #inside(value: unknown, { rules, each = false }: Inside, at: KeyPath): unknown {
    const inner = (key: string | number): KeyPath => [...at, key];
    if (Array.isArray(value)) return value.map((entry, index) => this.inMapping(entry, rules, inner(index)));
    if (!each || !isMapping(value)) return this.inMapping(value, rules, at);
    return Object.fromEntries(
      Object.entries(value).map(([key, entry]) => [key, this.inMapping(entry, rules, inner(key))]),
    );
  }

  /** Moves settings beside the type into the config, and accepts types with underscores. */
  #grader(given: Fields, at: KeyPath): Fields {
    const { value, moves, notes } = graderKeys(given, this.#isGraderType);
    for (const note of notes) this.notes.add(note);
    for (const { to, from } of moves) this.#moved.set(JSON.stringify([...at, ...to]), this.sourceOf([...at, ...from]));
    return value;
  }
}

interface Taken {
  key: string;
  given: unknown;
  fields: Fields;
  rules: KeyRules;
  at: KeyPath;
  /** A map, because a key may be `__proto__`. */
  result: Map<string, unknown>;
}

type Twice = Pick<Taken, "key" | "fields" | "at" | "result"> & { ours: Alias };

export function isMapping(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Without indexes, so that a note on one test case covers all. */
function labelOf(path: KeyPath, key: string): string {
  return [...path.filter((part) => typeof part === "string"), key].join(".");
}

interface GraderKeys {
  readonly value: Fields;
  readonly moves: readonly { readonly to: KeyPath; readonly from: KeyPath }[];
  readonly notes: readonly string[];
}

const OWN = ["type", "config", "name", "required", "weight"];

/**
 * Reads an entry with settings beside its type, `{ type: file-exists, path: a.js }`, or with underscores in its type.
 * A key that is similar to one of the entry's own keys stays where it is: it is a typo.
 */
function graderKeys(given: Fields, isGraderType: (type: string) => boolean): GraderKeys {
  const notes: string[] = [];
  const typed = withKnownType(given, isGraderType, notes);
  const beside = Object.keys(typed).filter((key) => !OWN.includes(key) && nearest(key, OWN) === undefined);
  if (beside.length === 0 || typed.config !== undefined) return { value: typed, moves: [], notes };
  const kept = Object.entries(typed).filter(([key]) => !beside.includes(key));
  const config = Object.fromEntries(beside.map((key) => [key, typed[key]]));
  return {
    value: { ...Object.fromEntries(kept), config },
    moves: beside.map((key) => ({ to: ["config", key], from: [key] })),
    notes: [...notes, "graders: settings beside the type are read as its config"],
  };
}

function withKnownType(given: Fields, isGraderType: (type: string) => boolean, notes: string[]): Fields {
  const { type } = given;
  if (typeof type !== "string" || isGraderType(type)) return given;
  const dashed = type.replaceAll("_", "-");
  if (!isGraderType(dashed)) return given;
  notes.push(`graders: the type ${type} is read as ${dashed}`);
  return { ...given, type: dashed };
}
