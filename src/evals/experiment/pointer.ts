import { isMapping } from "./mapping.js";

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
