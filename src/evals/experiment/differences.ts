import { canonicalJson } from "../../core/fingerprint.js";
import { isMapping } from "./mapping.js";
import type { PointerPath } from "./pointer.js";

/** A path at which two documents differ; undefined means "absent". */
export interface Difference {
  readonly path: PointerPath;
  readonly before: unknown;
  readonly after: unknown;
}

/** Returns every innermost path at which two documents differ. */
export function differencesOf(before: unknown, after: unknown, path: PointerPath = []): Difference[] {
  if (isSame(before, after)) return [];
  const keys = keysOf(before, after);
  const inner = keys?.flatMap((key) => differencesOf(entry(before, key), entry(after, key), [...path, key])) ?? [];
  // An empty list instead of nothing is a difference that no entry shows.
  return inner.length > 0 ? inner : [{ path, before, after }];
}

/** Ignores the order of keys. */
export function isSame(a: unknown, b: unknown): boolean {
  return a === b || (a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b));
}

/** Returns null when the two values cannot be compared key by key. */
function keysOf(before: unknown, after: unknown): string[] | null {
  const [a, b] = [before ?? emptyLike(after), after ?? emptyLike(before)];
  if (Array.isArray(a) && Array.isArray(b))
    return Array.from({ length: Math.max(a.length, b.length) }, (_, i) => `${i}`);
  if (!isMapping(a) || !isMapping(b)) return null;
  return [...new Set([...Object.keys(a), ...Object.keys(b)])];
}

/** Treats an absent value as an empty one, so that each of its parts is listed as a difference. */
function emptyLike(other: unknown): unknown {
  return isMapping(other) ? {} : Array.isArray(other) ? [] : null;
}

function entry(container: unknown, key: string): unknown {
  if (Array.isArray(container)) return container[Number(key)];
  return isMapping(container) && Object.hasOwn(container, key) ? container[key] : undefined;
}
