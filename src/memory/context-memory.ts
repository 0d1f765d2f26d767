import type { Turn } from "../core/example.js";
import { fingerprintOf } from "../core/fingerprint.js";
import type { Limits } from "../core/price.js";
import type { Output } from "../core/system.js";
import type { Tokenizer } from "../core/tokenizer.js";
import { loadTokenizer } from "../tokens/index.js";
import type { MemoryAnswer, MemorySystem, MemoryTrial } from "./memory-system.js";
import type { Reader } from "./reader.js";

/** What a memory brings up: the same text for every question, or one that depends on it. */
export type Recall = string | ((question: string) => string);

export interface ContextMemoryOptions {
  name: string;
  reader: Reader;
  /** What becomes of the turns that were taken in. */
  recall: (turns: readonly Turn[]) => Recall;
  /** False for a context that says no more than the conversation itself, and is too long to be kept with every answer. */
  keepsContext?: boolean;
  tokenizer?: Tokenizer;
}

/** A memory that brings up a part of the conversation and has a reader answer from it. */
export class ContextMemory implements MemorySystem {
  readonly name: string;
  declare readonly model?: string;
  declare readonly isRecorded?: boolean;
  declare readonly limits?: Limits;
  declare readonly endpoint?: string;
  readonly #options: ContextMemoryOptions;
  #turns: Turn[] = [];
  #recall: Recall = "";
  /** Of a recall that is the same for every question. */
  #tokens = 0;

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
    this.#remember();
  }

  async ingest(turns: Turn[]): Promise<void> {
    this.#turns = [...this.#turns, ...turns];
    this.#remember();
  }

  async query(question: string, trial: MemoryTrial = NO_TRIAL): Promise<MemoryAnswer> {
    const context = typeof this.#recall === "string" ? this.#recall : this.#recall(trial.question ?? question);
    const contextTokens = typeof this.#recall === "string" ? this.#tokens : this.#count(context);
    const output = await this.#options.reader.answer(context, question, trial);
    return { ...answerOf(output), contextTokens, ...(this.#options.keepsContext !== false && { context }) };
  }

  fingerprint(): unknown {
    return { memory: this.name, version: 1, reader: fingerprintOf(this.#options.reader, "answer") };
  }

  /** Long contexts are counted here, so that no query takes the longer for it. */
  #remember(): void {
    this.#recall = this.#options.recall(this.#turns);
    this.#tokens = typeof this.#recall === "string" ? this.#count(this.#recall) : 0;
  }

  #count(text: string): number {
    const { tokenizer = loadTokenizer("cl100k_base") } = this.#options;
    return tokenizer.count(text);
  }
}

/** For callers that never stop and pay for nothing. */
const NO_TRIAL: MemoryTrial = Object.freeze({
  signal: new AbortController().signal,
  budget: null,
  trial: 0,
  seed: 0,
  log: () => {},
});

const KNOWN = [
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

function answerOf(output: Output): MemoryAnswer {
  const known = KNOWN.filter((field) => output[field] !== undefined).map((field) => [field, output[field]] as const);
  return { answer: output.response ?? "", ...(Object.fromEntries(known) as Partial<MemoryAnswer>) };
}
