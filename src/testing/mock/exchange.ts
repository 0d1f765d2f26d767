import type { IncomingMessage, ServerResponse } from "node:http";
import type { OpenRequest } from "./request-log.js";

/** A request and its answer while they are under way. */
export class Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly entry: OpenRequest;
  /** Called once: with the last byte handed over, or when the client has gone. */
  #onDone: (() => void) | null = null;
  #timer: NodeJS.Timeout | null = null;
  #broken = false;

  constructor(request: IncomingMessage, response: ServerResponse, entry: OpenRequest) {
    this.request = request;
    this.response = response;
    this.entry = entry;
  }

  onDone(callback: () => void): void {
    this.#onDone = callback;
  }

  /** Does something later, unless the client has gone by then. */
  later(ms: number, work: () => void): void {
    if (ms <= 0) work();
    else this.#timer = setTimeout(work, ms);
  }

  head(status: number, headers: Record<string, string | number>): void {
    this.entry.status = status;
    this.response.writeHead(status, headers);
  }

  send(status: number, headers: Record<string, string | number>, body: string): void {
    this.head(status, { ...headers, "content-length": Buffer.byteLength(body) });
    this.end(body);
  }

  end(data = ""): void {
    this.response.end(data);
    this.#done();
  }

  /** Breaks the connection once what was written is out. */
  breakOff(): void {
    this.#broken = true;
    this.response.socket?.destroySoon();
    this.#done();
  }

  /** The connection is done with this exchange, whoever ended it. */
  closed(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.entry.aborted = !this.#broken && !this.response.writableFinished;
    this.#done();
  }

  #done(): void {
    this.#onDone?.();
    this.#onDone = null;
  }
}
