import { AssayError, EXIT, isTrialError, messageOf } from "../../core/errors.js";
import type { Turn } from "../../core/example.js";
import type { Limits } from "../../core/price.js";
import { requireShape } from "../../core/shape.js";
import type { Output, TrialContext } from "../../core/system.js";

/** What a memory answers, and what it knows about how it came to it. */
export interface MemoryAnswer extends Partial<KnownOfAnswer> {
  answer: string;
  /** Tokens of what was remembered and given to whoever answers. */
  contextTokens?: number;
}

/** What an answer may tell about itself, with the meaning it has on an output. */
type KnownOfAnswer = Required<
  Pick<
    Output,
    | "usage"
    | "costUsd"
    | "context"
    | "stopped"
    | "partial"
    | "ttftMs"
    | "tokensPerSec"
    | "trajectory"
    | "metadata"
    | "latency"
  >
>;

/** What a memory is told about the trial it works for: the example's id, never its gold answer. */
export interface MemoryTrial extends TrialContext {
  readonly exampleId?: string | number;
  readonly dataset?: string;
  /** The question alone, where what is asked begins with the date of asking. */
  readonly question?: string;
  /** When the question is asked, as the dataset writes it. */
  readonly date?: string;
  /** Tokens of the whole conversation, for a memory that brings up all of it. */
  readonly historyTokens?: number;
}

/**
 * A memory that is measured: it is told a conversation, then asked about it. Turns carry their `session` and `date`.
 * @example
 * const notes: string[] = [];
 * const scribe: MemorySystem = {
 *   name: "scribe",
 *   reset: async () => void (notes.length = 0),
 *   ingest: async (turns) => void notes.push(...turns.map((turn) => turn.content)),
 *   query: async (question) => ({ answer: notes.at(-1) ?? question }),
 * };
 */
export interface MemorySystem {
  readonly name: string;
  /** Forgets everything. Called before every `ingest`. */
  reset(): Promise<void>;
  /** Takes in a whole conversation, in the order of time. */
  ingest(turns: Turn[], trial?: MemoryTrial): Promise<void>;
  /** Answers a question. It begins with a line that says when it is asked, where the dataset knows that. */
  query(question: string, trial?: MemoryTrial): Promise<MemoryAnswer>;
  /** What identifies its work in the cache; see `fingerprintOf` for the default. */
  fingerprint?(): unknown;
  /** The model that answers, as its provider names it. */
  readonly model?: string;
  /** True when answers only repeat what was recorded, and paid for, before. */
  readonly isRecorded?: boolean;
  readonly limits?: Limits;
  readonly endpoint?: string;
  /** Gives back what it holds. Called for memories that a factory made. */
  close?(): Promise<void>;
}

/** Makes a memory of its own for every conversation in use, so that trials run side by side. */
export type MemoryFactory = () => MemorySystem | Promise<MemorySystem>;

/** A memory that failed to take in a conversation or to answer. The category of the row follows from the cause. */
export class MemoryError extends AssayError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("MEMORY", message, { ...options, exitCode: EXIT.infrastructure });
  }
}

/** Throws unless a value can be measured as a memory. */
export function requireMemory(value: unknown, what = "A memory"): MemorySystem {
  return requireShape<MemorySystem>(what, value, ["reset", "ingest", "query"]);
}

/** What a memory threw, in words. An error that says how the trial is to be counted, or made again, stays as it is. */
export function memoryFailure(memory: MemorySystem, method: string, cause: unknown): Error {
  if (isTrialError(cause)) return cause;
  return new MemoryError(`${method}() of the memory "${memory.name}" failed: ${messageOf(cause)}`, { cause });
}
