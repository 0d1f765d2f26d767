import {
  type ClientRequest,
  Agent as HttpAgent,
  type OutgoingHttpHeaders,
  type RequestOptions,
  request as requestHttp,
} from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { UsageError } from "../../core/errors.js";
import { isLoopback } from "../../core/loopback.js";
import type { Price } from "../../core/price.js";
import type { DialectName } from "../../models/dialects/dialect.js";
import { requireSafeEndpoint } from "../../models/http/endpoint.js";
import { bundledPrice } from "../bundled-prices.js";
import { withoutKeys } from "./path.js";
import { isCoveredByUsual, tierName } from "./request-meter.js";

export const PROVIDER_NAMES = ["openai", "anthropic", "google"] as const;

/** Whose clients the gateway takes requests from. Each has its own path and its own upstream. */
export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** What is particular to the clients of one provider. */
export interface Provider {
  readonly name: ProviderName;
  /** Below the token: where the provider's clients are pointed at. */
  readonly mount: string;
  /** Where requests go unless told otherwise. */
  readonly upstream: string;
  /** The part of a client's path that stands for the version, when the upstream's own URL ends in it as well. */
  readonly version: string;
  /** True when the upstream's URL ends in the version, so that it is not sent again. */
  readonly versionInBase: boolean;
  /** Headers of which one carries the client's key. The first is the one that a key is added in. */
  readonly keyHeaders: readonly string[];
  /** Before the key in its header. */
  readonly keyPrefix: string;
  /** Where the key is found when a client sends none. */
  readonly keyVariables: readonly string[];
  /** The dialect of errors on paths that have none. */
  readonly dialect: DialectName;
}

export const PROVIDERS: Readonly<Record<ProviderName, Provider>> = {
  openai: {
    name: "openai",
    mount: "/openai/v1",
    upstream: "https://api.openai.com/v1",
    version: "/v1",
    versionInBase: true,
    keyHeaders: ["authorization"],
    keyPrefix: "Bearer ",
    keyVariables: ["OPENAI_API_KEY"],
    dialect: "chat",
  },
  anthropic: {
    name: "anthropic",
    mount: "/anthropic",
    upstream: "https://api.anthropic.com",
    version: "/v1",
    versionInBase: false,
    keyHeaders: ["x-api-key", "authorization"],
    keyPrefix: "",
    keyVariables: ["ANTHROPIC_API_KEY"],
    dialect: "anthropic",
  },
  google: {
    name: "google",
    mount: "/google",
    upstream: "https://generativelanguage.googleapis.com",
    version: "/v1beta",
    versionInBase: false,
    keyHeaders: ["x-goog-api-key", "authorization"],
    keyPrefix: "",
    keyVariables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    dialect: "gemini",
  },
};

/** Headers that carry one provider's key and mean nothing to another: they are not sent there. */
const KEY_HEADERS_OF_ONE = new Set(["x-api-key", "x-goog-api-key"]);

/** True for a header with a key that belongs to another provider. */
export function isForeignKey({ keyHeaders }: Provider, header: string): boolean {
  return KEY_HEADERS_OF_ONE.has(header) && !keyHeaders.includes(header);
}

/** What a model costs; null when nobody knows. */
export type PriceOf = (model: string, dialect: DialectName) => Price | null | Promise<Price | null>;

export interface PriceBookOptions {
  /** Looked at first, by the model's name. */
  readonly prices?: ReadonlyMap<string, Price> | undefined;
  /** Instead of the bundled table. */
  readonly priceOf?: PriceOf | undefined;
}

/** Whose price is wanted. */
export interface PriceWanted {
  readonly model: string;
  /** Null for the usual one. */
  readonly tier: string | null;
  readonly dialect: DialectName;
  readonly upstream: Upstream;
}

/** Finds prices, each once, however many requests want to know it at the same time. */
export class PriceBook {
  readonly #options: PriceBookOptions;
  readonly #known = new Map<string, Promise<Price | null>>();

  constructor(options: PriceBookOptions) {
    this.#options = options;
  }

