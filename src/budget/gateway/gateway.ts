import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { FaultSource, Price, Tokenizer } from "../../core/index.js";
import { didYouMean, getErrorMessage, isLoopback, UsageError } from "../../core/index.js";
import { loadTokenizer, type WrapTransport } from "../../models/index.js";
import { type GatewayBudget, GatewayLedger, type GatewayTotal, UsageAccounts } from "./ledger.js";
import { PROVIDER_NAMES, PROVIDERS, type PriceLookup, PriceResolver, type ProviderName, Upstream } from "./provider.js";
import type { GatewayRequest, Receipt } from "./receipt.js";
import { RequestHandler } from "./request-handler.js";
import { RouteTable } from "./route.js";
import type { TrafficObserver } from "./traffic-observer.js";

/** Time until an upstream starts to answer. Answers that are not streamed take minutes. */
const HEADERS_TIMEOUT_MS = 600_000;

/** Longer than clients keep their connections, so that none is closed just when it is reused. */
const KEEP_ALIVE_MS = 120_000;

/** A thousand clients may connect at once; with the default backlog, some would retry only after a second. */
const MAX_BACKLOG = 4096;

/** Options of `startGateway`. */
export interface GatewayOptions {
  /** Limit for all requests together. Default: no limit, requests are only counted. */
  readonly budget?: GatewayBudget;
  /** URLs to use instead of the providers' own. */
  readonly upstreams?: Readonly<Partial<Record<ProviderName, string>>>;
  /** Maps requested models to the models used instead. */
  readonly modelMap?: Readonly<Record<string, string>>;
  /** Called once for each call to a model, after `modelMap`: returns the model that answers it. */
  readonly selectModel?: (model: string) => string;
  /** Prices by model name, after `modelMap`; other models are looked up with `priceOf`. */
  readonly prices?: ReadonlyMap<string, Price>;
  /** Looks up the price of a model. Default: the bundled price table. */
  readonly priceOf?: PriceLookup;
  /** A loopback address. */
  readonly host?: "127.0.0.1" | "::1";
  /** Default: a free port. */
  readonly port?: number;
  /** Counts the text of answers until the provider reports usage. */
  readonly tokenizer?: Tokenizer;
  /** Called once when the budget is exceeded, after every open answer was cut off. */
  readonly onExceeded?: () => void;
  /**
   * Keys that replace the clients' keys, each sent only to its provider's upstream. Programs can then run with a placeholder
   * and never see the real key. An empty string means that no key is sent.
   */
  readonly keys?: Readonly<Partial<Record<ProviderName, string>>>;
  /**
   * Called whenever the total changes, with every event of every stream, and when an answer ends; `total()` returns the new
   * total. When a limit was exceeded, every open answer is cut off by the last of these calls.
   */
  readonly onSpend?: () => void;
  /** Called for every request when it ends. */
  readonly onRequest?: (request: GatewayRequest) => void;
  /** Time from a request to the headers of its answer. Default: 10 minutes. */
  readonly headersTimeoutMs?: number;
  /** Allows sending keys over plain http to another machine. */
  readonly allowInsecure?: boolean;
  /**
   * Forwards requests that cannot be metered, such as images and batches, even when there is a dollar limit. Their cost is
   * not in the receipt and the limit does not apply to them.
   */
  readonly allowUnmetered?: boolean;
  /** Faults to inject into model calls. A call that does not reach the upstream costs nothing. */
  readonly faults?: FaultSource;
  /** Follows the contents of model calls. */
  readonly observer?: TrafficObserver;
  /** Puts something between the gateway and the network, such as a recorder. */
  readonly wrap?: WrapTransport;
  /** Environment with the keys to use when clients send none. */
  readonly env?: NodeJS.ProcessEnv;
  readonly now?: () => number;
  /** Milliseconds since 1970, for `startedAt` of requests. */
  readonly wallClock?: () => number;
  /** The secret in the URL path. */
  readonly token?: string;
}

/** A local endpoint that meters every model behind it. */
export interface Gateway {
  /** Includes the secret; the providers' paths are below it. */
  readonly url: string;
  /** Environment variables that make a program use the gateway. */
  readonly env: Readonly<Record<string, string>>;
  /** What has happened so far, including answers still in progress. */
  receipt(): Receipt;
  /** The total of the receipt, without computing the whole receipt. */
  total(): GatewayTotal;
  close(): Promise<void>;
}

/**
 * Starts a metering endpoint for programs in any language: requests are forwarded to the real providers until the budget
 * is spent.
 * @example
 * const gateway = await startGateway({ budget: { maxCostUsd: 0.3 } });
 * spawn("my-program", { env: { ...process.env, ...gateway.env } });
 */
