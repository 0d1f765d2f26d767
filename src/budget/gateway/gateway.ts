import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { messageOf, UsageError } from "../../core/errors.js";
import { isLoopback } from "../../core/loopback.js";
import type { Price } from "../../core/price.js";
import { didYouMean } from "../../core/suggest.js";
import type { Tokenizer } from "../../core/tokenizer.js";
import { loadTokenizer } from "../../models/tokens/index.js";
import { Desk } from "./desk.js";
import { Accounts, type GatewayBudget, type GatewayTotal, Ledger } from "./ledger.js";
import { PROVIDER_NAMES, PROVIDERS, PriceBook, type PriceOf, type ProviderName, Upstream } from "./provider.js";
import type { GatewayRequest, Receipt } from "./receipt.js";
import { RouteTable } from "./route.js";

/** How long an upstream may think before it begins to answer. Answers that are not streamed take minutes. */
const HEADERS_TIMEOUT_MS = 600_000;

/** Longer than clients keep their connections, so that none is closed at the moment it is used again. */
const KEEP_ALIVE_MS = 120_000;

/** A thousand clients may begin at once: those above the usual queue would wait a second for another try. */
const BACKLOG = 4096;

/** Options of `startGateway`. */
export interface GatewayOptions {
  /** What all requests together may use; without one they are only counted. */
  readonly budget?: GatewayBudget;
  /** Where requests go instead of the providers' own addresses. */
  readonly upstreams?: Readonly<Partial<Record<ProviderName, string>>>;
  /** Models to use instead of those that are asked for. */
  readonly modelMap?: Readonly<Record<string, string>>;
  /** Prices by the name of the model, after `modelMap`; for all others `priceOf` is asked. */
  readonly prices?: ReadonlyMap<string, Price>;
  /** What a model costs; the bundled price table unless told. */
  readonly priceOf?: PriceOf;
  /** An address of this machine that only this machine can reach. */
  readonly host?: "127.0.0.1" | "::1";
  /** A free one unless told. */
  readonly port?: number;
  /** Counts the text of answers until their usage is reported. */
  readonly tokenizer?: Tokenizer;
  /** Called once, when the budget is exceeded; every open answer is cut by then. */
  readonly onExceeded?: () => void;
  /**
   * Sent in place of whatever key a client sends, to that provider's upstream alone: a program can be given a key that
   * means nothing, and never sees the real one. An empty one means that no key is sent.
   */
  readonly keys?: Readonly<Partial<Record<ProviderName, string>>>;
  /**
   * Called whenever the total has moved, with every event of every stream, and when an answer is over; then `total()` says
   * how much it is. When a limit was exceeded, every open answer is cut by the last of these calls.
   */
  readonly onSpend?: () => void;
  /** Called for every request when it is over. */
  readonly onRequest?: (request: GatewayRequest) => void;
  /** From a request to the head of its answer; 10 minutes unless told. */
  readonly headersTimeoutMs?: number;
  /** Lets keys travel over plain http to another machine. */
  readonly allowInsecure?: boolean;
  /**
   * Passes on what cannot be metered, such as images and batches, although there is a limit in dollars: what that costs
   * is not in the receipt, and the limit does not hold for it.
   */
  readonly allowUnmetered?: boolean;
  /** Where keys are looked for that clients do not send. */
  readonly env?: NodeJS.ProcessEnv;
  readonly now?: () => number;
  /** Milliseconds since 1970, for `startedAt` of requests. */
  readonly wallClock?: () => number;
  /** The secret in the path. */
  readonly token?: string;
}

/** A local address that meters every model behind it. */
export interface Gateway {
  /** With the secret; providers are below it. */
  readonly url: string;
  /** What a program needs in its environment to go through the gateway. */
  readonly env: Readonly<Record<string, string>>;
  /** What has happened so far, answers that are still coming included. */
  receipt(): Receipt;
  /** What the receipt says was used in all, for who asks often: it is not added up anew. */
  total(): GatewayTotal;
  close(): Promise<void>;
}

/**
 * Starts a metering endpoint that any program can be pointed at, in any language: requests go on to the real providers,
 * and when the budget is spent they end.
 * @example
 * const gateway = await startGateway({ budget: { maxCostUsd: 0.3 } });
 * spawn("my-program", { env: { ...process.env, ...gateway.env } });
 */
