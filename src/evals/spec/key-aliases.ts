import { findClosestName, getOwn } from "../../core/index.js";
import type { KeyPath } from "../../utils/index.js";
import type { KeyAlias, KeyRules, NestedRules } from "./key-rules.js";
import { isRawMapping, type RawMapping } from "./raw-mapping.js";
import { SourcePaths } from "./source-paths.js";

/** A problem in a document, by its path in the file. */
export interface DocumentProblem {
  readonly path: KeyPath;
  readonly isKey: boolean;
  readonly text: string;
}

/** A document that was rewritten for our schema. */
export interface NormalizedDocument {
  readonly value: unknown;
  readonly notes: readonly string[];
  readonly problems: readonly DocumentProblem[];
  /** Maps a path in the normalized document to the path in the file. */
  readonly sourceOf: (path: KeyPath) => KeyPath;
}

/** Renames the keys of other harnesses to ours, so that one schema describes all. */
export function normalizeKeys(
  document: unknown,
  rules: KeyRules,
  isGraderType: (type: string) => boolean,
): NormalizedDocument {
  const respelling = new KeyNormalizer(isGraderType);
  const value = respelling.normalizeMapping(document, rules, []);
  return {
    value,
    notes: [...respelling.notes],
    problems: respelling.problems,
    sourceOf: (path) => respelling.paths.find(path),
  };
}

class KeyNormalizer {
  readonly notes = new Set<string>();
  readonly problems: DocumentProblem[] = [];
  readonly paths = new SourcePaths();
  readonly #isGraderType: (type: string) => boolean;

  constructor(isGraderType: (type: string) => boolean) {
    this.#isGraderType = isGraderType;
  }

  normalizeMapping(value: unknown, rules: KeyRules, at: KeyPath): unknown {
    if (!isRawMapping(value)) return value;
    const own = rules.isGrader === true ? this.#normalizeGrader(value, at) : value;
    const fields = this.#liftKeys(own, rules, at);
    const result = new Map<string, unknown>();
    for (const [key, given] of Object.entries(fields)) this.#addKey({ key, given, fields, rules, at, result });
    return Object.fromEntries(result);
  }

  /** Moves the keys of nested mappings up. One that is given twice stays where it is, and is reported as unknown. */
  #liftKeys(fields: RawMapping, { lifted = {} }: KeyRules, at: KeyPath): RawMapping {
    const result = new Map(Object.entries(fields));
    for (const [key, convert] of Object.entries(lifted)) {
      const inner = fields[key];
      if (!isRawMapping(inner) || Object.keys(inner).some((name) => result.has(name))) continue;
      this.notes.add(`${formatKeyLabel(at, key)}: its keys are read as keys beside it`);
      result.delete(key);
      for (const [name, value] of Object.entries(convert(inner))) {
        this.paths.move([...at, name], this.paths.find([...at, key, name]));
        result.set(name, value);
      }
    }
    return Object.fromEntries(result);
  }

  #addKey({ key, given, fields, rules, at, result }: KeyEntry): void {
    const why = getOwn(rules.ignored ?? {}, key) ?? getOwn(rules.ignored ?? {}, toSnakeCaseKey(key));
    const ours = resolveKeyAlias(key, rules);
    if (ours === null && why !== undefined) {
      this.notes.add(`${formatKeyLabel(at, key)}: ignored: ${why}`);
      return;
    }
    const name = ours?.key ?? key;
    if (ours !== null && name !== key && this.#checkDuplicate({ key, ours, fields, at, result })) return;
    if (name !== key) {
      this.paths.move([...at, name], this.paths.find([...at, key]));
      this.notes.add(`${formatKeyLabel(at, key)} is read as ${name}`);
    }
    const value = this.#convertForm(ours?.convert === undefined ? given : ours.convert(given), { rules, at, name });
    const inside = getOwn(rules.inside ?? {}, name);
    result.set(name, inside === undefined ? value : this.#normalizeNested(value, inside, [...at, name]));
  }

  #convertForm(given: unknown, { rules, at, name }: { rules: KeyRules; at: KeyPath; name: string }): unknown {
    const value = getOwn(rules.forms ?? {}, name)?.(given) ?? given;
    if (value !== given)
      this.notes.add(
        `${formatKeyLabel(at, name)}: ${typeof given === "string" ? `${given} is read as ${String(value)}` : "only its name is used"}`,
      );
    return value;
  }

  #checkDuplicate({ key, ours, fields, at, result }: DuplicateKey): boolean {
    const isThere = Object.hasOwn(fields, ours.key) || result.has(ours.key);
    if (!isThere) return false;
    const label = formatKeyLabel(at, key);
    if (ours.yields === true) this.notes.add(`${label}: ignored: ${ours.key} is given`);
    else {
      const text = `${label} and ${ours.key} mean the same: keep one of them.`;
      this.problems.push({ path: this.paths.find([...at, key]), isKey: true, text });
    }
    return true;
  }

  #normalizeNested(value: unknown, { rules, each = false }: NestedRules, at: KeyPath): unknown {
    const inner = (key: string | number): KeyPath => [...at, key];
    if (Array.isArray(value)) return value.map((entry, index) => this.normalizeMapping(entry, rules, inner(index)));
    if (!each || !isRawMapping(value)) return this.normalizeMapping(value, rules, at);
    return Object.fromEntries(
      Object.entries(value).map(([key, entry]) => [key, this.normalizeMapping(entry, rules, inner(key))]),
    );
  }

  /** Moves settings beside the type into the config, and accepts types with underscores. */
  #normalizeGrader(given: RawMapping, at: KeyPath): RawMapping {
    const { value, moves, notes } = normalizeGraderKeys(given, this.#isGraderType);
    for (const note of notes) this.notes.add(note);
    for (const { to, from } of moves) this.paths.move([...at, ...to], this.paths.find([...at, ...from]));
    return value;
  }
}

