import type { IncomingMessage, ServerResponse } from "node:http";
import type { FaultSource, Price, Tokenizer, Usage } from "../../core/index.js";
import { getErrorMessage } from "../../core/index.js";
import { checkRequestOrigin, LOOPBACK_HOSTS } from "../../utils/index.js";
import { computeCost } from "../price.js";
import type { GatewayLedger, UsageAccounts } from "./ledger.js";
import { MeteredExchange } from "./metered-exchange.js";
import type { PriceResolver, ProviderName, Upstream } from "./provider.js";
import { type ForwardChanges, forwardRequest, ProxiedRequest } from "./proxied-request.js";
import type { GatewayRequest } from "./receipt.js";
import { RefusalError } from "./refusal.js";
import { buildRequestHeaders, type ParsedRequest, parseGatewayRequest, readBody } from "./request.js";
import { injectRequestFault } from "./request-faults.js";
import { formatTierName, RequestMeter } from "./request-meter.js";
import { isBedrockRoute, type RouteTable } from "./route.js";
import type { TrafficObserver } from "./traffic-observer.js";

/** Upper bound on the usage of a call; the actual usage is known only after its answer. */
export interface MaxCallUsage {
  readonly pico: number;
  readonly tokens: number;
  /** True when only the prompt counts, because the answer can be cut off. */
  readonly isStreamed: boolean;
}

/**
 * Reserves what calls can cost before they can be cut off, so that concurrent calls do not each spend the same remaining
 * budget. A call that does not fit waits for the others, in order of arrival. A call that does not fit on its own is
 * admitted when no others are running, so the budget is exceeded by at most one call. A call that is not streamed does not
 * wait for the prompts of streamed calls, which may take minutes to produce their first token.
 */
export class CallReservations {
  readonly #ledger: GatewayLedger;
  readonly #held = new Set<MaxCallUsage>();
  readonly #waiting = new Map<MaxCallUsage, () => void>();
  #pico = 0;
  #tokens = 0;

  constructor(ledger: GatewayLedger) {
    this.#ledger = ledger;
  }

