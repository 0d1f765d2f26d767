import { canonicalJson } from "../../core/fingerprint.js";
import { isYamlMapping } from "./mapping.js";
import type { PointerPath } from "./pointer.js";

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
