import { type ClientRequest, type IncomingMessage, type RequestOptions, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { TrialError } from "../core/errors.js";
import { connectionError, timeoutError } from "./errors.js";

/** How long each phase of a call may take, in milliseconds. */
export interface Patience {
  readonly connectMs: number;
  readonly headersMs: number;
  readonly idleMs: number;
}

export interface ExchangeOptions {
  readonly isSecure: boolean;
  readonly options: RequestOptions;
  readonly body: string;
  readonly signal: AbortSignal;
  readonly patience: Patience;
  /** Host and port, for messages. */
  readonly host: string;
}

/**
 * One request and its response on one connection. Whatever goes wrong, in any phase, ends up in `onFailure`, once: the
 * events of Node's streams differ by phase and version, and an abort must not wait for them.
 */
export class Exchange {
  readonly host: string;
  readonly #request: ClientRequest;
  readonly #signal: AbortSignal;
  readonly #patience: Patience;
  #timer: NodeJS.Timeout | null = null;
  #failure: { reason: unknown } | null = null;
  #onFailure: ((reason: unknown) => void) | null = null;
  #isOver = false;

  constructor({ isSecure, options, body, signal, patience, host }: ExchangeOptions) {
    this.host = host;
    this.#signal = signal;
    this.#patience = patience;
    this.#request = (isSecure ? requestHttps : requestHttp)(options);
    this.#request.on("error", this.#onError);
    this.#request.once("socket", (socket) => {
      const ready = isSecure ? "secureConnect" : "connect";
      if (!socket.connecting) return this.#awaitHeaders();
      this.#awaitAtMost(patience.connectMs, () =>
        timeoutError(`${host} did not accept the connection within ${patience.connectMs} ms.`),
      );
      socket.once(ready, this.#awaitHeaders);
    });
    signal.addEventListener("abort", this.#onAbort);
    this.#request.end(body);
  }

  /** True when the connection had served another request before. */
  get isReused(): boolean {
    return this.#request.reusedSocket;
  }

  response(): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      this.onFailure(reject);
      this.#request.once("response", (message) => {
        message.on("error", this.#onError);
        this.#awaitAtMost(this.#patience.idleMs, this.#idled);
        resolve(message);
      });
    });
  }

  /** Tells one listener, the last that was given, of the failure; at once when it has happened already. */
  onFailure(listener: (reason: unknown) => void): void {
    this.#onFailure = listener;
    if (this.#failure !== null) listener(this.#failure.reason);
  }

  /** A part of the body came: the wait for the next one starts again. */
  progressed(): void {
    this.#timer?.refresh();
  }

  /** Everything has come: the connection goes back to the pool by itself. */
  finish(): void {
    this.#isOver = true;
    this.#release();
  }

  /** Ends the exchange and its connection. */
  destroy(): void {
    this.finish();
    this.#request.destroy();
  }

  fail(reason: unknown): void {
    if (this.#isOver) return;
    this.#failure = { reason };
    this.destroy();
    this.#onFailure?.(reason);
  }

  readonly #onError = (error: unknown): void => this.fail(connectionError(error, this.host));
  readonly #onAbort = (): void => this.fail(this.#signal.reason);
  readonly #awaitHeaders = (): void => {
    const { headersMs } = this.#patience;
    this.#awaitAtMost(headersMs, () => timeoutError(`${this.host} did not begin to answer within ${headersMs} ms.`));
  };
  readonly #idled = (): TrialError =>
    timeoutError(`${this.host} stopped sending in the middle of its answer for ${this.#patience.idleMs} ms.`);

  #awaitAtMost(ms: number, error: () => TrialError): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = this.#isOver ? null : setTimeout(() => this.fail(error()), ms);
  }

  #release(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#signal.removeEventListener("abort", this.#onAbort);
  }
}
