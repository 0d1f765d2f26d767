import type { Turn } from "../../core/example.js";
import { computeFingerprint } from "../../core/fingerprint.js";
import type { Limits } from "../../core/price.js";
import type { Output } from "../../core/system.js";
import type { Tokenizer } from "../../core/tokenizer.js";
import { loadTokenizer } from "../../models/tokens/index.js";
import type { MemoryAnswer, MemorySystem, MemoryTrial } from "./memory-system.js";
import type { Reader } from "./reader.js";

/** The context that a memory retrieves: the same for every question, or a function of the question. */
export type Recall = string | ((question: string) => string);

export interface ContextMemoryOptions {
  name: string;
  reader: Reader;
  /** Builds the context from the ingested turns. */
  recall: (turns: readonly Turn[]) => Recall;
  /** True if the context is the whole conversation, which is too long to store with every answer. */
  bringsAll?: boolean;
  tokenizer?: Tokenizer;
}

/** A memory that retrieves a part of the conversation and lets a reader answer from it. */
export class ContextMemory implements MemorySystem {
  readonly name: string;
  declare readonly model?: string;
  declare readonly isRecorded?: boolean;
  declare readonly limits?: Limits;
  declare readonly endpoint?: string;
  readonly #options: ContextMemoryOptions;
  #turns: Turn[] = [];
  #recall: Recall = "";
  /** The last counted context: it is often the same for every question. */
  #counted = { text: "", tokens: 0 };

  constructor(options: ContextMemoryOptions) {
    const { model, isRecorded, limits, endpoint } = options.reader;
    this.#options = options;
    this.name = options.name;
    if (model !== undefined) this.model = model;
    if (isRecorded !== undefined) this.isRecorded = isRecorded;
    if (limits !== undefined) this.limits = limits;
    if (endpoint !== undefined) this.endpoint = endpoint;
  }

  async reset(): Promise<void> {
    this.#turns = [];
    this.#recall = this.#options.recall(this.#turns);
  }

  async ingest(turns: Turn[]): Promise<void> {
    this.#turns = [...this.#turns, ...turns];
    this.#recall = this.#options.recall(this.#turns);
  }

  async query(question: string, trial: MemoryTrial = NO_TRIAL): Promise<MemoryAnswer> {
    const context = typeof this.#recall === "string" ? this.#recall : this.#recall(trial.question ?? question);
    const output = await this.#options.reader.answer(context, question, trial);
    const { bringsAll = false } = this.#options;
    const known = bringsAll ? trial.historyTokens : undefined;
    const count = () => known ?? this.#count(context);
    return {
      ...toMemoryAnswer(output),
      ...(!bringsAll && { context }),
      // Counted lazily, so that counting is not part of the memory's measured time.
      get contextTokens() {
        return count();
      },
    };
  }

  fingerprint(): unknown {
    return { memory: this.name, version: 1, reader: computeFingerprint(this.#options.reader, "answer") };
  }

  #count(text: string): number {
    const { tokenizer = loadTokenizer("cl100k_base") } = this.#options;
    if (text !== this.#counted.text) this.#counted = { text, tokens: tokenizer.count(text) };
    return this.#counted.tokens;
  }
}

/** For callers without an abort signal or a budget. */
const NO_TRIAL: MemoryTrial = Object.freeze({
  signal: new AbortController().signal,
  budget: null,
  trial: 0,
  seed: 0,
  log: () => {},
});

const COPIED_FIELDS = [
  "usage",
  "costUsd",
  "stopped",
  "partial",
  "ttftMs",
  "tokensPerSec",
  "trajectory",
  "metadata",
  "latency",
] as const;

function toMemoryAnswer(output: Output): MemoryAnswer {
  const known = COPIED_FIELDS.filter((field) => output[field] !== undefined).map(
    (field) => [field, output[field]] as const,
  );
  return { answer: output.response ?? "", ...(Object.fromEntries(known) as Partial<MemoryAnswer>) };
}
