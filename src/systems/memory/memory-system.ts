import type { Limits, Output, TrialContext, Turn } from "../../core/index.js";
import {
  AssayError,
  describeValue,
  EXIT,
  getErrorMessage,
  isTrialError,
  ModuleError,
  requireShape,
  ShapeError,
} from "../../core/index.js";

/** A memory's answer, and optional measurements. */
export interface MemoryAnswer extends Partial<AnswerMeasures> {
  answer: string;
  /** Tokens of the context that was given to the reader. */
  contextTokens?: number;
}

/** Optional measurements, with the same meaning as on an output. */
type AnswerMeasures = Required<
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

/** What a memory is told about its trial: the example's id, never its gold answer. */
export interface MemoryTrial extends TrialContext {
  readonly exampleId?: string | number;
  readonly dataset?: string;
  /** The question without the line about its date. */
  readonly question?: string;
  /** When the question is asked, as in the dataset. */
  readonly date?: string;
  /** Tokens of the whole conversation, for a memory that uses all of it. */
  readonly historyTokens?: number;
}

/**
 * A memory to measure: it ingests a conversation, then answers questions about it. Turns have a `session` and a `date`.
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
  /** Ingests a whole conversation, in chronological order. */
  ingest(turns: Turn[], trial?: MemoryTrial): Promise<void>;
  /** Answers a question. It begins with a line with its date if the dataset has one. */
  query(question: string, trial?: MemoryTrial): Promise<MemoryAnswer>;
  /** Identifies its work in the cache; see `fingerprintOf` for the default. */
  fingerprint?(): unknown;
  /** The model that answers, as its provider names it. */
  readonly model?: string;
  /** True if answers only repeat recorded ones, which were paid for before. */
  readonly isRecorded?: boolean;
  readonly limits?: Limits;
  readonly endpoint?: string;
  /** Releases its resources. Called for memories made by a factory. */
  close?(): Promise<void>;
}

/** Makes a separate memory for each open conversation, so that trials can run concurrently. */
export type MemoryFactory = () => MemorySystem | Promise<MemorySystem>;

/** A memory failed to ingest a conversation or to answer. The cause determines the category of the row. */
export class MemoryError extends AssayError {
  constructor(message: string, options: { cause?: unknown } = {}) {
    super("MEMORY", message, { ...options, exitCode: EXIT.infrastructure });
  }
}

/** Throws if a value is not a memory. */
function requireMemory(value: unknown, what = "A memory"): MemorySystem {
  return requireShape<MemorySystem>(what, value, ["reset", "ingest", "query"]);
}

/** Wraps what a memory threw. An error that already says how to count or retry the trial is returned unchanged. */
export function toMemoryError(memory: MemorySystem, method: string, cause: unknown): Error {
  if (isTrialError(cause)) return cause;
  return new MemoryError(`${method}() of the memory "${memory.name}" failed: ${getErrorMessage(cause)}`, { cause });
}

/**
 * The memory of a user's module: its default export or its export `memory`, which is a class, a factory function or an
 * object.
 * @example
 * const memory = createMemoryFromModule(await import("./my-memory.js"), "./my-memory.js");
 */
export function createMemoryFromModule(
  exports: Readonly<Record<string, unknown>>,
  path: string,
): MemorySystem | MemoryFactory {
  const found = exports.default ?? exports.memory;
  if (found !== undefined) return resolveMemorySource(found, `The memory in ${path}`);
  const names = Object.keys(exports).join(", ") || "nothing";
  throw new ShapeError(
    `${path} exports no memory. Export one as \`default\` or as \`memory\`: a class, a function that returns a memory, or an object with reset(), ingest() and query(). It exports ${names}.`,
  );
}

/** Returns a memory, or a factory whose memories are checked when they are made. */
export function resolveMemorySource(value: unknown, what = "A memory"): MemorySystem | MemoryFactory {
  if (typeof value !== "function") return requireMemory(value, what);
  return async () => {
    const made = await makeMemory(value, what);
    if (typeof made === "object" && made !== null) return requireMemory(made, what);
    throw new ShapeError(`${what} is a function that returned ${describeValue(made)}, not a memory.`);
  };
}

async function makeMemory(value: object, what: string): Promise<unknown> {
  try {
    return isClass(value) ? new (value as new () => unknown)() : await (value as () => unknown)();
  } catch (cause) {
    // The error already says what happened and what to do.
    if (cause instanceof AssayError) throw cause;
    throw new ModuleError(
      `${what} could not be made: ${getErrorMessage(cause)}. A function must return a memory and is called without arguments.`,
      { cause },
    );
  }
}

function isClass(value: object): boolean {
  return /^class\b/.test(Function.prototype.toString.call(value));
}
