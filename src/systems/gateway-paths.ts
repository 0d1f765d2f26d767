import type { ProviderName } from "../budget/index.js";
import { getOwn } from "../core/index.js";
import type { DialectName, GatewayDialectName } from "../models/index.js";

/** How the gateway serves each API format: under which provider, and the end of the path that it knows. */
const GATEWAY_PATHS: Readonly<Record<GatewayDialectName, { provider: ProviderName; path: RegExp }>> = {
  chat: { provider: "openai", path: /\/chat\/completions$/ },
  responses: { provider: "openai", path: /\/responses$/ },
  anthropic: { provider: "anthropic", path: /\/v1\/messages$/ },
  gemini: { provider: "google", path: /\/v1\w*\/models\/[^/:]+:\w+$/ },
};

interface SplitUrl {
  readonly provider: ProviderName;
  /** The part before the path of the API. */
  readonly upstream: string;
  /** With the query. */
  readonly path: string;
}

export function splitCallUrl(url: string, dialect: DialectName): SplitUrl | null {
  const known = getOwn<(typeof GATEWAY_PATHS)[GatewayDialectName]>(GATEWAY_PATHS, dialect);
  if (known === undefined) return null;
  const { provider, path } = known;
  const { origin, pathname, search } = new URL(url);
  const found = path.exec(pathname)?.[0];
  if (found === undefined) return null;
  return { provider, upstream: origin + pathname.slice(0, -found.length), path: found + search };
}

/** True if the gateway knows the path of this URL, so that it can inject faults into its calls. */
export function canInjectFaults(url: string, dialect: DialectName): boolean {
  return splitCallUrl(url, dialect) !== null;
}
