import type { Limits, Output, Tokenizer, Turn } from "../../core/index.js";
import { computeFingerprint, didYouMean, UsageError } from "../../core/index.js";
import { loadTokenizer } from "../../models/index.js";
import { Bm25 } from "../compressors/bm25.js";
import { formatHistory, formatTurn } from "./history.js";
import type { MemoryAnswer, MemoryFactory, MemorySystem, MemoryTrial } from "./memory-system.js";
import type { Reader } from "./reader.js";

/** The context that a memory retrieves: the same for every question, or a function of the question. */
type Recall = string | ((question: string) => string);

interface ContextMemoryOptions {
  name: string;
  reader: Reader;
  /** Builds the context from the ingested turns. */
  recall: (turns: readonly Turn[]) => Recall;
  /** True if the context is the whole conversation, which is too long to store with every answer. */
  bringsAll?: boolean;
  tokenizer?: Tokenizer;
}

/** A memory that retrieves a part of the conversation and lets a reader answer from it. */
class ContextMemory implements MemorySystem {
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

/** Options of every built-in memory. */
export interface BuiltInMemoryOptions {
  /** Answers from what the memory retrieves. */
  reader: Reader;
  /** Its name in the results. Default: the name of the memory with its count. */
  name?: string;
  tokenizer?: Tokenizer;
}

/**
 * A memory whose context is the whole conversation.
 * @example
 * const memory = fullHistory({ reader: systemReader(model) });
 */
export function fullHistory(options: BuiltInMemoryOptions): ContextMemory {
  return new ContextMemory({ name: "full-history", ...options, recall: formatHistory, bringsAll: true });
}

/**
 * A memory whose context is the last turns.
 * @example
 * const memory = lastTurns({ count: 20, reader: systemReader(model) });
 */
export function lastTurns({ count, ...options }: BuiltInMemoryOptions & { count: number }): ContextMemory {
  const recall = (turns: readonly Turn[]) => formatHistory(turns.slice(-count));
  return new ContextMemory({ name: `last-n:${count}`, ...options, recall });
}

/**
 * A memory whose context is the turns that best match the question (BM25), in chronological order. Also searches dates and
 * speakers.
 * @example
 * const memory = bm25Memory({ count: 10, reader: systemReader(model) });
 */
export function bm25Memory({ count, ...options }: BuiltInMemoryOptions & { count: number }): ContextMemory {
  const recall: ContextMemoryOptions["recall"] = (turns) => {
    const index = new Bm25(turns.map(formatSearchText));
    return (question) => formatHistory(index.findTop(question, count).flatMap((position) => turns[position] ?? []));
  };
  return new ContextMemory({ name: `bm25:${count}`, ...options, recall });
}

function formatSearchText(turn: Turn): string {
  return typeof turn.date === "string" ? `${turn.date} ${formatTurn(turn)}` : formatTurn(turn);
}

type MemoryMaker = (argument: string | undefined) => (options: BuiltInMemoryOptions) => ContextMemory;

const MAKERS: Readonly<Record<string, MemoryMaker>> = {
  "full-history": (argument) => {
    if (argument === undefined) return fullHistory;
    throw new UsageError(`full-history takes no argument: remove ":${argument}".`);
  },
  "last-n": (argument) => {
    const count = parseTurnCount(argument, { usage: "last-n:20", default: 20 });
    return (options) => lastTurns({ ...options, count });
  },
  bm25: (argument) => {
    const count = parseTurnCount(argument, { usage: "bm25:10", default: 10 });
    return (options) => bm25Memory({ ...options, count });
  },
};

/** The names of the built-in memories. */
export const BUILT_IN_MEMORIES: readonly string[] = Object.keys(MAKERS);

/**
 * Creates a built-in memory from its name and the part after the colon.
 * @example
 * const factory = builtInMemory("bm25:10", { reader: systemReader(model) });
 */
export function builtInMemory(spec: string, options: BuiltInMemoryOptions): MemoryFactory {
  const colon = spec.indexOf(":");
  const name = colon === -1 ? spec : spec.slice(0, colon);
  const maker = Object.hasOwn(MAKERS, name) ? MAKERS[name] : undefined;
  if (maker === undefined) {
    throw new UsageError(
      `Unknown memory "${name}".${didYouMean(name, BUILT_IN_MEMORIES)} Give a custom memory as a file: ./my-memory.ts`,
    );
  }
  const make = maker(colon === -1 ? undefined : spec.slice(colon + 1));
  return () => make(options);
}

function parseTurnCount(text: string | undefined, rules: { usage: string; default: number }): number {
  if (text === undefined) return rules.default;
  const count = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (count >= 1) return count;
  throw new UsageError(`"${text}" is not a whole number of at least 1, as in ${rules.usage}.`);
}
