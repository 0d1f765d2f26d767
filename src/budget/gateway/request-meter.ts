import type { Readable } from "node:stream";
import type { Price, Tokenizer, Usage } from "../../core/index.js";
import { getErrorMessage, isTrialError } from "../../core/index.js";
import type { AnswerDelta, AnswerReader, Finish, TransportAnswer } from "../../models/index.js";
import { createHttpConnectionError } from "../../models/index.js";
import type { GatewayLedger } from "./ledger.js";
import type { Upstream, UpstreamRequest } from "./provider.js";
import { computeFigures, type RequestFigures } from "./receipt.js";
import { RefusalError, UnsendableRequestError } from "./refusal.js";
import type { CallObserver } from "./traffic-observer.js";

export interface RequestMeterOptions {
  readonly ledger: GatewayLedger;
  readonly reader: AnswerReader;
  readonly price: Price | null;
  readonly tokenizer: Tokenizer;
  /** Approximate prompt length, billed until the provider reports usage. */
  readonly promptTokens: number;
  /** Called when text of the model was read. */
  readonly onText?: () => void;
  /** Gets each event before it is metered, which may end the call. */
  readonly observer?: CallObserver | null;
}

/**
 * Meters one answer into the ledger as it arrives. Text is counted until usage is reported, which replaces the count, so
 * that a long answer can be stopped early.
 */
export class RequestMeter {
  readonly #options: RequestMeterOptions;
  /** Output tokens since usage was last reported. */
  #estimatedOutput = 0;
  #estimatedInput = 0;
  #reported: Usage | null = null;
  /** This answer's figures in the ledger. */
  #figures: RequestFigures | null = null;
  #isUnreadable = false;

  constructor(options: RequestMeterOptions) {
    this.#options = options;
  }

  readEvent(event: unknown): void {
    this.#options.observer?.readEvent(event);
    this.#applyDelta(() => this.#options.reader.readEvent(event));
  }

  /** Reads an answer that was not streamed. Gemini's streams come as one array unless the client requests events. */
  readWhole(body: unknown): void {
    if (Array.isArray(body)) {
      for (const event of body) this.readEvent(event);
      return;
    }
    this.#options.observer?.readWhole(body);
    this.#applyDelta(() => this.#options.reader.readWhole(body));
  }

  /** Part of the answer was lost, so its usage may be incomplete. */
  markUnreadable(): void {
    this.#isUnreadable = true;
    this.#options.observer?.markUnreadable();
    this.#updateLedger();
  }

  /** True when everything billable has been generated, so stopping would save nothing. */
  get isFinished(): boolean {
    const { isComplete, finish } = this.#options.reader;
    return isComplete || finish !== null;
  }

  /** How the answer ended; null until it has. */
  get finish(): Finish | null {
    return this.#options.reader.finish;
  }

  /** The provider's own word for it. */
  get finishReason(): string | null {
    return this.#options.reader.finishReason;
  }

  /** The provider's error; null when there is none. */
  get error(): string | null {
    return this.#options.reader.error?.message ?? null;
  }

  /**
   * Call at the end. A prompt whose usage was never reported is estimated, or clients that always disconnect early could
   * spend without limit; but not when the budget cut off the answer before its first text.
   */
  close(isCut: boolean): void {
    const { reader, promptTokens } = this.#options;
    if (reader.usage === null && !isCut) this.#estimatedInput = promptTokens;
    if (reader.usage !== null && this.isFinished) this.#estimatedOutput = 0;
    this.#updateLedger();
  }

  /** The usage so far; null until part of the answer has arrived. */
  get figures(): RequestFigures | null {
    return this.#figures;
  }

  #computeFigures(): RequestFigures {
    const { reader, price } = this.#options;
    const figures = computeFigures({
      price,
      usage: reader.usage,
      providerCostUsd: reader.costUsd,
      estimatedInput: this.#estimatedInput,
      estimatedOutput: this.#estimatedOutput,
    });
    return this.#isUnreadable ? { ...figures, isEstimated: true } : figures;
  }

  /** Whatever a provider sends can only affect the figures of its own answer. */
  #applyDelta(read: () => AnswerDelta): void {
    try {
      this.#addOutput(read());
    } catch {
      this.#isUnreadable = true;
    }
    this.#updateLedger();
  }

  #addOutput({ text, hidden }: AnswerDelta): void {
    const { reader, tokenizer, promptTokens, onText: onWords } = this.#options;
    if (text !== "" || hidden !== "") onWords?.();
    if (reader.usage === this.#reported) {
      // A model that answers has read the prompt, so it counts from the first text on until the provider reports usage.
      if (reader.usage === null && text + hidden !== "") this.#estimatedInput = promptTokens;
      if (text !== "") this.#estimatedOutput += tokenizer.count(text);
      if (hidden !== "") this.#estimatedOutput += tokenizer.count(hidden);
      return;
    }
    this.#reported = reader.usage;
    this.#estimatedOutput = 0;
    this.#estimatedInput = 0;
  }

  #updateLedger(): void {
    const before = this.#figures;
    const after = this.#computeFigures();
    // Before updating the ledger, whose listeners may read the figures at once.
    this.#figures = after;
    this.#options.ledger.replace(before, after);
  }
}

