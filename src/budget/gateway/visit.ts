import type { IncomingMessage, ServerResponse } from "node:http";
import { type Dialect, dialects, type Finish } from "../../models/dialects/index.js";
import { toDollars } from "../price.js";
import { StreamTiming, type UsageAccounts } from "./ledger.js";
import type { ProviderName, Upstream } from "./provider.js";
import type { GatewayRequest, RequestEnding, RequestFigures } from "./receipt.js";

import { type RefusalError, sendRefusal } from "./refusal.js";
import type { Route } from "./route.js";
import { listSecrets, redactMessage } from "./secrets.js";

export interface ProxiedRequestOptions {
  readonly request: IncomingMessage;
  readonly client: ServerResponse;
  readonly route: Route;
  readonly accounts: UsageAccounts;
  readonly upstreams: Readonly<Record<ProviderName, Upstream>>;
  readonly now: () => number;
  readonly wallClock: () => number;
  readonly onRequest: ((request: GatewayRequest) => void) | undefined;
}

export interface ProxiedRequestEnd {
  readonly figures?: RequestFigures | null;
  readonly message?: string | null;
  readonly finish?: Finish | null;
}

/** One request to the gateway, from its arrival to its end. */
export class ProxiedRequest {
  readonly request: IncomingMessage;
  readonly client: ServerResponse;
  readonly route: Route;
  /** The dialect of its answer, or at least of its errors. */
  readonly dialect: Dialect;
  model: string | null = null;
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
    const { accounts, onRequest } = this.#options;
    accounts.countEnding(ending);
    onRequest?.(this.#toRecord(ending, end));
  }

  #toRecord(
    ending: RequestEnding,
    { figures = null, message = null, finish = null }: ProxiedRequestEnd,
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
      message: message === null ? null : redactMessage(message, listSecrets(this.request, this.upstream)),
    };
  }
}
