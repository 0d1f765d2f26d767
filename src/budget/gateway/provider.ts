import { Agent as HttpAgent, type IncomingMessage, type OutgoingHttpHeaders, request as requestHttp } from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import type { Price } from "../../core/index.js";
import { isLoopback, selectServicePrice, UsageError } from "../../core/index.js";
import type {
  GatewayDialectName,
  Transport,
  TransportAnswer,
  TransportRequest,
  WrapTransport,
} from "../../models/index.js";
import { requireSafeEndpoint } from "../../models/index.js";
import { findPrice } from "../bundled-prices.js";
import { stripQueryKeys } from "./path.js";
import { UnsendableRequestError } from "./refusal.js";
import { formatTierName, isCoveredByStandardPrice } from "./request-meter.js";

export const PROVIDER_NAMES = ["openai", "anthropic", "google"] as const;

/** Providers whose clients the gateway serves. Each has its own path and upstream. */
export type ProviderName = (typeof PROVIDER_NAMES)[number];

/** What is specific to the clients of one provider. */
export interface GatewayProvider {
  readonly name: ProviderName;
  /** The provider's path below the secret. */
  readonly mount: string;
  /** The default upstream URL. */
  readonly upstream: string;
  /** The version segment of a client's path that the upstream URL may end with as well. */
  readonly version: string;
  /** True when the upstream URL ends with the version, so that it is not added again. */
  readonly versionInBase: boolean;
  /** Headers that may carry the client's key. A key is added in the first one. */
  readonly keyHeaders: readonly string[];
  /** Prefix of the key in its header. */
  readonly keyPrefix: string;
  /** Environment variables with the key to use when a client sends none. */
  readonly keyVariables: readonly string[];
  /** The dialect of errors on paths that have no dialect. */
  readonly dialect: GatewayDialectName;
}