/** The start of every Chat Completions request changed to ask for usage. */
const USAGE_OPTION = Buffer.from('{"stream_options":{"include_usage":true},');

const OPENING_BRACE = 0x7b;

type RequestJson = Readonly<Record<string, unknown>>;

/** True when a streamed Chat Completions request asks for usage itself. */
export function hasUsageOption({ stream_options: options }: RequestJson): boolean {
  return isRecord(options) && options.include_usage === true;
}

/**
 * Adds the request for usage. If the body has no stream options, they are inserted in front and every other byte stays
 * the same: serializing again would round long numbers and be slow for long prompts.
 */
export function addUsageOption(body: Buffer, json: RequestJson): Buffer {
  const options = json.stream_options;
  if (options === undefined) return Buffer.concat([USAGE_OPTION, body.subarray(body.indexOf(OPENING_BRACE) + 1)]);
  const streamOptions = { ...(isRecord(options) ? options : {}), include_usage: true };
  return Buffer.from(JSON.stringify({ ...json, stream_options: streamOptions }));
}

/** True for the extra event that contains only usage. Clients always get other events, even with usage. */
export function isUsageOnly(event: unknown): boolean {
  return isRecord(event) && Array.isArray(event.choices) && event.choices.length === 0 && isRecord(event.usage);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Tiers at the standard price, which also applies without a tier. */
const STANDARD_TIERS = new Set(["auto", "default", "standard", "standard_only", "unspecified"]);

/** Tiers at no more than the standard price. */
const CHEAPER_TIERS = new Set(["flex", "batch"]);

/** The service tier of a request; null for the standard one. Anthropic's fast mode is treated as a tier. */
export function parseServiceTier(json: Readonly<Record<string, unknown>>): string | null {
  for (const value of [json.service_tier, json.serviceTier, json.speed]) {
    const tier = typeof value === "string" ? value.toLowerCase().replace(/^service_tier_/, "") : "";
    if (tier !== "" && !STANDARD_TIERS.has(tier)) return tier;
  }
  return null;
}

/** Formats the name of a model's tier as used in price tables and in the receipt. */
export function formatTierName(model: string, tier: string | null): string {
  return tier === null ? model : `${model} (${tier})`;
}

/** True when the tier costs no more than the standard price. */
export function isCoveredByStandardPrice(tier: string | null): boolean {
  return tier === null || CHEAPER_TIERS.has(tier);
}

export interface UpstreamCallOptions {
  readonly upstream: Upstream;
  readonly request: UpstreamRequest;
  /** A buffer, or a stream to forward as it arrives. */
  readonly body: Buffer | Readable;
  readonly headersTimeoutMs: number;
  readonly onAnswer: (answer: TransportAnswer) => void;
  /** Called when there was no answer. */
  readonly onFailure: (refusal: RefusalError) => void;
}

/** One request to an upstream, until the headers of its answer arrive. */
export class UpstreamCall {
  readonly #options: Omit<UpstreamCallOptions, "body">;
  readonly #timer: NodeJS.Timeout;
  readonly #stop = new AbortController();
  #isSent = false;
  #isOver = false;

  constructor({ body, ...options }: UpstreamCallOptions) {
    this.#options = options;
    this.#timer = setTimeout(() => this.#fail(createTimeoutError(options)), options.headersTimeoutMs);
    this.#send(body);
  }

  /** True once the upstream has received the whole request and may charge for it. */
  get isSent(): boolean {
    return this.#isSent;
  }

  /** Ends the request and its answer. */
  abort(): void {
    this.#finish();
    this.#stop.abort();
  }

  /** Never retried: after a failure it is unknown whether the request was received and billed. */
  #send(body: UpstreamCallOptions["body"]): void {
    const { upstream, request } = this.#options;
    const onSent = () => {
      this.#isSent = true;
    };
    void upstream.send(request, { body, signal: this.#stop.signal, onSent }).then(
      (answer) => this.#handleResponse(answer),
      (error) => this.#fail(explainFailure(upstream, error)),
    );
  }

  #handleResponse(answer: TransportAnswer): void {
    if (this.#isOver) {
      answer.body.destroy();
      return;
    }
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

function explainFailure(upstream: Upstream, error: unknown): RefusalError {
  if (error instanceof UnsendableRequestError)
    return new RefusalError("request", `the request cannot be forwarded: ${error.message}.`, { cause: error });
  // A trial error is about the call itself, not about the way to the endpoint.
  if (isTrialError(error)) return new RefusalError("request", error.message, { cause: error, story: error.message });
  return createUnreachableError(upstream, error as NodeJS.ErrnoException);
}

function createUnreachableError({ host }: Upstream, error: NodeJS.ErrnoException): RefusalError {
  const why = error.code ?? getErrorMessage(error);
  return new RefusalError("upstream", `${host} cannot be reached (${why}). Check the network and --upstream.`, {
    status: 502,
    cause: error,
    story: createHttpConnectionError(error, host).message,
  });
}

function createTimeoutError({
  upstream,
  headersTimeoutMs,
}: Pick<UpstreamCallOptions, "upstream" | "headersTimeoutMs">): RefusalError {
  return new RefusalError("upstream", `${upstream.host} did not start to answer within ${headersTimeoutMs / 1000} s.`, {
    status: 504,
  });
}
