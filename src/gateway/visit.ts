import type { IncomingMessage, ServerResponse } from "node:http";
import { dollars } from "../budget/price.js";
import { type Dialect, dialects } from "../dialects/index.js";
import type { Accounts } from "./accounts.js";
import type { Figures } from "./figures.js";
import type { Ending, GatewayRequest } from "./receipt.js";
import { type RefusalError, sendRefusal } from "./refusal.js";
import { type Route, withoutQuery } from "./route.js";

export interface VisitOptions {
  readonly request: IncomingMessage;
  readonly client: ServerResponse;
  readonly route: Route;
  readonly accounts: Accounts;
  readonly now: () => number;
  readonly onRequest: ((request: GatewayRequest) => void) | undefined;
}

/** One request at the gateway, from its arrival to its one ending. */
export class Visit {
  readonly request: IncomingMessage;
  readonly client: ServerResponse;
  readonly route: Route;
  /** The one its answer comes in, or at least its errors. */
  readonly dialect: Dialect;
  /** Once it is known. */
  model: string | null = null;
  readonly #options: VisitOptions;
  readonly #arrivedAt: number;
  #isOver = false;

  constructor(options: VisitOptions) {
    const { request, client, route, accounts, now } = options;
    this.request = request;
    this.client = client;
    this.route = route;
    this.dialect = dialects[route.dialect ?? route.provider.dialect];
    this.#options = options;
    this.#arrivedAt = now();
    accounts.arrive();
    // Both end with the connection, which is heard of elsewhere.
    request.on("error", () => {});
    client.on("error", () => {});
  }

  refuse(refusal: RefusalError): void {
    sendRefusal(this.client, this.dialect, refusal);
    this.end("refused", null);
  }

  /** The request was passed on without being metered. Its path is noted without the query, which may hold a key. */
  endUnmetered(status: number): void {
    const { provider, path } = this.route;
    if (status < 400)
      this.#options.accounts.noteUnmetered(`${this.request.method ?? "GET"} ${provider.name}${withoutQuery(path)}`);
    this.end(status < 400 ? "unmetered" : "failed", null);
  }

  end(ending: Ending, figures: Figures | null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { accounts, onRequest } = this.#options;
    accounts.end(ending);
    onRequest?.(this.#record(ending, figures));
  }

  #record(ending: Ending, figures: Figures | null): GatewayRequest {
    const { provider, dialect } = this.route;
    const pico = figures?.pico ?? null;
    return {
      provider: provider.name,
      model: this.model,
      dialect,
      ending,
      status: this.client.headersSent ? this.client.statusCode : null,
      usage: figures?.usage ?? null,
      costUsd: pico === null ? null : dollars(pico),
      costPico: pico,
      costSource: figures?.costSource ?? "unknown",
      partial: figures?.isEstimated ?? false,
      durationMs: this.#options.now() - this.#arrivedAt,
    };
  }
}
