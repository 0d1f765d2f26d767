import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { FaultSource, PlannedFault } from "../../core/index.js";
import {
  type Dialect,
  dialects,
  type Finish,
  type GatewayDialectName,
  type TransportAnswer,
} from "../../models/index.js";
import { toDollars } from "../price.js";
import { StreamTiming, type UsageAccounts } from "./ledger.js";
import type { ProviderName, Upstream } from "./provider.js";
import type { GatewayRequest, RequestEnding, RequestFigures } from "./receipt.js";
import { CONNECTION_BROKEN, ErrorBody, type RefusalError, sendRefusal } from "./refusal.js";
import { pipeResponse, writeResponseHead } from "./relay.js";
import { buildRequestHeaders, buildResponseHeaders } from "./request.js";
import { UpstreamCall } from "./request-meter.js";
import type { Route } from "./route.js";
import { KeyMask, listSecrets, redactMessage } from "./secrets.js";
import type { CallObserver } from "./traffic-observer.js";

interface ProxiedRequestOptions {
  readonly request: IncomingMessage;
  readonly client: ServerResponse;
  readonly route: Route;
  readonly accounts: UsageAccounts;
  readonly upstreams: Readonly<Record<ProviderName, Upstream>>;
  readonly now: () => number;
  readonly wallClock: () => number;
  readonly onRequest: ((request: GatewayRequest) => void) | undefined;
  readonly faults: FaultSource | undefined;
}

interface ProxiedRequestEnd {
  readonly figures?: RequestFigures | null;
  readonly message?: string | null;
  readonly finish?: Finish | null;
  readonly finishReason?: string | null;
}

/** One request to the gateway, from its arrival to its end. */
export class ProxiedRequest {
  readonly request: IncomingMessage;
  readonly client: ServerResponse;
  readonly route: Route;
  /** The dialect of its answer, or at least of its errors. */
  readonly dialect: Dialect<GatewayDialectName>;
  model: string | null = null;
  /** Reads the call and its answer as they pass; null for none. */
  observer: CallObserver | null = null;
  /** What happens to it on purpose; null for nothing. */
  plannedFault: PlannedFault | null = null;
  #fault: PlannedFault | null = null;
  readonly timing: StreamTiming;
  readonly #options: ProxiedRequestOptions;
  readonly #startedAt: number;
  #isOver = false;

  constructor(options: ProxiedRequestOptions) {
    const { request, client, route, accounts, now, wallClock } = options;
    this.request = request;
    this.client = client;
    this.route = route;
    this.dialect = dialects[route.dialect];
    this.#options = options;
    this.timing = new StreamTiming(now);
    this.#startedAt = wallClock();
    accounts.countRequest();
    // Both end with the connection, which is handled elsewhere.
    request.on("error", () => {});
    client.on("error", () => {});
  }

  get upstream(): Upstream {
    return this.#options.upstreams[this.route.provider.name];
  }

