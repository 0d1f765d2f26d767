import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { isForeignKey, type Provider } from "./provider.js";
import { keysInQuery } from "./query.js";
import type { Upstream } from "./upstream.js";

/** Of one connection only: they are made anew for the next. */
const HOP_BY_HOP = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/** Of the client's own request, and wrong once it goes elsewhere. */
const OF_CLIENT = ["host", "expect"];

/** Some servers take these for the method or the path, in place of those that were looked up. */
const OVERRIDES = ["x-http-method", "x-http-method-override", "x-method-override", "x-original-url", "x-rewrite-url"];

function pairsOf({ rawHeaders }: IncomingMessage): [name: string, value: string][] {
  const pairs: [string, string][] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) pairs.push([rawHeaders[i] ?? "", rawHeaders[i + 1] ?? ""]);
  return pairs;
}

/** The headers that end here: those of the connection, and those it names itself. */
function endingHere({ headers }: IncomingMessage, more: readonly string[]): Set<string> {
  const named = headers.connection?.toLowerCase().split(/\s*,\s*/) ?? [];
  return new Set([...HOP_BY_HOP, ...more, ...named]);
}

/** What goes on to the upstream. */
export function requestHeaders(request: IncomingMessage, upstream: Upstream): OutgoingHttpHeaders {
  const { provider, key, replacesKey } = upstream;
  const dropped = endingHere(request, [...OF_CLIENT, ...OVERRIDES, ...(replacesKey ? provider.keyHeaders : [])]);
  const headers: Record<string, string[]> = {};
  for (const [rawName, value] of pairsOf(request)) {
    const name = rawName.toLowerCase();
    if (dropped.has(name) || isForeignKey(provider, name)) continue;
    const known = headers[name];
    if (known === undefined) headers[name] = [value];
    else known.push(value);
  }
  if (key !== null && (replacesKey || !hasKey(request, provider)))
    headers[provider.keyHeaders[0] ?? ""] = [provider.keyPrefix + key];
  return headers;
}

function hasKey({ headers, url }: IncomingMessage, { name, keyHeaders }: Provider): boolean {
  if (keyHeaders.some((header) => headers[header] !== undefined)) return true;
  return name === "google" && keysInQuery(url ?? "").length > 0;
}

/** What goes back to the client: as it came, spelling and order included. */
export function answerHeaders(answer: IncomingMessage, more: readonly string[] = []): string[] {
  const dropped = endingHere(answer, more);
  return pairsOf(answer)
    .filter(([name]) => !dropped.has(name.toLowerCase()))
    .flat();
}