  /** Resolves when the call may start, was released, or the budget is spent: check the ledger afterwards. */
  async reserve(maxUsage: MaxCallUsage): Promise<void> {
    const turn = new Promise<void>((resolve) => this.#waiting.set(maxUsage, resolve));
    this.admit();
    await turn;
  }

  /** Call when the call is over or its client has gone. */
  release(maxUsage: MaxCallUsage): void {
    this.#waiting.get(maxUsage)?.();
    this.#waiting.delete(maxUsage);
    if (!this.#held.delete(maxUsage)) return;
    this.#pico -= maxUsage.pico;
    this.#tokens -= maxUsage.tokens;
    this.admit();
  }

  /** Admits all waiting calls that fit. */
  admit(): void {
    for (const [maxUsage, go] of this.#waiting) {
      if (!this.#ledger.isExceeded && !this.#fits(maxUsage)) return;
      this.#waiting.delete(maxUsage);
      this.#held.add(maxUsage);
      this.#pico += maxUsage.pico;
      this.#tokens += maxUsage.tokens;
      go();
    }
  }

  #fits({ pico, tokens, isStreamed }: MaxCallUsage): boolean {
    if (this.#ledger.canSpend(this.#pico + pico, this.#tokens + tokens)) return true;
    return [...this.#held].every((other) => other.isStreamed && !isStreamed);
  }
}

export interface RequestHandlerOptions {
  readonly routes: RouteTable;
  readonly upstreams: Readonly<Record<ProviderName, Upstream>>;
  readonly ledger: GatewayLedger;
  readonly accounts: UsageAccounts;
  readonly prices: PriceResolver;
  readonly tokenizer: Tokenizer;
  readonly modelMap: Readonly<Record<string, string>>;
  readonly selectModel: ((model: string) => string) | undefined;
  readonly headersTimeoutMs: number;
  /** Forwards requests that cannot be metered even when there is a dollar limit. */
  readonly allowUnmetered: boolean;
  readonly now: () => number;
  readonly wallClock: () => number;
  /** Called when an answer is over. Until then, the ledger reports spending. */
  readonly onSpend: (() => void) | undefined;
  readonly onRequest: ((request: GatewayRequest) => void) | undefined;
  readonly faults: FaultSource | undefined;
  readonly observer: TrafficObserver | undefined;
}

/** Handles requests: refuses them, forwards them, or forwards them and meters the answer. */
export class RequestHandler {
  readonly #options: RequestHandlerOptions;
  readonly #open = new Set<MeteredExchange>();
  readonly #calls = new CallUsageStore();
  readonly #reservations: CallReservations;
  #isClosed = false;

  constructor(options: RequestHandlerOptions) {
    this.#options = options;
    this.#reservations = new CallReservations(options.ledger);
  }

  /** Never throws: every error is sent to the client. */
  handle(request: IncomingMessage, client: ServerResponse): void {
    const { routes, ledger, headersTimeoutMs } = this.#options;
    const intrusion = checkRequestOrigin((name) => getHeader(request, name), LOOPBACK_HOSTS);
    if (intrusion !== null) {
      sendPlainText(client, intrusion);
      return;
    }
    const route = routes.find(request.method ?? "GET", request.url ?? "");
    if (route === null) {
      void this.#sendCallUsage(routes.findCall(request.url ?? ""), client);
      return;
    }
    const proxied = new ProxiedRequest({ ...this.#options, request, client, route });
    const { kind } = route;
    const refused = (error: unknown) => refuseProxiedRequest(proxied, error);
    if (wantsWebSocket(request)) proxied.refuse(createWebSocketError());
    else if (isBedrockRoute(route)) proxied.refuse(createBedrockError());
    else if (ledger.isExceeded) proxied.refuse(ledger.createRefusal());
    else if (kind === "answer" || kind === "embedding") {
      // As it arrives: reading bodies would change the order of concurrent calls.
      proxied.plannedFault = this.#options.faults?.next() ?? null;
      this.#meter(proxied).catch(refused);
    } else if (kind === "unmetered") this.#forwardUnmetered(proxied);
    else if (kind === "count" && this.#hasModelMap) this.#forwardTokenCount(proxied).catch(refused);
    else forwardRequest(proxied, { headersTimeoutMs });
  }

  /** Ends every answer that is not already paid for, because the budget is spent. */
  cutAll(): void {
    for (const exchange of this.#open) exchange.cut(this.#options.ledger.createRefusal());
    this.#reservations.admit();
  }

  close(): void {
    this.#isClosed = true;
    for (const exchange of this.#open) exchange.abandon();
  }

  /** Sends the usage of a call; anything else is "Not found". */
  async #sendCallUsage(call: string | null, client: ServerResponse): Promise<void> {
    const usage = call === null ? undefined : await this.#calls.waitForUsage(call);
    if (usage === undefined) {
      sendPlainText(client, NOT_FOUND);
      return;
    }
    const body = JSON.stringify(usage);
    client.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
    client.end(body);
  }

  get #hasModelMap(): boolean {
    return Object.keys(this.#options.modelMap).length > 0;
  }

  /** The tokens must be counted by the model that will receive the prompt. */
  async #forwardTokenCount(proxied: ProxiedRequest): Promise<void> {
    const { headersTimeoutMs } = this.#options;
    forwardRequest(proxied, {
      headersTimeoutMs,
      changed: toForwardChanges(proxied, await this.#parseRequest(proxied)),
    });
  }

  /** A request of unknown cost could exceed any dollar limit. */
  #forwardUnmetered(proxied: ProxiedRequest, changed?: ForwardChanges, what = proxied.subject): void {
    const { ledger, allowUnmetered, headersTimeoutMs } = this.#options;
    if (ledger.needsPrices && !allowUnmetered) proxied.refuse(createUnmeteredError(what, ledger));
    else forwardRequest(proxied, { headersTimeoutMs, ...(changed !== undefined && { changed }) });
  }

  async #parseRequest({ request, route }: ProxiedRequest): Promise<ParsedRequest> {
    const { modelMap, selectModel = (model) => model } = this.#options;
    const map = (named: string) => (Object.hasOwn(modelMap, named) ? (modelMap[named] ?? named) : named);
    const mapModel = route.kind === "answer" ? (named: string) => selectModel(map(named)) : map;
    return parseGatewayRequest(route, await readBody(request), mapModel);
  }

  async #meter(proxied: ProxiedRequest): Promise<void> {
    const { prices } = this.#options;
    const { upstream, route } = proxied;
    const parsed = await this.#parseRequest(proxied);
    if (parsed.isBackground) {
      this.#forwardUnmetered(proxied, toForwardChanges(proxied, parsed), `${proxied.subject} with background: true`);
      return;
    }
    proxied.model = parsed.model;
    const { dialect, kind, path } = route;
    proxied.observer = this.#options.observer?.startCall({ dialect, kind, path, json: parsed.json }) ?? null;
    if (await injectRequestFault(proxied)) return;
    const price = await prices.find({ ...parsed, dialect: route.dialect, upstream });
    if (price === null) this.#checkUnpriced(parsed);
    await this.#startReserved(proxied, parsed, price);
  }

  /** The cost of a prompt, and of an answer that is not streamed, is known too late to stop it, so its maximum is reserved. */
  async #startReserved(proxied: ProxiedRequest, parsed: ParsedRequest, price: Price | null): Promise<void> {
    const maxUsage = estimateMaxCallUsage(parsed, price);
    const release = () => this.#reservations.release(maxUsage);
    if (!proxied.client.destroyed) {
      proxied.client.on("close", release);
      await this.#reservations.reserve(maxUsage);
    }
    this.#startIfAllowed(proxied, parsed, price, release);
  }

  #checkUnpriced({ model, tier }: ParsedRequest): void {
    const { accounts, ledger } = this.#options;
    const name = formatTierName(model, tier);
    accounts.addUnknownModel(name);
    if (!ledger.needsPrices) return;
    const instead =
      tier === null ? `use another model (--model-map "${model}=…")` : "leave out the service tier in the request";
    throw new RefusalError(
      "request",
      `the price of the model "${name}" is unknown, so the limit of $${ledger.maxCostUsd} cannot be enforced. Give its price in a models file (--models models.yml), ${instead}, or limit tokens instead (--max-tokens).`,
    );
  }

  /** Checks again, because the budget may have been spent while the request was read or waited. */
  #startIfAllowed(proxied: ProxiedRequest, parsed: ParsedRequest, price: Price | null, release: () => void): void {
    const { ledger } = this.#options;
    if (ledger.isExceeded) throw ledger.createRefusal();
    if (this.#isClosed || proxied.client.destroyed) proxied.end("abandoned");
    else this.#startExchange(proxied, parsed, price, release);
  }

  #startExchange(proxied: ProxiedRequest, parsed: ParsedRequest, price: Price | null, release: () => void): void {
    const { accounts, headersTimeoutMs, routes, onSpend } = this.#options;
    const { dialect, client, upstream, timing } = proxied;
    const { hidesUsage, body } = parsed;
    const meter = this.#createMeter(proxied, parsed, price, release);
    const answer = { model: formatTierName(parsed.model, parsed.tier), meter };
    accounts.open(answer);
    const call = this.#calls.startCall();
    const exchange = new MeteredExchange({
      client,
      dialect,
      upstream,
      timing,
      request: { method: "POST", path: parsed.path, headers: buildBufferedHeaders(proxied, body) },
      body,
      meter,
      hidesUsage,
      extraHeaders: [CALL_HEADER, routes.formatCallPath(call)],
      headersTimeoutMs,
      fault: proxied.plannedFault,
      onFault: () => proxied.recordFault(),
      onEnd: ({ ending, isBilled, message }) => {
        this.#open.delete(exchange);
        if (isBilled) meter.close(ending === "cut");
        accounts.close(answer, isBilled);
        const figures = isBilled ? meter.figures : null;
        this.#calls.finishCall(
          call,
          figures === null ? null : { usage: figures.usage, isEstimated: figures.isEstimated },
        );
        proxied.end(ending, { figures, message, finish: meter.finish, finishReason: meter.finishReason });
        release();
        onSpend?.();
      },
    });
    this.#open.add(exchange);
  }

  #createMeter(
    { dialect, timing, observer }: ProxiedRequest,
    { promptTokens }: ParsedRequest,
    price: Price | null,
    release: () => void,
  ): RequestMeter {
    const { ledger, tokenizer } = this.#options;
    const onWords = () => {
      timing.recordText();
      // From the first text on, the ledger counts the prompt as soon as this returns.
      queueMicrotask(release);
    };
    return new RequestMeter({
      ledger,
      reader: dialect.reader(),
      price,
      tokenizer,
      promptTokens,
      onText: onWords,
      observer,
    });
  }
}