export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const { budget = {}, env = process.env, now = () => performance.now(), onExceeded, onSpend } = options;
  const token = options.token ?? randomBytes(16).toString("hex");
  const accounts = new Accounts();
  const exceed = () => {
    desk.cutAll();
    onExceeded?.();
  };
  const ledger = new Ledger(budget, { onExceeded: exceed, onSpend });
  const upstreams = openUpstreams(options, env);
  const desk = new Desk({
    routes: new RouteTable(token),
    upstreams,
    ledger,
    accounts,
    prices: new PriceBook(options),
    tokenizer: options.tokenizer ?? loadTokenizer("o200k_base"),
    modelMap: options.modelMap ?? {},
    headersTimeoutMs: options.headersTimeoutMs ?? HEADERS_TIMEOUT_MS,
    allowUnmetered: options.allowUnmetered ?? false,
    now,
    wallClock: options.wallClock ?? Date.now,
    onSpend,
    onRequest: options.onRequest,
  });
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, client) => desk.handle(request, client));
  const origin = await listen(server, options);
  const startedAt = now();
  const url = `${origin}/${token}`;
  return {
    url,
    env: gatewayEnv(url, env),
    total: () => ledger.total(),
    receipt: () => accounts.receipt(ledger, budget, now() - startedAt),
    async close() {
      desk.close();
      for (const upstream of Object.values(upstreams)) upstream.close();
      await closed(server);
    },
  };
}

function openUpstreams({ upstreams = {}, keys = {}, allowInsecure = false }: GatewayOptions, env: NodeJS.ProcessEnv) {
  requireProviders(upstreams, "upstream");
  requireProviders(keys, "key");
  const open = (name: ProviderName) =>
    new Upstream({ provider: PROVIDERS[name], url: upstreams[name], env, key: keys[name], allowInsecure });
  return { openai: open("openai"), anthropic: open("anthropic"), google: open("google") };
}

function requireProviders(byName: object, what: string): void {
  const unknown = Object.keys(byName).find((name) => !(PROVIDER_NAMES as readonly string[]).includes(name));
  if (unknown === undefined) return;
  throw new UsageError(
    `There is no provider "${unknown}" to set the ${what} of.${didYouMean(unknown, PROVIDER_NAMES)}`,
  );
}

async function listen(server: Server, { host = "127.0.0.1", port = 0 }: GatewayOptions): Promise<string> {
  if (!isLoopback(host))
    throw new UsageError(
      `The gateway spends money for whoever reaches it: it does not listen on ${host}, only on 127.0.0.1 or ::1.`,
    );
  try {
    server.listen({ port, host, backlog: BACKLOG });
    await once(server, "listening");
  } catch (cause) {
    throw new UsageError(`The gateway cannot listen on ${host}:${port}: ${messageOf(cause)}. Choose another port.`, {
      cause,
    });
  }
  const { port: found } = server.address() as AddressInfo;
  return `http://${host.includes(":") ? `[${host}]` : host}:${found}`;
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** The variables by which programs are pointed at another address, for each provider. */
const VARIABLES: Readonly<Record<ProviderName, readonly string[]>> = {
  openai: ["OPENAI_BASE_URL", "OPENAI_API_BASE"],
  anthropic: ["ANTHROPIC_BASE_URL", "ANTHROPIC_API_BASE"],
  google: ["GOOGLE_GEMINI_BASE_URL", "GEMINI_BASE_URL", "GEMINI_API_BASE"],
};

const PROXIES = ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];

/** What a program needs in its environment to go through the gateway at this URL. */
function gatewayEnv(url: string, env: NodeJS.ProcessEnv): Record<string, string> {
  const pointed = Object.values(PROVIDERS).flatMap(({ name, mount }) =>
    VARIABLES[name].map((variable) => [variable, url + mount] as const),
  );
  return { ...Object.fromEntries(pointed), ...withoutProxy(url, env) };
}

/** A program that uses a proxy would ask the proxy for an address on this very machine. */
function withoutProxy(url: string, env: NodeJS.ProcessEnv): Record<string, string> {
  if (!PROXIES.some((name) => env[name])) return {};
  const { hostname } = new URL(url);
  const hosts = [env.NO_PROXY ?? env.no_proxy ?? "", hostname].filter(Boolean).join(",");
  return { NO_PROXY: hosts, no_proxy: hosts };
}
