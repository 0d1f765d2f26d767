import { useEffect, useState } from "preact/hooks";

/** Where the reader is: `#/run/ID/rows?outcome=fail` is `["run", "ID", "rows"]` with `{ outcome: "fail" }`. */
export interface Route {
  readonly path: readonly string[];
  readonly query: Readonly<Record<string, string>>;
}

/**
 * Reads an address.
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

/** Values that are undefined or empty are left out of the address. */
export type RouteQuery = Readonly<Record<string, string | undefined>>;

/**
 * Writes an address, for `href`.
 * @example
 * buildAddress(["run", "a/b"], { outcome: "fail" }); // "#/run/a%2Fb?outcome=fail"
 */
export function buildAddress(path: readonly string[], query: RouteQuery = {}): string {
  const words = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]));
  const search = words.length === 0 ? "" : `?${new URLSearchParams(words)}`;
  return `#/${path.map(encodeURIComponent).join("/")}${search}`;
}

/** The address the page is at, followed as it changes. */
export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const follow = () => setHash(location.hash);
    addEventListener("hashchange", follow);
    // It may have changed between the first drawing and now.
    follow();
    return () => removeEventListener("hashchange", follow);
  }, []);
  return parseRoute(hash);
}

/** Goes to an address; the back button comes back from it. */
export function navigate(path: readonly string[], query: RouteQuery = {}): void {
  location.hash = buildAddress(path, query);
}

/** Changes words of the address in place: a filter that is typed letter by letter is one step back, not ten. */
export function updateQuery({ path, query }: Route, changes: RouteQuery): void {
  const address = buildAddress(path, { ...query, ...changes });
  if (address === location.hash) return;
  history.replaceState(null, "", address);
  dispatchEvent(new HashChangeEvent("hashchange"));
}