function estimateMaxCallUsage(
  { promptTokens, maxOutputTokens, isStreamed }: ParsedRequest,
  price: Price | null,
): MaxCallUsage {
  const usage = { input: promptTokens, output: maxOutputTokens };
  return { pico: price === null ? 0 : computeCost(price, usage), tokens: promptTokens + maxOutputTokens, isStreamed };
}

function toForwardChanges(proxied: ProxiedRequest, { path, body }: ParsedRequest): ForwardChanges {
  return { path, body, headers: buildBufferedHeaders(proxied, body) };
}

function createUnmeteredError(what: string, { maxCostUsd }: GatewayLedger): RefusalError {
  return new RefusalError(
    "request",
    `the cost of ${what} cannot be metered, so the limit of $${maxCostUsd} cannot be enforced. To forward such calls anyway, start the gateway with --allow-unmetered; their cost is not in its receipt.`,
  );
}

/** The headers of a request whose body was buffered, so it is decompressed and perhaps changed. */
function buildBufferedHeaders({ request, upstream }: ProxiedRequest, body: Buffer) {
  const { "content-encoding": _unpacked, ...headers } = buildRequestHeaders(request, upstream);
  return { ...headers, "accept-encoding": "identity", "content-length": body.length };
}

function refuseProxiedRequest(proxied: ProxiedRequest, error: unknown): void {
  if (error instanceof RefusalError) proxied.refuse(error);
  else proxied.refuse(new RefusalError("upstream", getErrorMessage(error), { status: 500, cause: error }));
}