  /** Records that the planned fault happened. */
  recordFault(): void {
    if (this.plannedFault === null || this.#fault !== null) return;
    this.#fault = this.plannedFault;
    this.#options.faults?.recordFault(this.#fault);
  }

  refuse(refusal: RefusalError): void {
    sendRefusal(this.client, this.dialect, refusal);
    this.end("refused", { message: refusal.story });
  }

  /** Method and path for messages, without the query, which may contain a key. */
  get subject(): string {
    const { provider, path } = this.route;
    return `${this.request.method ?? "GET"} ${provider.name}${path}`;
  }

  endUnmetered(): void {
    const { kind } = this.route;
    const isFree = kind === "count" || kind === "list";
    if (!isFree) this.#options.accounts.addUnmeteredPath(this.subject);
    this.end("unmetered");
  }

  end(ending: RequestEnding, end: ProxiedRequestEnd = {}): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { accounts, onRequest, faults } = this.#options;
    accounts.countEnding(ending);
    if (ending === "answered" && this.#fault?.kind !== "malformed") faults?.recordAnswer();
    const record = this.#toRecord(ending, end);
    this.observer?.end(record);
    onRequest?.(record);
  }

  #toRecord(
    ending: RequestEnding,
    { figures = null, message = null, finish = null, finishReason = null }: ProxiedRequestEnd,
  ): GatewayRequest {
    const { provider, dialect, kind } = this.route;
    const pico = figures?.pico ?? null;
    return {
      provider: provider.name,
      model: this.model,
      dialect: kind === "answer" || kind === "embedding" ? dialect : null,
      ending,
      status: this.client.headersSent ? this.client.statusCode : null,
      usage: figures?.usage ?? null,
      costUsd: pico === null ? null : toDollars(pico),
      costPico: pico,
      costSource: figures?.costSource ?? "unknown",
      partial: figures?.isEstimated ?? false,
      startedAt: this.#startedAt,
      durationMs: this.timing.elapsedMs,
      ttftMs: this.timing.ttftMs,
      generationMs: this.timing.generationMs,
      finish,
      finishReason,
      message: message === null ? null : redactMessage(message, listSecrets(this.request, this.upstream)),
      fault: this.#fault?.kind ?? null,
    };
  }
}

interface ForwardOptions {
  readonly headersTimeoutMs: number;
  /** Sent instead of the original. */
  readonly changed?: ForwardChanges;
}

export interface ForwardChanges {
  /** Including the query. */
  readonly path: string;
  readonly body: Buffer;
  readonly headers: OutgoingHttpHeaders;
}

/** Forwards a request whose answer is not metered, such as a list of models, without buffering. */
export function forwardRequest(proxied: ProxiedRequest, { headersTimeoutMs, changed }: ForwardOptions): void {
  const { request, client, route, dialect, upstream } = proxied;
  const call = new UpstreamCall({
    upstream,
    request: {
      method: request.method ?? "GET",
      path: changed?.path ?? route.path + route.query,
      headers: changed?.headers ?? buildReadableHeaders(proxied),
    },
    body: changed?.body ?? request,
    headersTimeoutMs,
    onAnswer: (answer) => {
      if (answer.status < 400) sendResponseBack(proxied, answer);
      else sendErrorBack(proxied, answer);
    },
    onFailure: (refusal) => {
      sendRefusal(client, dialect, refusal);
      proxied.end("failed", { message: refusal.story });
    },
  });
  client.on("close", () => {
    if (!client.writableFinished) call.abort();
    proxied.end("abandoned");
  });
}

/** If a key may have to be masked in an error, the error must not be compressed. */
function buildReadableHeaders({ request, upstream }: ProxiedRequest): OutgoingHttpHeaders {
  const headers = buildRequestHeaders(request, upstream);
  return upstream.replacesKey ? { ...headers, "accept-encoding": "identity" } : headers;
}

function sendResponseBack(proxied: ProxiedRequest, answer: TransportAnswer): void {
  const { client } = proxied;
  client.writeHead(answer.status, answer.statusText, buildResponseHeaders(answer));
  answer.body.on("error", () => client.destroy());
  answer.body.pipe(client);
  proxied.endUnmetered();
}

function sendErrorBack(proxied: ProxiedRequest, answer: TransportAnswer): void {
  const { client, dialect, upstream } = proxied;
  const mask = new KeyMask(upstream.key);
  const body = new ErrorBody();
  writeResponseHead(client, answer, { mask });
  const onChunk = (chunk: Buffer) => {
    body.push(chunk);
    client.write(mask.push(chunk));
  };
  const onEnd = () => {
    proxied.end("failed", { message: body.message(dialect, answer.status) });
    client.end(mask.end());
  };
  const onBroken = () => {
    proxied.end("failed", { message: CONNECTION_BROKEN });
    client.destroy();
  };
  pipeResponse({ answer, client, onChunk, onEnd, onBroken });
}