  /** A tier has the price that is listed under its own name. Without one it costs the usual price if that is enough. */
  find(wanted: PriceWanted): Promise<Price | null> {
    const { model, tier, dialect, upstream } = wanted;
    const key = `${upstream.provider.name} ${dialect} ${tierName(model, tier)}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const price = this.#look(wanted);
    this.#known.set(key, price);
    // The next request may have more luck.
    price.catch(() => this.#known.delete(key));
    return price;
  }

  async #look({ model, tier, dialect, upstream }: PriceWanted): Promise<Price | null> {
    const { prices, priceOf = () => bundled(model, upstream) } = this.#options;
    const own = prices?.get(tierName(model, tier));
    if (own !== undefined) return own;
    return isCoveredByUsual(tier) ? (prices?.get(model) ?? priceOf(model, dialect)) : null;
  }
}

/** A known name at an unknown address may be sold at any price; one on this machine stands for the provider's. */
function bundled(model: string, { provider, url, isProviders }: Upstream): Promise<Price | null> {
  return bundledPrice(isProviders ? { model, provider: provider.name } : { model, baseUrl: url });
}

export interface UpstreamOptions {
  readonly provider: Provider;
  /** Instead of the provider's own. */
  readonly url?: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** Sent in place of the clients' keys; empty for none at all. */
  readonly key?: string | undefined;
  /** Lets keys travel over plain http to another machine. */
  readonly allowInsecure: boolean;
}

export interface UpstreamRequest {
  readonly method: string;
  /** Below the upstream's URL, with the query; "" for the URL itself. */
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
}

/**
 * Connections that nobody uses are closed sooner than by any server that is known, most of which wait for 5 seconds or
 * more: a request on a connection that is being closed at the other end fails, and nobody can say whether it was received.
 */
const MAX_IDLE_MS = 4000;

/** Where one provider's requests go, over connections that are kept. */
export class Upstream {
  readonly provider: Provider;
  readonly url: string;
  /** For messages: host and port. */
  readonly host: string;
  /** True for the provider's own address, and for this machine: there the provider's names, prices and key hold. */
  readonly isProviders: boolean;
  /** Added to requests that have none, or put in the place of theirs. */
  readonly key: string | null;
  /** True when no key of a client goes on. */
  readonly replacesKey: boolean;
  readonly #options: RequestOptions;
  readonly #basePath: string;
  readonly #isSecure: boolean;
  readonly #agent: HttpAgent;

  constructor({ provider, url = provider.upstream, env, key, allowInsecure }: UpstreamOptions) {
    // Clients send a key with nearly every request.
    const parsed = requireSafeEndpoint({ url, hasKey: true, allowInsecure });
    const keep = { keepAlive: true, maxFreeSockets: 65_536, timeout: MAX_IDLE_MS };
    this.provider = provider;
    this.url = url;
    this.host = parsed.host;
    this.isProviders = parsed.host === new URL(provider.upstream).host || isLoopback(parsed.hostname);
    this.replacesKey = key !== undefined;
    if (key !== undefined) this.key = givenKey(key, provider);
    else this.key = this.isProviders ? keyIn(env, provider) : null;
    this.#isSecure = parsed.protocol === "https:";
    this.#agent = this.#isSecure ? new HttpsAgent(keep) : new HttpAgent(keep);
    this.#basePath = basePath(parsed, provider);
    this.#options = { host: parsed.hostname.replace(/^\[|\]$/g, ""), port: parsed.port || (this.#isSecure ? 443 : 80) };
  }

  /** Begins a request; its body is still to be written. */
  request({ method, path, headers }: UpstreamRequest): ClientRequest {
    const full = this.#basePath + (this.#hidesKeysInPath ? withoutKeys(path) : path);
    const options: RequestOptions = {
      ...this.#options,
      method,
      path: full.startsWith("/") ? full : `/${full}`,
      headers,
      agent: this.#agent,
    };
    return this.#isSecure ? requestHttps(options) : requestHttp(options);
  }

  get #hidesKeysInPath(): boolean {
    return this.replacesKey && this.provider.name === "google";
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** A key read from a file often ends with a line feed. */
function givenKey(key: string, { name }: Provider): string | null {
  const trimmed = key.trim();
  if (/^[\x21-\x7e]*$/.test(trimmed)) return trimmed === "" ? null : trimmed;
  throw new UsageError(`The key for ${name} holds characters that no key has, such as spaces. Copy it again.`);
}

function keyIn(env: NodeJS.ProcessEnv, { keyVariables }: Provider): string | null {
  return keyVariables.map((name) => env[name]).find((value) => value !== undefined && value !== "") ?? null;
}

/** Clients of most providers send the version themselves: one at the end of the URL would be there twice. */
function basePath({ pathname }: URL, { version, versionInBase }: Provider): string {
  const path = pathname.replace(/\/+$/, "");
  return !versionInBase && path.endsWith(version) ? path.slice(0, -version.length) : path;
}
