import type { Price } from "../../core/price.js";
import type { Usage } from "../../core/system.js";
import type { Tokenizer } from "../../core/tokenizer.js";
import type { AnswerReader, Delta, Finish } from "../../models/dialects/dialect.js";
import { type Figures, figuresOf } from "./figures.js";
import type { Ledger } from "./ledger.js";

export interface MeterOptions {
  readonly ledger: Ledger;
  readonly reader: AnswerReader;
  readonly price: Price | null;
  readonly tokenizer: Tokenizer;
  /** Roughly the length of the prompt: billed until the provider tells. */
  readonly promptTokens: number;
  /** Called when words of the model were read. */
  readonly onWords?: () => void;
}

/**
 * Meters one answer into the ledger as it comes. Text is counted until usage is reported, which replaces the count, so
 * that a long answer can be stopped part-way.
 */
export class RequestMeter {
  readonly #options: MeterOptions;
  /** Output since usage was last reported. */
  #estimatedOutput = 0;
  #estimatedInput = 0;
  #reported: Usage | null = null;
  /** What of this answer is in the ledger. */
  #figures: Figures | null = null;
  #isUnreadable = false;

  constructor(options: MeterOptions) {
    this.#options = options;
  }

  readEvent(event: unknown): void {
    this.#take(() => this.#options.reader.readEvent(event));
  }

  /** An answer that was not streamed; Gemini's streams come as one array when a client asks for no events. */
  readWhole(body: unknown): void {
    if (Array.isArray(body)) for (const event of body) this.readEvent(event);
    else this.#take(() => this.#options.reader.readWhole(body));
  }

  /** A part of the answer was lost on the way, so that its usage may be incomplete. */
  markUnreadable(): void {
    this.#isUnreadable = true;
    this.#post();
  }

  /** True when all that can be billed has been made: the answer is paid, and stopping it would save nothing. */
  get isFinished(): boolean {
    const { isComplete, finish } = this.#options.reader;
    return isComplete || finish !== null;
  }

  /** How the answer ended; null until it did. */
  get finish(): Finish | null {
    return this.#options.reader.finish;
  }

  /** What the provider itself said went wrong; null when nothing did. */
  get error(): string | null {
    return this.#options.reader.error?.message ?? null;
  }

  /**
   * Nothing more will come. A prompt whose usage was never reported is estimated, or clients that always leave early could
   * spend without end; but not when the budget has cut the answer before its first word.
   */
  close(isCut: boolean): void {
    const { reader, promptTokens } = this.#options;
    if (reader.usage === null && !isCut) this.#estimatedInput = promptTokens;
    if (reader.usage !== null && this.isFinished) this.#estimatedOutput = 0;
    this.#post();
  }

  /** What was used so far; null until something of the answer is there. */
  get figures(): Figures | null {
    return this.#figures;
  }

  #weigh(): Figures {
    const { reader, price } = this.#options;
    const figures = figuresOf({
      price,
      usage: reader.usage,
      providerCostUsd: reader.costUsd,
      estimatedInput: this.#estimatedInput,
      estimatedOutput: this.#estimatedOutput,
    });
    return this.#isUnreadable ? { ...figures, isEstimated: true } : figures;
  }

  /** Whatever a provider sends, it costs at most the figures of its own answer. */
  #take(read: () => Delta): void {
    try {
      this.#count(read());
    } catch {
      this.#isUnreadable = true;
    }
    this.#post();
  }

  #count({ text, hidden }: Delta): void {
    const { reader, tokenizer, promptTokens, onWords } = this.#options;
    if (text !== "" || hidden !== "") onWords?.();
    if (reader.usage === this.#reported) {
      // Whoever answers has read the prompt: it counts from the first word on, until the provider tells.
      if (reader.usage === null && text + hidden !== "") this.#estimatedInput = promptTokens;
      if (text !== "") this.#estimatedOutput += tokenizer.count(text);
      if (hidden !== "") this.#estimatedOutput += tokenizer.count(hidden);
      return;
    }
    this.#reported = reader.usage;
    this.#estimatedOutput = 0;
    this.#estimatedInput = 0;
  }

  #post(): void {
    const before = this.#figures;
    const after = this.#weigh();
    // Before the ledger: whoever it tells may ask at once.
    this.#figures = after;
    this.#options.ledger.replace(before, after);
  }
}
