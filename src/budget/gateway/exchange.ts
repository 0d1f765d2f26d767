import type { IncomingMessage, ServerResponse } from "node:http";
import type { Dialect } from "../../models/dialects/dialect.js";
import type { Pace } from "./ledger.js";
import type { Upstream, UpstreamRequest } from "./provider.js";
import type { Ending } from "./receipt.js";
import { BROKEN_OFF, ErrorBody, type RefusalError, refusalEvents, sendRefusal } from "./refusal.js";
import { beginAnswer, carry, EventRelay, WholeRelay } from "./relay.js";
import { type RequestMeter, UpstreamCall } from "./request-meter.js";
import { KeyMask } from "./secrets.js";

export interface ExchangeOptions {
  readonly client: ServerResponse;
  readonly dialect: Dialect;
  readonly upstream: Upstream;
  readonly request: UpstreamRequest;
  readonly body: Buffer;
  readonly meter: RequestMeter;
  readonly hidesUsage: boolean;
  /** Added to the response headers of metered answers. */
  readonly extraHeaders: readonly string[];
  readonly headersTimeoutMs: number;
  readonly pace: Pace;
  /** Called once. */
  readonly onEnd: (end: ExchangeEnd) => void;
}

interface ExchangeEnd {
  readonly ending: Ending;
  /** False when the upstream did not accept the request. */
  readonly isBilled: boolean;
  /** The error of a failed request. */
  readonly message: string | null;
}

const ENDED_EARLY = "The stream ended before the answer was complete.";

type Phase = "waiting" | "events" | "whole" | "error" | "over";

/**
 * One metered request, from forwarding it to the end of its answer. It ends exactly once; its meter has the usage up to
 * then.
 */
export class Exchange {
  /** Without the body, to free long prompts while the answer is awaited. */
  readonly #options: Omit<ExchangeOptions, "body">;
  readonly #call: UpstreamCall;
  #phase: Phase = "waiting";
  /** Set while events are streamed. */
  #relay: EventRelay | null = null;
  #cutWith: RefusalError | null = null;

  constructor({ body, ...options }: ExchangeOptions) {
    const { upstream, request, headersTimeoutMs } = options;
    this.#options = options;
    options.client.on("close", () => this.abandon());
    this.#call = new UpstreamCall({
      upstream,
      request,
      body,
      headersTimeoutMs,
      onAnswer: (answer) => this.#answer(answer),
      onFailure: (refusal) => this.#refuse("failed", refusal),
    });
  }

  /** The client disconnected or the gateway is closing. A complete answer still counts as answered. */
  abandon(): void {
    if (this.#phase === "over") return;
    this.#over(this.#options.meter.isFinished ? "answered" : "abandoned");
    this.#call.abort();
    this.#options.client.destroy();
  }

  /**
   * The budget is spent. Answers that are already paid for continue: those whose end was announced, and those that are not
   * streamed, which are sent only after they were generated.
   */
  cut(refusal: RefusalError): void {
    if (this.#phase === "waiting") this.#refuse("cut", refusal);
    if (this.#relay === null || this.#options.meter.isFinished) return;
    this.#cutWith = refusal;
    this.#relay.stop();
    if (!this.#relay.isReading) this.#endEvents(this.#relay);
  }

  #answer(answer: IncomingMessage): void {
    const status = answer.statusCode ?? 0;
    const type = answer.headers["content-type"] ?? "";
    // An HTML page comes from something in between, such as a login page, not from a model.
    if (status < 200 || status >= 300 || /html/i.test(type)) this.#carryError(answer);
    else if (type.includes("text/event-stream")) this.#carryEvents(answer);
    else this.#carryWhole(answer);
  }

  /** Errors and redirects are passed on unchanged and are not billed, but keys in them are masked. */
  #carryError(answer: IncomingMessage): void {
    const { client, dialect, upstream } = this.#options;
    const mask = new KeyMask(upstream.key);
    const body = new ErrorBody();
    this.#phase = "error";
    beginAnswer(client, answer, { mask });
    const onChunk = (chunk: Buffer) => {
      body.push(chunk);
      client.write(mask.push(chunk));
    };
    const onEnd = () => {
      client.write(mask.end());
      this.#finish("failed", body.message(dialect, answer.statusCode ?? 0));
    };
    carry({ answer, client, onChunk, onEnd, onBroken: () => this.#break() });
  }

  #carryWhole(answer: IncomingMessage): void {
    const { client, meter } = this.#options;
    const relay = new WholeRelay({ client, meter });
    this.#begin("whole", answer);
    const onEnd = () => {
      relay.end();
      this.#finish(meter.error === null ? "answered" : "failed", meter.error);
    };
    carry({ answer, client, onChunk: (chunk) => relay.push(chunk), onEnd, onBroken: () => this.#break() });
  }

  #carryEvents(answer: IncomingMessage): void {
    const { client, meter, hidesUsage, pace } = this.#options;
    const relay = new EventRelay({ client, meter, hidesUsage });
    this.#relay = relay;
    this.#begin("events", answer);
    client.flushHeaders();
    const onChunk = (chunk: Buffer) => {
      pace.noteChunk();
      if (this.#phase !== "over" && !relay.push(chunk)) this.#endEvents(relay);
    };
    const onEnd = () => {
      relay.end();
      const problem = meter.error ?? (meter.isFinished ? null : ENDED_EARLY);
      this.#finish(problem === null ? "answered" : "failed", problem);
    };
    carry({ answer, client, onChunk, onEnd, onBroken: () => this.#break() });
  }

  #begin(phase: Phase, answer: IncomingMessage): void {
    this.#phase = phase;
    const { client, hidesUsage, extraHeaders } = this.#options;
    beginAnswer(client, answer, { isChanged: phase === "events" && hidesUsage, extraHeaders });
  }

  /** Inside an event no error can be sent, so the connection is closed to keep the client from taking it for a normal end. */
  #endEvents({ isBetween, nextNumber }: EventRelay): void {
    const { client, dialect } = this.#options;
    this.#over("cut");
    this.#call.abort();
    if (isBetween && this.#cutWith !== null) client.end(refusalEvents(dialect, this.#cutWith, nextNumber));
    else client.destroy();
  }

  #refuse(ending: Ending, refusal: RefusalError): void {
    this.#over(ending, ending === "failed" ? refusal.story : null);
    this.#call.abort();
    sendRefusal(this.#options.client, this.#options.dialect, refusal);
  }

  #finish(ending: Ending, message: string | null): void {
    if (this.#phase === "over") return;
    this.#over(ending, message);
    this.#options.client.end();
  }

  #break(): void {
    if (this.#phase === "over") return;
    this.#over("failed", BROKEN_OFF);
    this.#options.client.destroy();
  }

  #over(ending: Ending, message: string | null = null): void {
    const isBilled = this.#phase === "waiting" ? ending !== "failed" && this.#call.isSent : this.#phase !== "error";
    this.#phase = "over";
    this.#relay = null;
    this.#options.onEnd({ ending, isBilled, message });
  }
}
