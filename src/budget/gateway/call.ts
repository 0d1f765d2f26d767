import type { ClientRequest, IncomingMessage } from "node:http";
import type { Readable } from "node:stream";
import { messageOf } from "../../core/errors.js";
import { connectionError } from "../../models/http/errors.js";
import { RefusalError } from "./refusal.js";
import type { Upstream, UpstreamRequest } from "./upstream.js";

export interface CallOptions {
  readonly upstream: Upstream;
  readonly request: UpstreamRequest;
  /** Held in memory, or passed on as it comes. */
  readonly body: Buffer | Readable;
  readonly headersTimeoutMs: number;
  readonly onAnswer: (answer: IncomingMessage) => void;
  /** Nothing was answered. */
  readonly onFailure: (refusal: RefusalError) => void;
}

/** One request to an upstream, until the head of its answer is there. */
export class UpstreamCall {
  readonly #options: Omit<CallOptions, "body">;
  readonly #timer: NodeJS.Timeout;
  #request: ClientRequest | null = null;
  #isOver = false;

  constructor({ body, ...options }: CallOptions) {
    this.#options = options;
    this.#timer = setTimeout(() => this.#fail(tooSlow(options)), options.headersTimeoutMs);
    this.#send(body);
  }

  /** True once the upstream has the whole request, and may charge for it. */
  get isSent(): boolean {
    return this.#request?.writableFinished === true;
  }

  /** Ends the request and its answer, wherever they are. */
  abort(): void {
    this.#finish();
    this.#request?.destroy();
  }

  /** Once only: of a request that failed nobody can say whether it was received, and paid for. */
  #send(body: CallOptions["body"]): void {
    const { upstream, request } = this.#options;
    try {
      const sent = upstream.request(request);
      this.#request = sent;
      sent.on("response", (answer) => this.#answer(answer));
      sent.on("error", (error) => this.#fail(unreachable(upstream, error)));
      if (Buffer.isBuffer(body)) sent.end(body);
      else body.pipe(sent);
    } catch (error) {
      // Node refuses some paths and headers before anything is sent. Whoever calls hears of it as of any other failure.
      queueMicrotask(() => this.#fail(unsendable(error)));
    }
  }

  #answer(answer: IncomingMessage): void {
    if (this.#isOver) return;
    this.#finish();
    this.#options.onAnswer(answer);
  }

  #fail(refusal: RefusalError): void {
    if (this.#isOver) return;
    this.abort();
    this.#options.onFailure(refusal);
  }

  #finish(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }
}

function unsendable(cause: unknown): RefusalError {
  return new RefusalError("request", `the request cannot be passed on: ${messageOf(cause)}.`, { cause });
}

function unreachable({ host }: Upstream, error: NodeJS.ErrnoException): RefusalError {
  const why = error.code ?? messageOf(error);
  return new RefusalError("upstream", `${host} cannot be reached (${why}). Check the network and --upstream.`, {
    status: 502,
    cause: error,
    story: connectionError(error, host).message,
  });
}

function tooSlow({ upstream, headersTimeoutMs }: Pick<CallOptions, "upstream" | "headersTimeoutMs">): RefusalError {
  return new RefusalError("upstream", `${upstream.host} did not begin to answer within ${headersTimeoutMs / 1000} s.`, {
    status: 504,
  });
}
