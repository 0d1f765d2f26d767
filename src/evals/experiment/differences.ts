import { canonicalJson } from "../../core/fingerprint.js";
import { isMapping } from "./mapping.js";
import type { PointerPath } from "./pointer.js";

/** A place at which two documents are not the same; undefined is "not there". */
export interface Difference {
  readonly path: PointerPath;
  readonly before: unknown;
  readonly after: unknown;
}

/** Every innermost place at which two documents differ. */
export function differencesOf(before: unknown, after: unknown, path: PointerPath = []): Difference[] {
  if (isSame(before, after)) return [];
  const keys = keysOf(before, after);
  const inner = keys?.flatMap((key) => differencesOf(entry(before, key), entry(after, key), [...path, key])) ?? [];
  // An empty list in the place of nothing is a difference that none of its entries shows.
  return inner.length > 0 ? inner : [{ path, before, after }];
}

/** Whether two documents say the same, whatever the order of their keys. */
export function isSame(a: unknown, b: unknown): boolean {
  return a === b || (a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b));
}

/** The keys of both; null when the two cannot be held against each other key by key. */
function keysOf(before: unknown, after: unknown): string[] | null {
  const [a, b] = [before ?? emptyLike(after), after ?? emptyLike(before)];
  if (Array.isArray(a) && Array.isArray(b))
    return Array.from({ length: Math.max(a.length, b.length) }, (_, i) => `${i}`);
  if (!isMapping(a) || !isMapping(b)) return null;
  return [...new Set([...Object.keys(a), ...Object.keys(b)])];
}

/** What is not there is looked at as if it were there and empty, so that each of its parts is named. */
function emptyLike(other: unknown): unknown {
  return isMapping(other) ? {} : Array.isArray(other) ? [] : null;
}

function entry(container: unknown, key: string): unknown {
  if (Array.isArray(container)) return container[Number(key)];
  return isMapping(container) && Object.hasOwn(container, key) ? container[key] : undefined;
}
