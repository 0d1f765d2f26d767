import type { Usage } from "../core/system.js";
import type { AnswerReader, Delta } from "../models/dialects/index.js";
import type { Bill } from "./model-bill.js";
import type { ModelMeter } from "./model-meter.js";

export interface ReplyOptions {
  readonly reader: AnswerReader;
  readonly meter: ModelMeter;
  /** Milliseconds, monotonic. */
  readonly clock: () => number;
}

/** The model's answer to one call: what has come of it so far, and when. */
export class ModelReply {
  readonly reader: AnswerReader;
  readonly startedAt: number;
  text = "";
  /** When the first text came, visible or hidden; null while none has. */
  firstTextAt: number | null = null;
  firstVisibleAt: number | null = null;
  lastTextAt = 0;
  /** In how many pieces the text came. */
  pieces = 0;
  /** True once text came that is billed and not shown. */
  hasHidden = false;
  /** True once the model has answered anything at all. */
  hasBegun = false;
  /** Output tokens counted in the text, for an answer whose usage was never told. */
  countedTokens: number | null = null;
  /** Where the bill of the call can be asked for; null unless a gateway says so. */
  billUrl: string | null = null;
  #bill: Bill | null = null;
  readonly #meter: ModelMeter;
  readonly #clock: () => number;

  constructor({ reader, meter, clock }: ReplyOptions) {
    this.reader = reader;
    this.#meter = meter;
    this.#clock = clock;
    this.startedAt = clock();
  }

  /** Takes in one event of a stream. False when there is no use in reading on: the budget is spent, or an error came. */
  takeEvent(event: unknown): boolean {
    this.#take(this.reader.readEvent(event));
    this.#meter.addUsage(this.reader.usage);
    return !this.#meter.isExceeded && this.reader.error === null;
  }

  takeWhole(body: unknown): void {
    const delta = this.reader.readWhole(body);
    this.#meter.addUsage(this.reader.usage);
    this.#take(delta, this.reader.usage === null);
  }

  /** True when it is known what the call has used: the answer came to its end and the provider said so, or a gateway did. */
  get isReported(): boolean {
    return this.#bill !== null || (this.reader.isComplete && this.reader.usage !== null);
  }

  /** True when a part of what the call has used is only estimated. */
  get isEstimated(): boolean {
    return this.#bill?.isEstimated ?? !this.isReported;
  }

  /** What the call has used, as far as anybody said. */
  get usage(): Usage | null {
    return this.#bill?.usage ?? this.reader.usage;
  }

  /** Takes in what a gateway has metered of an answer that was left before its end. */
  settle(bill: Bill | null): void {
    this.#bill = bill;
    if (bill !== null) this.#meter.addUsage(bill.usage);
  }

  /** True when text has come, so that the call must not be made again. */
  get hasText(): boolean {
    return this.firstTextAt !== null;
  }

  /** No more will come. */
  end(): void {
    this.countedTokens = this.#meter.streamedTokens;
    this.#meter.endCall(this.isReported);
  }

  #take(delta: Delta, isCounted = true): void {
    this.hasBegun ||= delta.text !== "" || delta.hidden !== "" || this.reader.usage !== null;
    if (delta.text === "" && delta.hidden === "") return;
    this.lastTextAt = this.#clock();
    this.firstTextAt ??= this.lastTextAt;
    this.hasHidden ||= delta.hidden !== "";
    if (delta.text !== "") this.firstVisibleAt ??= this.lastTextAt;
    this.pieces += 1;
    this.text += delta.text;
    if (isCounted) this.#meter.addText(delta);
  }
}
