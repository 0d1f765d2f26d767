import type { ServerResponse } from "node:http";
import type { PlannedFault } from "../../core/index.js";
import type { Dialect, GatewayDialectName, TransportAnswer } from "../../models/index.js";
import { FaultyAnswer, isAnswerFault } from "./answer-faults.js";
import type { StreamTiming } from "./ledger.js";
import type { Upstream, UpstreamRequest } from "./provider.js";
import type { RequestEnding } from "./receipt.js";
import { CONNECTION_BROKEN, ErrorBody, formatRefusalEvents, type RefusalError, sendRefusal } from "./refusal.js";
import { EventRelay, pipeResponse, WholeRelay, writeResponseHead } from "./relay.js";
import { type RequestMeter, UpstreamCall } from "./request-meter.js";
import { KeyMask } from "./secrets.js";

export interface MeteredExchangeOptions {
  readonly client: ServerResponse;
  readonly dialect: Dialect<GatewayDialectName>;
  readonly upstream: Upstream;
  readonly request: UpstreamRequest;
  readonly body: Buffer;
  readonly meter: RequestMeter;
  readonly hidesUsage: boolean;
  /** Added to the response headers of metered answers. */
  readonly extraHeaders: readonly string[];
  readonly headersTimeoutMs: number;
  readonly timing: StreamTiming;
  /** A fault to inject into the answer; null for none. */
  readonly fault: PlannedFault | null;
  /** Called when the fault is injected. */
  readonly onFault: () => void;
  /** Called once. */
  readonly onEnd: (end: MeteredExchangeEnd) => void;
}

interface MeteredExchangeEnd {
  readonly ending: RequestEnding;
  /** False when the upstream did not accept the request. */
  readonly isBilled: boolean;
  /** The error of a failed request. */
  readonly message: string | null;
}

const STREAM_ENDED_EARLY = "The stream ended before the answer was complete.";

type ExchangePhase = "waiting" | "events" | "whole" | "error" | "over";

/**
 * One metered request, from forwarding it to the end of its answer. It ends exactly once; its meter has the usage up to
 * then.
 */
export class MeteredExchange {
  /** Without the body, to free long prompts while the answer is awaited. */
  readonly #options: Omit<MeteredExchangeOptions, "body">;
  readonly #call: UpstreamCall;
  #phase: ExchangePhase = "waiting";
  /** Set while events are streamed. */
  #relay: EventRelay | null = null;
  #cutWith: RefusalError | null = null;

  constructor({ body, ...options }: MeteredExchangeOptions) {
    const { upstream, request, headersTimeoutMs } = options;
    this.#options = options;
    options.client.on("close", () => this.abandon());
    this.#call = new UpstreamCall({
      upstream,
      request,
      body,
      headersTimeoutMs,
      onAnswer: (answer) => this.#handleResponse(answer),
      onFailure: (refusal) => this.#refuse("failed", refusal),
    });
  }

  /** The client disconnected or the gateway is closing. A complete answer still counts as answered. */
  abandon(): void {
    if (this.#phase === "over") return;
    this.#end(this.#options.meter.isFinished ? "answered" : "abandoned");
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

  #handleResponse(answer: TransportAnswer): void {
    const { status } = answer;
    const type = answer.headers["content-type"] ?? "";
    // An HTML page comes from something in between, such as a login page, not from a model.
    if (status < 200 || status >= 300 || /html/i.test(type)) this.#pipeError(answer);
    else if (type.includes("text/event-stream")) this.#pipeEvents(answer);
    else this.#pipeWhole(answer);
  }

  /** Errors and redirects are passed on unchanged and are not billed, but keys in them are masked. */
  #pipeError(answer: TransportAnswer): void {
    const { client, dialect, upstream } = this.#options;
    const mask = new KeyMask(upstream.key);
    const body = new ErrorBody();
    this.#phase = "error";
    writeResponseHead(client, answer, { mask });
    const onChunk = (chunk: Buffer) => {
      body.push(chunk);
      client.write(mask.push(chunk));
    };
    const onEnd = () => {
      client.write(mask.end());
      this.#finish("failed", body.message(dialect, answer.status));
    };
    pipeResponse({ answer, client, onChunk, onEnd, onBroken: () => this.#handleBroken() });
  }

  #pipeWhole(answer: TransportAnswer): void {
    const { client, meter } = this.#options;
    const relay = new WholeRelay({ client, meter });
    this.#startResponse("whole", answer);
    const onEnd = () => {
      relay.end();
      this.#finish(meter.error === null ? "answered" : "failed", meter.error);
    };
    pipeResponse({
      answer,
      client,
      onChunk: (chunk) => relay.push(chunk),
      onEnd,
      onBroken: () => this.#handleBroken(),
      through: this.#openFaultyAnswer(false),
    });
  }

  #pipeEvents(answer: TransportAnswer): void {
    const { client, meter, hidesUsage, timing } = this.#options;
    const relay = new EventRelay({ client, meter, hidesUsage });
    this.#relay = relay;
    this.#startResponse("events", answer);
    client.flushHeaders();
    const onChunk = (chunk: Buffer) => {
      timing.recordChunk();
      if (this.#phase !== "over" && !relay.push(chunk)) this.#endEvents(relay);
    };
    const onEnd = () => {
      relay.end();
      const problem = meter.error ?? (meter.isFinished ? null : STREAM_ENDED_EARLY);
      this.#finish(problem === null ? "answered" : "failed", problem);
    };
    const through = this.#openFaultyAnswer(true);
    pipeResponse({ answer, client, onChunk, onEnd, onBroken: () => this.#handleBroken(), through });
  }

  /** Null if nothing is to be injected into the answer. */
  #openFaultyAnswer(isEvents: boolean): FaultyAnswer | null {
    const { fault, onFault } = this.#options;
    return fault === null || !isAnswerFault(fault) ? null : new FaultyAnswer({ fault, isEvents, onFault });
  }

  #startResponse(phase: ExchangePhase, answer: TransportAnswer): void {
    this.#phase = phase;
    const { client, hidesUsage, extraHeaders, fault } = this.#options;
    const isChanged = fault?.kind === "malformed" || (phase === "events" && hidesUsage);
    writeResponseHead(client, answer, { isChanged, extraHeaders });
  }

  /** Inside an event no error can be sent, so the connection is closed to keep the client from taking it for a normal end. */
  #endEvents({ isBetween, nextNumber }: EventRelay): void {
    const { client, dialect } = this.#options;
    this.#end("cut");
    this.#call.abort();
    if (isBetween && this.#cutWith !== null) client.end(formatRefusalEvents(dialect, this.#cutWith, nextNumber));
    else client.destroy();
  }

  #refuse(ending: RequestEnding, refusal: RefusalError): void {
    this.#end(ending, ending === "failed" ? refusal.story : null);
    this.#call.abort();
    sendRefusal(this.#options.client, this.#options.dialect, refusal);
  }

  #finish(ending: RequestEnding, message: string | null): void {
    if (this.#phase === "over") return;
    this.#end(ending, message);
    this.#options.client.end();
  }

  #handleBroken(): void {
    if (this.#phase === "over") return;
    this.#end("failed", CONNECTION_BROKEN);
    this.#call.abort();
    this.#options.client.destroy();
  }

  #end(ending: RequestEnding, message: string | null = null): void {
    const isBilled = this.#phase === "waiting" ? ending !== "failed" && this.#call.isSent : this.#phase !== "error";
    this.#phase = "over";
    this.#relay = null;
    this.#options.onEnd({ ending, isBilled, message });
  }
}
