import type { AnswerReader, Delta } from "../dialects/index.js";
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

  /** True when the answer came to its end and the provider said what it used. */
  get isReported(): boolean {
    return this.reader.isComplete && this.reader.usage !== null;
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
