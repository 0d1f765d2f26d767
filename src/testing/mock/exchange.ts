import type { IncomingMessage, ServerResponse } from "node:http";
import type { OpenRequest } from "./request-log.js";

/** A request and its response while they are open. */
export class MockExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly entry: OpenRequest;
  /** Called once: after the last byte, or when the client disconnects. */
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

  /** Runs later, unless the client has disconnected by then. */
  schedule(ms: number, work: () => void): void {
    if (ms <= 0) work();
    else this.#timer = setTimeout(work, ms);
  }

  writeHead(status: number, headers: Record<string, string | number>): void {
    this.entry.status = status;
    this.response.writeHead(status, headers);
  }

  send(status: number, headers: Record<string, string | number>, body: string): void {
    this.writeHead(status, { ...headers, "content-length": Buffer.byteLength(body) });
    this.end(body);
  }

  end(data: string | Buffer = ""): void {
    this.response.end(data);
    this.#finish();
  }

  /** Destroys the connection after flushing what was written. */
  destroy(): void {
    this.#broken = true;
    this.response.socket?.destroySoon();
    this.#finish();
  }

  handleClose(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.entry.aborted = !this.#broken && !this.response.writableFinished;
    this.#finish();
  }

  #finish(): void {
    this.#onDone?.();
    this.#onDone = null;
  }
}