export const PROVIDERS: Readonly<Record<ProviderName, GatewayProvider>> = {
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

/** Headers that carry one provider's key and must not be sent to another. */
const EXCLUSIVE_KEY_HEADERS = new Set(["x-api-key", "x-goog-api-key"]);

/** True for a header with another provider's key. */
export function isForeignKey({ keyHeaders }: GatewayProvider, header: string): boolean {
  return EXCLUSIVE_KEY_HEADERS.has(header) && !keyHeaders.includes(header);
}

/** Looks up the price of a model; null when it is unknown. */
export type PriceLookup = (model: string, dialect: GatewayDialectName) => Price | null | Promise<Price | null>;

export interface PriceResolverOptions {
  /** Checked first, by model name. */
  readonly prices?: ReadonlyMap<string, Price> | undefined;
  /** Used instead of the bundled table. */
  readonly priceOf?: PriceLookup | undefined;
}

export interface ModelPriceQuery {
  readonly model: string;
  /** Null for the standard tier. */
  readonly tier: string | null;
  readonly dialect: GatewayDialectName;
  readonly upstream: Upstream;
}

/** Looks up each price once, even for concurrent requests. */
export class PriceResolver {
  readonly #options: PriceResolverOptions;
  readonly #known = new Map<string, Promise<Price | null>>();

  constructor(options: PriceResolverOptions) {
    this.#options = options;
  }

  /** A tier has the price listed under its own name, or its price of the model. Otherwise the standard price applies if it covers the tier. */
  find(wanted: ModelPriceQuery): Promise<Price | null> {
    const { model, tier, dialect, upstream } = wanted;
    const key = `${upstream.provider.name} ${dialect} ${formatTierName(model, tier)}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const price = this.#resolve(wanted);
    this.#known.set(key, price);
    // Lets the next request try again.
    price.catch(() => this.#known.delete(key));
    return price;
  }

  async #resolve({ model, tier, dialect, upstream }: ModelPriceQuery): Promise<Price | null> {
    const { prices, priceOf = () => findUpstreamPrice(model, upstream) } = this.#options;
    const own = prices?.get(formatTierName(model, tier));
    if (own !== undefined) return own;
    const standard = prices?.get(model) ?? (await priceOf(model, dialect));
    const inTier = standard === null || tier === null ? null : selectServicePrice(standard, tier);
    return inTier ?? (isCoveredByStandardPrice(tier) ? standard : null);
  }
}

/** A known model name at an unknown URL may have any price; on this machine it gets the provider's price. */
function findUpstreamPrice(model: string, { provider, url, isProviders }: Upstream): Promise<Price | null> {
  return findPrice(isProviders ? { model, provider: provider.name } : { model, baseUrl: url });
}

export interface UpstreamOptions {
  readonly provider: GatewayProvider;
  /** Default: the provider's own URL. */
  readonly url?: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  /** Replaces the clients' keys; empty to send none. */
  readonly key?: string | undefined;
  /** Allows sending keys over plain http to another machine. */
  readonly allowInsecure: boolean;
  /** Puts something between the gateway and the network. */
  readonly wrap?: WrapTransport | undefined;
}

export interface UpstreamRequest {
  readonly method: string;
  /** Below the upstream URL, with the query; "" for the URL itself. */
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
}

/** How a request is sent. */
type SendOptions = Pick<TransportRequest, "body" | "signal" | "onSent">;

/**
 * Idle connections are closed sooner than by any known server, most of which wait 5 seconds or more: a request on a
 * connection that the server is closing fails, and it is unknown whether it was received.
 */
const MAX_IDLE_MS = 4000;

/** Sends one provider's requests over keep-alive connections. */
export class Upstream {
  readonly provider: GatewayProvider;
  readonly url: string;
  /** Host and port, for messages. */
  readonly host: string;
  /** True for the provider's own URL and for this machine: the provider's model names, prices and key apply there. */
  readonly isProviders: boolean;
  /** Added to requests without a key, or replaces theirs. */
  readonly key: string | null;
  /** True when clients' keys are not forwarded. */
  readonly replacesKey: boolean;
  readonly #origin: string;
  readonly #basePath: string;
  readonly #network: KeepAliveNetwork;
  readonly #transport: Transport;

  constructor({ provider, url = provider.upstream, env, key, allowInsecure, wrap }: UpstreamOptions) {
    const parsed = requireSafeEndpoint({ url, hasKey: true, allowInsecure });
    this.provider = provider;
    this.url = url;
    this.host = parsed.host;
    this.isProviders = parsed.host === new URL(provider.upstream).host || isLoopback(parsed.hostname);
    this.replacesKey = key !== undefined;
    if (key !== undefined) this.key = requireUsableKey(key, provider);
    else this.key = this.isProviders ? readProviderKey(env, provider) : null;
    this.#origin = parsed.origin;
    this.#basePath = buildBasePath(parsed, provider);
    this.#network = new KeepAliveNetwork(parsed.protocol === "https:");
    this.#transport = wrap?.(this.#network) ?? this.#network;
  }

  /** Resolves with the headers of the answer. */
  async send({ method, path, headers }: UpstreamRequest, options: SendOptions): Promise<TransportAnswer> {
    const full = this.#basePath + (this.#hidesKeysInPath ? stripQueryKeys(path) : path);
    const place = { origin: this.#origin, path: full.startsWith("/") ? full : `/${full}` };
    return this.#transport.send({ ...options, ...place, method, headers });
  }

  get #hidesKeysInPath(): boolean {
    return this.replacesKey && this.provider.name === "google";
  }

  close(): void {
    this.#network.close();
  }
}

/** Sends over connections that stay open for a while. */
class KeepAliveNetwork implements Transport {
  readonly #agent: HttpAgent;
  readonly #request: typeof requestHttp;

  constructor(isSecure: boolean) {
    const keep = { keepAlive: true, maxFreeSockets: 65_536, timeout: MAX_IDLE_MS };
    this.#agent = isSecure ? new HttpsAgent(keep) : new HttpAgent(keep);
    this.#request = isSecure ? requestHttps : requestHttp;
  }

  send({ method, origin, path, headers, body, signal, onSent }: TransportRequest): Promise<TransportAnswer> {
    return new Promise((resolve, reject) => {
      try {
        const { hostname, port } = new URL(origin);
        const host = hostname.replace(/^\[|\]$/g, "");
        const sent = this.#request({ host, port, path, method, headers, agent: this.#agent });
        const abort = () => sent.destroy();
        signal.addEventListener("abort", abort);
        sent.on("close", () => signal.removeEventListener("abort", abort));
        sent.on("finish", () => onSent?.());
        sent.on("response", (answer) => resolve(toTransportAnswer(answer)));
        sent.on("error", reject);
        if (body === null || typeof body === "string" || Buffer.isBuffer(body)) sent.end(body ?? undefined);
        else body.pipe(sent);
      } catch (cause) {
        reject(new UnsendableRequestError(cause));
      }
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

function toTransportAnswer(answer: IncomingMessage): TransportAnswer {
  const { statusCode = 502, statusMessage = "", headers, rawHeaders } = answer;
  return { status: statusCode, statusText: statusMessage, headers, rawHeaders, body: answer };
}

/** A key read from a file often ends with a newline. */
function requireUsableKey(key: string, { name }: GatewayProvider): string | null {
  const trimmed = key.trim();
  if (/^[\x21-\x7e]*$/.test(trimmed)) return trimmed === "" ? null : trimmed;
  throw new UsageError(
    `The key for ${name} contains characters that are not allowed in keys, such as spaces. Copy it again.`,
  );
}

function readProviderKey(env: NodeJS.ProcessEnv, { keyVariables }: GatewayProvider): string | null {
  return keyVariables.map((name) => env[name]).find((value) => value !== undefined && value !== "") ?? null;
}

/** Clients of most providers send the version themselves, so one at the end of the URL would appear twice. */
function buildBasePath({ pathname }: URL, { version, versionInBase }: GatewayProvider): string {
  const path = pathname.replace(/\/+$/, "");
  return !versionInBase && path.endsWith(version) ? path.slice(0, -version.length) : path;
}