export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const { budget = {}, env = process.env, now = () => performance.now(), onExceeded, onSpend } = options;
  const token = options.token ?? randomBytes(16).toString("hex");
  const accounts = new UsageAccounts();
  const exceed = () => {
    handler.cutAll();
    onExceeded?.();
  };
  const ledger = new GatewayLedger(budget, { onExceeded: exceed, onSpend });
  const upstreams = openUpstreams(options, env);
  const handler = new RequestHandler({
    routes: new RouteTable(token),
    upstreams,
    ledger,
    accounts,
    prices: new PriceResolver(options),
    tokenizer: options.tokenizer ?? loadTokenizer("o200k_base"),
    modelMap: options.modelMap ?? {},
    selectModel: options.selectModel,
    headersTimeoutMs: options.headersTimeoutMs ?? HEADERS_TIMEOUT_MS,
    allowUnmetered: options.allowUnmetered ?? false,
    now,
    wallClock: options.wallClock ?? Date.now,
    onSpend,
    onRequest: options.onRequest,
    faults: options.faults,
    observer: options.observer,
  });
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, client) =>
    handler.handle(request, client),
  );
  const origin = await startListening(server, options);
  const startedAt = now();
  const url = `${origin}/${token}`;
  return {
    url,
    env: buildGatewayEnv(url, env),
    total: () => ledger.total(),
    receipt: () => accounts.createReceipt(ledger, budget, now() - startedAt),
    async close() {
      handler.close();
      for (const upstream of Object.values(upstreams)) upstream.close();
      await closeServer(server);
    },
  };
}

function openUpstreams(
  { upstreams = {}, keys = {}, allowInsecure = false, wrap }: GatewayOptions,
  env: NodeJS.ProcessEnv,
) {
  requireProviders(upstreams, "upstream");
  requireProviders(keys, "key");
  const open = (name: ProviderName) =>
    new Upstream({ provider: PROVIDERS[name], url: upstreams[name], env, key: keys[name], allowInsecure, wrap });
  return { openai: open("openai"), anthropic: open("anthropic"), google: open("google") };
}

function requireProviders(byName: object, what: string): void {
  const unknown = Object.keys(byName).find((name) => !(PROVIDER_NAMES as readonly string[]).includes(name));
  if (unknown === undefined) return;
  throw new UsageError(`Unknown provider "${unknown}" for the ${what}.${didYouMean(unknown, PROVIDER_NAMES)}`);
}

async function startListening(server: Server, { host = "127.0.0.1", port = 0 }: GatewayOptions): Promise<string> {
  if (!isLoopback(host))
    throw new UsageError(
      `The gateway spends money for anyone who can reach it, so it cannot listen on ${host}. Use 127.0.0.1 or ::1.`,
    );
  try {
    server.listen({ port, host, backlog: MAX_BACKLOG });
    await once(server, "listening");
  } catch (cause) {
    throw new UsageError(
      `The gateway cannot listen on ${host}:${port}: ${getErrorMessage(cause)}. Choose another port.`,
      {
        cause,
      },
    );
  }
  const { port: found } = server.address() as AddressInfo;
  return `http://${host.includes(":") ? `[${host}]` : host}:${found}`;
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** Environment variables that set the base URL of each provider's clients. */
const BASE_URL_VARIABLES: Readonly<Record<ProviderName, readonly string[]>> = {
  openai: ["OPENAI_BASE_URL", "OPENAI_API_BASE"],
  anthropic: ["ANTHROPIC_BASE_URL", "ANTHROPIC_API_BASE"],
  google: ["GOOGLE_GEMINI_BASE_URL", "GEMINI_BASE_URL", "GEMINI_API_BASE"],
};

const PROXY_VARIABLES = ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];

function buildGatewayEnv(url: string, env: NodeJS.ProcessEnv): Record<string, string> {
  const pointed = Object.values(PROVIDERS).flatMap(({ name, mount }) =>
    BASE_URL_VARIABLES[name].map((variable) => [variable, url + mount] as const),
  );
  return { ...Object.fromEntries(pointed), ...buildNoProxyEnv(url, env) };
}

/** Otherwise a program behind a proxy would ask the proxy for an address on this machine. */
function buildNoProxyEnv(url: string, env: NodeJS.ProcessEnv): Record<string, string> {
  if (!PROXY_VARIABLES.some((name) => env[name])) return {};
  const { hostname } = new URL(url);
  const hosts = [env.NO_PROXY ?? env.no_proxy ?? "", hostname].filter(Boolean).join(",");
  return { NO_PROXY: hosts, no_proxy: hosts };
}