interface KeyEntry {
  key: string;
  given: unknown;
  fields: RawMapping;
  rules: KeyRules;
  at: KeyPath;
  /** A map, because a key may be `__proto__`. */
  result: Map<string, unknown>;
}

type DuplicateKey = Pick<KeyEntry, "key" | "fields" | "at" | "result"> & { ours: KeyAlias };

/** Without indexes, so that a note on one test case covers all. */
function formatKeyLabel(path: KeyPath, key: string): string {
  return [...path.filter((part) => typeof part === "string"), key].join(".");
}

interface NormalizedGrader {
  readonly value: RawMapping;
  readonly moves: readonly { readonly to: KeyPath; readonly from: KeyPath }[];
  readonly notes: readonly string[];
}

const GRADER_KEYS = ["type", "config", "name", "required", "weight", "after_turn", "turn", "negate"];

/** Keys of a grader that other harnesses write into its config. */
const KEYS_OF_CONFIG = ["turn", "negate"];

/**
 * Reads an entry with settings beside its type, `{ type: file-exists, path: a.js }`, or with underscores in its type.
 * A key that is similar to one of the entry's own keys stays where it is: it is a typo.
 */
function normalizeGraderKeys(given: RawMapping, isGraderType: (type: string) => boolean): NormalizedGrader {
  const notes: string[] = [];
  const typed = normalizeGraderType(given, isGraderType, notes);
  const lifted = liftGraderKeys(typed);
  if (lifted !== null) return { ...lifted, notes: [...notes, ...lifted.notes] };
  const beside = Object.keys(typed).filter(
    (key) => !GRADER_KEYS.includes(key) && findClosestName(key, GRADER_KEYS) === undefined,
  );
  if (beside.length === 0 || typed.config !== undefined) return { value: typed, moves: [], notes };
  const kept = Object.entries(typed).filter(([key]) => !beside.includes(key));
  const config = Object.fromEntries(beside.map((key) => [key, typed[key]]));
  return {
    value: { ...Object.fromEntries(kept), config },
    moves: beside.map((key) => ({ to: ["config", key], from: [key] })),
    notes: [...notes, "graders: settings beside the type are read as its config"],
  };
}

/** Null if the config has no such key. */
function liftGraderKeys(given: RawMapping): NormalizedGrader | null {
  const { config } = given;
  if (!isRawMapping(config)) return null;
  const keys = KEYS_OF_CONFIG.filter((key) => Object.hasOwn(config, key) && !Object.hasOwn(given, key));
  if (keys.length === 0) return null;
  const kept = Object.entries(config).filter(([key]) => !keys.includes(key));
  const own = Object.fromEntries(keys.map((key) => [key, config[key]]));
  return {
    value: { ...given, config: Object.fromEntries(kept), ...own },
    moves: keys.map((key) => ({ to: [key], from: ["config", key] })),
    notes: keys.map((key) => `graders.config.${key} is read as ${key} of the grader`),
  };
}

function normalizeGraderType(given: RawMapping, isGraderType: (type: string) => boolean, notes: string[]): RawMapping {
  const { type } = given;
  if (typeof type !== "string" || isGraderType(type)) return given;
  const dashed = type.replaceAll("_", "-");
  if (!isGraderType(dashed)) return given;
  notes.push(`graders: the type ${type} is read as ${dashed}`);
  return { ...given, type: dashed };
}

/**
 * Resolves a key to ours: the key itself, another spelling (`judgeModel` for `judge_model`), or an alias from another
 * harness; null if unknown.
 */
export function resolveKeyAlias(key: string, { keys, aliases = {} }: KeyRules): KeyAlias | null {
  if (keys.includes(key)) return { key };
  const alias = getOwn(aliases, key) ?? getOwn(aliases, toSnakeCaseKey(key));
  if (alias !== undefined) return alias;
  const respelled = keys.find((ours) => toSnakeCaseKey(ours) === toSnakeCaseKey(key));
  return respelled === undefined ? null : { key: respelled };
}

export function listOtherSpellings({ keys, aliases = {} }: KeyRules): Map<string, string> {
  const all = [
    ...keys.map((key) => [key, key] as const),
    ...Object.entries(aliases).map(([key, to]) => [key, to.key] as const),
  ];
  const spelled = all.flatMap(([key, to]) =>
    [key, toSnakeCaseKey(key), toCamelCaseKey(key)].map((form) => [form, to] as const),
  );
  return new Map(spelled.filter(([form]) => !keys.includes(form)));
}

export function toSnakeCaseKey(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function toCamelCaseKey(key: string): string {
  return key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
