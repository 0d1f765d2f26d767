import { useEffect, useState } from "preact/hooks";

/** `#/run/ID/rows?outcome=fail` is `["run", "ID", "rows"]` with `{ outcome: "fail" }`. */
export interface Route {
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

/**
 * Parses the hash of an address.
 * @example
 * parseRoute("#/run/a%2Fb?outcome=fail"); // { path: ["run", "a/b"], query: { outcome: "fail" } }
 */
export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  return {
    path: path.split("/").filter(Boolean).map(decodePart),
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Undefined and empty values are left out of the address. */
export type RouteQuery = Readonly<Record<string, string | undefined>>;

/**
 * Builds an address, for `href`.
 * @example
 * buildAddress(["run", "a/b"], { outcome: "fail" }); // "#/run/a%2Fb?outcome=fail"
 */
export function buildAddress(path: readonly string[], query: RouteQuery = {}): string {
  const words = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const search = words.length === 0 ? "" : `?${new URLSearchParams(words)}`;
  return `#/${path.map(encodeURIComponent).join("/")}${search}`;
}

/** The current route, updated when it changes. */
export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = () => setHash(location.hash);
    addEventListener("hashchange", follow);
    // It may have changed since the first render.
    follow();
    return () => removeEventListener("hashchange", follow);
  }, []);
  return parseRoute(hash);
}

/** Adds an entry to the history. */
export function navigate(path: readonly string[], query: RouteQuery = {}): void {
  location.hash = buildAddress(path, query);
}

/** Replaces the history entry: a filter typed letter by letter is one step back, not ten. */
export function updateQuery({ path, query }: Route, changes: RouteQuery): void {
  const address = buildAddress(path, { ...query, ...changes });
  if (address === location.hash) return;
  history.replaceState(null, "", address);
  dispatchEvent(new HashChangeEvent("hashchange"));
}
