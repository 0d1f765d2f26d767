import { isAbsolute, relative, sep } from "node:path";
import { AssayError } from "../../core/errors.js";
import type { FileProblem, KeyPath, YamlTree } from "../../utils/files/yaml-tree.js";

/** An experiment file, read and checked: what is varied, and how. */
export interface Experiment {
  readonly file: string;
  readonly name: string;
  readonly description: string | null;
  /** The eval files; paths are absolute. */
  readonly evals: readonly string[];
  /** The variant that all others are held against. */
  readonly baseline: string;
  /** The places of an eval document at which variants may differ. */
  readonly vary: readonly PointerPath[];
  readonly variants: readonly Variant[];
  /** Trials of each stimulus, whatever the eval files say; null to leave it to them. */
  readonly runs: number | null;
  readonly notes: readonly string[];
}

/** One way of running the evals of an experiment. */
export interface Variant {
  readonly name: string;
  /** Eval files of its own, in the order of the experiment's; null for those. */
  readonly evals: readonly string[] | null;
  readonly settings: readonly Setting[];
  /** True when it is a combination of a matrix, and so has no place of its own in the file. */
  readonly isCombination: boolean;
}

/** A place of an eval document, and what is put there; null takes away what is there. */
export interface Setting {
  readonly path: PointerPath;
  readonly value: unknown;
}

/** An experiment that cannot be run as its file describes it: the message has a line for each problem. */
export class ExperimentError extends AssayError {
  readonly problems: readonly FileProblem[];

  constructor(file: string, problems: readonly FileProblem[], options: { cause?: unknown } = {}) {
    const sorted = [...problems].sort((a, b) => a.line - b.line || a.column - b.column);
    super("EXPERIMENT", sorted.map((problem) => lineOf(file, problem)).join("\n"), options);
    this.problems = sorted;
  }
}

function lineOf(file: string, { line, column, text }: FileProblem): string {
  return `${fromHere(file)}:${line}:${column}: ${text}`;
}

/** Something wrong in an experiment file, by the path of keys that leads to it. */
export interface Problem {
  readonly path: KeyPath;
  /** True when it is about the key that the path ends with, not about its value. */
  readonly isAtKey?: boolean;
  readonly text: string;
}

/** The problem with its place in the file. */
export function placed(tree: YamlTree, { path, isAtKey = false, text }: Problem): FileProblem {
  return { ...(isAtKey ? tree.placeOfKey(path) : tree.placeOf(path)), text };
}

/** Whether a value is keys with values, as a mapping of YAML is. */
export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * A path as messages name it: from the working folder on for what lies in it, as it is for all else.
 * @example
 * fromHere("/home/me/project/evals/eval.yaml"); // "evals/eval.yaml" in /home/me/project
 */
export function fromHere(path: string): string {
  const seen = relative(process.cwd(), path);
  const isOutside = seen === "" || seen === ".." || seen.startsWith(`..${sep}`) || isAbsolute(seen);
  return isOutside ? path : seen;
}

/** The keys on the way to a place in a document, from the outside in. Entries of lists are named by their number. */
export type PointerPath = readonly string[];

/** Why a setting cannot be made; the message goes on after the pointer. */
export class PointerError extends Error {}

/**
 * The keys of a JSON pointer.
 * @example
 * parsePointer("/environment/env/A~1B"); // ["environment", "env", "A/B"]
 */
export function parsePointer(pointer: string): PointerPath {
  if (pointer === "") return [];
  if (!pointer.startsWith("/")) throw new PointerError("does not begin with /: write it as /defaults/model");
  if (/~(?![01])/.test(pointer)) throw new PointerError("has a ~ that means nothing: write ~0 for ~ and ~1 for /");
  return pointer
    .slice(1)
    .split("/")
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The JSON pointer of a path; `parsePointer` reads it back. */
export function formatPointer(path: PointerPath): string {
  return path.map((key) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

/** Whether a place lies at or below another. */
export function isUnder(path: PointerPath, above: PointerPath): boolean {
  return above.length <= path.length && above.every((key, depth) => path[depth] === key);
}

/** What stands at a place; undefined when nothing does. */
export function valueAt(document: unknown, path: PointerPath): unknown {
  let value = document;
  for (const key of path) {
    if (Array.isArray(value)) value = isIndex(key) ? value[Number(key)] : undefined;
    else if (isMapping(value)) value = Object.hasOwn(value, key) ? value[key] : undefined;
    else return undefined;
  }
  return value;
}

/**
 * The document with another value at a place; the one given is left as it is. What is missing on the way is made, and
 * `-` or the number after the last adds to a list.
 */
export function withValue(document: unknown, path: PointerPath, value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const container = document ?? (isListStart(key) ? [] : {});
  if (Array.isArray(container)) return withEntry(container, key, { rest, value });
  if (!isMapping(container)) throw new PointerError(`leads through ${JSON.stringify(container)}, which holds no keys`);
  const before = Object.hasOwn(container, key) ? container[key] : undefined;
  return { ...container, [key]: withValue(before, rest, value) };
}

/** The document without what stands at a place; entries of a list move up. */
export function withoutValue(document: unknown, path: PointerPath): unknown {
  const [key, ...rest] = path;
  if (key === undefined || valueAt(document, path) === undefined) return document;
  if (rest.length > 0) return withValue(document, [key], withoutValue(valueAt(document, [key]), rest));
  if (Array.isArray(document)) return document.toSpliced(Number(key), 1);
  return Object.fromEntries(Object.entries(document as object).filter(([name]) => name !== key));
}

function withEntry(list: readonly unknown[], key: string, { rest, value }: { rest: PointerPath; value: unknown }) {
  const index = key === "-" ? list.length : isIndex(key) ? Number(key) : Number.NaN;
  if (Number.isNaN(index)) throw new PointerError(`names "${key}" in a list, whose entries have numbers from 0 up`);
  if (index > list.length)
    throw new PointerError(`names entry ${index} of a list that has ${list.length}: the next one is ${list.length}`);
  const entries = [...list];
  entries[index] = withValue(list[index], rest, value);
  return entries;
}

function isIndex(key: string): boolean {
  return /^(?:0|[1-9]\d{0,8})$/.test(key);
}

function isListStart(key: string): boolean {
  return key === "0" || key === "-";
}
