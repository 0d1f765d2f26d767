import { canonicalJson } from "../../core/index.js";

/** The keys that lead to a value in a document, outermost first. List entries are named by their index. */
export type PointerPath = readonly string[];

/** A setting that cannot be applied. The message continues after the pointer. */
export class PointerError extends Error {}

/**
 * Parses a JSON pointer into its keys.
 * @example
 * parsePointer("/environment/env/A~1B"); // ["environment", "env", "A/B"]
 */
export function parsePointer(pointer: string): PointerPath {
  if (pointer === "") return [];
  if (!pointer.startsWith("/")) throw new PointerError("does not begin with /: write it like /defaults/model");
  if (/~(?![01])/.test(pointer)) throw new PointerError("has an invalid ~: write ~0 for ~ and ~1 for /");
  return pointer
    .slice(1)
    .split("/")
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The inverse of `parsePointer`. */
export function formatPointer(path: PointerPath): string {
  return path.map((key) => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

export function isAtOrBelow(path: PointerPath, above: PointerPath): boolean {
  return above.length <= path.length && above.every((key, depth) => path[depth] === key);
}

/** Returns undefined if there is no value. */
export function getAtPointer(document: unknown, path: PointerPath): unknown {
  let value = document;
  for (const key of path) {
    if (Array.isArray(value)) value = isListIndex(key) ? value[Number(key)] : undefined;
    else if (isYamlMapping(value)) value = Object.hasOwn(value, key) ? value[key] : undefined;
    else return undefined;
  }
  return value;
}

/**
 * Returns a copy of the document with a value set. Creates missing mappings on the way; `-` or the index after the last
 * entry appends to a list.
 */
export function setAtPointer(document: unknown, path: PointerPath, value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  const container = document ?? (isFirstIndex(key) ? [] : {});
  if (Array.isArray(container)) return setListEntry(container, key, { rest, value });
  if (!isYamlMapping(container))
    throw new PointerError(`leads through ${JSON.stringify(container)}, which has no keys`);
  const before = Object.hasOwn(container, key) ? container[key] : undefined;
  return { ...container, [key]: setAtPointer(before, rest, value) };
}

/** Returns a copy of the document without a value; later list entries move up. */
export function removeAtPointer(document: unknown, path: PointerPath): unknown {
  const [key, ...rest] = path;
  if (key === undefined || getAtPointer(document, path) === undefined) return document;
  if (rest.length > 0) return setAtPointer(document, [key], removeAtPointer(getAtPointer(document, [key]), rest));
  if (Array.isArray(document)) return document.toSpliced(Number(key), 1);
  return Object.fromEntries(Object.entries(document as object).filter(([name]) => name !== key));
}

function setListEntry(list: readonly unknown[], key: string, { rest, value }: { rest: PointerPath; value: unknown }) {
  const index = key === "-" ? list.length : isListIndex(key) ? Number(key) : Number.NaN;
  if (Number.isNaN(index)) throw new PointerError(`names "${key}" in a list, whose entries are numbered from 0`);
  if (index > list.length)
    throw new PointerError(
      `names entry ${index} of a list with ${list.length} entries: the next one is ${list.length}`,
    );
  const entries = [...list];
  entries[index] = setAtPointer(list[index], rest, value);
  return entries;
}

function isListIndex(key: string): boolean {
  return /^(?:0|[1-9]\d{0,8})$/.test(key);
}

function isFirstIndex(key: string): boolean {
  return key === "0" || key === "-";
}

export function isYamlMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A path at which two documents differ; undefined means "absent". */
export interface DocumentDifference {
  readonly path: PointerPath;
  readonly before: unknown;
  readonly after: unknown;
}

/** Returns every innermost path at which two documents differ. */
export function findDifferences(before: unknown, after: unknown, path: PointerPath = []): DocumentDifference[] {
  if (isSameDocument(before, after)) return [];
  const keys = listComparableKeys(before, after);
  const inner =
    keys?.flatMap((key) => findDifferences(getEntry(before, key), getEntry(after, key), [...path, key])) ?? [];
  // An empty list instead of nothing is a difference that no entry shows.
  return inner.length > 0 ? inner : [{ path, before, after }];
}

/** Ignores the order of keys. */
export function isSameDocument(a: unknown, b: unknown): boolean {
  return a === b || (a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b));
}

/** Returns null when the two values cannot be compared key by key. */
function listComparableKeys(before: unknown, after: unknown): string[] | null {
  const [a, b] = [before ?? createEmptyLike(after), after ?? createEmptyLike(before)];
  if (Array.isArray(a) && Array.isArray(b))
    return Array.from({ length: Math.max(a.length, b.length) }, (_, i) => `${i}`);
  if (!isYamlMapping(a) || !isYamlMapping(b)) return null;
  return [...new Set([...Object.keys(a), ...Object.keys(b)])];
}

/** Treats an absent value as an empty one, so that each of its parts is listed as a difference. */
function createEmptyLike(other: unknown): unknown {
  return isYamlMapping(other) ? {} : Array.isArray(other) ? [] : null;
}

function getEntry(container: unknown, key: string): unknown {
  if (Array.isArray(container)) return container[Number(key)];
  return isYamlMapping(container) && Object.hasOwn(container, key) ? container[key] : undefined;
}