function wantsWebSocket({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === "websocket";
}

/** A signature is for one host, so AWS would reject a request that was forwarded. */
function createBedrockError(): RefusalError {
  return new RefusalError(
    "request",
    "requests to Amazon Bedrock are signed for its own host and cannot be forwarded. Call Bedrock directly; as a model of a run (provider: bedrock) it has the budget of its trials.",
  );
}

/** Codex tries a WebSocket first and falls back to HTTP on this status. */
function createWebSocketError(): RefusalError {
  return new RefusalError("request", "WebSockets cannot be metered. Use plain HTTP.", { status: 426 });
}

/** Reveals nothing about other paths. */
const NOT_FOUND = { status: 404, message: "Not found" };

function getHeader({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}

function sendPlainText(client: ServerResponse, { status, message }: { status: number; message: string }): void {
  client.writeHead(status, { "content-type": "text/plain", "content-length": message.length + 1 });
  client.end(`${message}\n`);
}

/** Response header with the path where the client can request the usage of its call. */
const CALL_HEADER = "assay-call";

/** The final usage of a call: as reported and, where the report is incomplete, estimated. */
interface FinishedCallUsage {
  readonly usage: Readonly<Usage>;
  readonly isEstimated: boolean;
}

/** Limits memory for usage that no client requests. */
const MAX_FINISHED_CALLS = 4096;

/** How long a request for usage waits for its call to end, which the gateway notices slightly later than the client. */
const CALL_WAIT_MS = 5000;

/**
 * Stores the usage of single calls for clients that disconnect before the end of an answer and never see its usage.
 * Both sides then record the same usage.
 */
class CallUsageStore {
  readonly #finished = new Map<string, FinishedCallUsage | null>();
  readonly #waiting = new Map<string, ((usage: FinishedCallUsage | null) => void)[]>();
  #calls = 0;

  /** Returns the id of the new call. */
  startCall(): string {
    this.#calls += 1;
    return String(this.#calls);
  }

  /** `usage` is null when the call cost nothing. */
  finishCall(call: string, usage: FinishedCallUsage | null): void {
    this.#finished.set(call, usage);
    if (this.#finished.size > MAX_FINISHED_CALLS) this.#finished.delete(this.#finished.keys().next().value ?? "");
    for (const notify of this.#waiting.get(call) ?? []) notify(usage);
    this.#waiting.delete(call);
  }

  /** Waits for the call to end. Undefined when the call is unknown or does not end in time. */
  async waitForUsage(call: string): Promise<FinishedCallUsage | null | undefined> {
    if (this.#finished.has(call)) return this.#finished.get(call);
    if (!(Number(call) <= this.#calls)) return undefined;
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, CALL_WAIT_MS, undefined);
      const notify = (usage: FinishedCallUsage | null) => {
        clearTimeout(timer);
        resolve(usage);
      };
      this.#waiting.set(call, [...(this.#waiting.get(call) ?? []), notify]);
    });
  }
}
