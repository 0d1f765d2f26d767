import { timingSafeEqual } from "node:crypto";
import type { GatewayDialectName } from "../../models/index.js";
import { encodePath, normalizePath, stripPathQuery } from "./path.js";
import { type GatewayProvider, PROVIDERS } from "./provider.js";

/**
 * What a path leads to. A model's `answer` and an `embedding` are metered; a `count` of tokens and a `list` of models are
 * free; the cost of `unmetered` requests is unknown.
 */
export type RouteKind = "answer" | "embedding" | "count" | "list" | "unmetered";

/** Where a request goes and how it is metered. */
export interface Route {
  readonly provider: GatewayProvider;
  readonly kind: RouteKind;
  /** The dialect of the answers, or at least of the errors. */
  readonly dialect: GatewayDialectName;
  /** The normalized path below the upstream URL. The client's own spelling is never forwarded. */
  readonly path: string;
  /** As sent by the client, with its question mark; "" for none. */
  readonly query: string;
  /** The model, if the path names it. */
  readonly model: string | null;
}

interface RouteRule {
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly kind: RouteKind;
  /** Default: the provider's dialect. */
  readonly dialect?: GatewayDialectName;
}

/** All known paths, with `*` for a model name. Paths not listed here are unmetered. */
const ROUTE_RULES: readonly RouteRule[] = [
  { method: "POST", path: "/chat/completions", kind: "answer", dialect: "chat" },
  { method: "POST", path: "/completions", kind: "answer", dialect: "chat" },
  { method: "POST", path: "/embeddings", kind: "embedding", dialect: "chat" },
  { method: "POST", path: "/responses", kind: "answer", dialect: "responses" },
  { method: "POST", path: "/responses/compact", kind: "answer", dialect: "responses" },
  { method: "POST", path: "/responses/input_tokens", kind: "count", dialect: "responses" },
  { method: "POST", path: "/messages", kind: "answer", dialect: "anthropic" },
  { method: "POST", path: "/messages/count_tokens", kind: "count", dialect: "anthropic" },
  { method: "POST", path: "/models/*:generateContent", kind: "answer", dialect: "gemini" },
  { method: "POST", path: "/models/*:streamGenerateContent", kind: "answer", dialect: "gemini" },
  { method: "POST", path: "/models/*:countTokens", kind: "count", dialect: "gemini" },
  { method: "GET", path: "", kind: "list" },
  { method: "GET", path: "/models", kind: "list" },
  { method: "GET", path: "/models/*", kind: "list" },
];

/** A version, and Google's prefix for its OpenAI-compatible paths. */
const PREFIX = "((?:/v\\d[\\w.]*)?(?:/openai)?)";

/** Case-insensitive because some servers are; the request is forwarded with the listed spelling. */
const PATTERNS = ROUTE_RULES.map(
  (rule) => [rule, new RegExp(`^${PREFIX}${rule.path.replace("*", "([^/:]+)")}$`, "i")] as const,
);

/** Matches the gateway's paths, which begin with a secret, so that only programs that know it can spend money. */
export class RouteTable {
  readonly #secret: Buffer;

  constructor(token: string) {
    this.#secret = Buffer.from(`/${token}/`);
  }

  /** Null unless the URL begins with the secret and a provider's name. */
  find(method: string, url: string): Route | null {
    const below = this.#stripSecret(url);
    if (below === null) return null;
    for (const provider of Object.values(PROVIDERS)) {
      const rest = below.slice(provider.name.length + 1);
      if (below.startsWith(`/${provider.name}`) && /^(?:$|[/?])/.test(rest)) return matchRoute(provider, method, rest);
    }
    return null;
  }

  /** The call whose usage is requested; null for all other paths. */
  findCall(url: string): string | null {
    const below = this.#stripSecret(url);
    return below === null ? null : (/^\/calls\/(\d{1,15})$/.exec(below)?.[1] ?? null);
  }

  /** The path of a call's usage. */
  formatCallPath(call: string): string {
    return `${this.#secret.toString()}calls/${call}`;
  }

  #stripSecret(url: string): string | null {
    const { length } = this.#secret;
    const start = Buffer.from(url.slice(0, length));
    return start.length === length && timingSafeEqual(start, this.#secret) ? url.slice(length - 1) : null;
  }
}

function matchRoute(provider: GatewayProvider, method: string, rest: string): Route {
  const raw = stripPathQuery(rest);
  const query = rest.slice(raw.length);
  const path = stripApiVersion(provider, normalizePath(raw));
  const wanted = method === "HEAD" ? "GET" : method;
  for (const [rule, pattern] of PATTERNS) {
    const found = rule.method === wanted ? pattern.exec(path) : null;
    if (found === null) continue;
    const [, prefix = "", model = null] = found;
    return {
      provider,
      kind: rule.kind,
      dialect: rule.dialect ?? provider.dialect,
      path: addApiVersion(provider, prefix.toLowerCase(), rule) + fillModelName(rule.path, model ?? ""),
      query,
      model,
    };
  }
  return { provider, kind: "unmetered", dialect: provider.dialect, path: encodePath(path), query, model: null };
}

/** True for the paths of Amazon Bedrock's runtime, below any provider. */
export function isBedrockRoute({ kind, path }: Route): boolean {
  return kind === "unmetered" && /^(?:\/v\d\w*)?\/model\/[^/]+(?:\/[^/]+)*\/(?:converse|invoke)[a-z-]*$/.test(path);
}

/** Clients disagree on whether the version belongs to the base URL or to the path, so both are accepted. */
function stripApiVersion({ version, versionInBase }: GatewayProvider, path: string): string {
  const [, first = ""] = path.toLowerCase().split("/");
  return versionInBase && `/${first}` === version ? path.slice(version.length) : path;
}

function addApiVersion({ version, versionInBase }: GatewayProvider, prefix: string, { path }: RouteRule): string {
  return prefix === "" && path !== "" && !versionInBase ? version : prefix;
}

function fillModelName(path: string, model: string): string {
  return path.replace("*", () => encodeURIComponent(model));
}

export function replaceModelInPath({ path, model }: Route, other: string): string {
  return model === null ? path : path.replace(/[^/:]+(?=(?::\w+)?$)/, () => encodeURIComponent(other));
}
