import { performance } from "node:perf_hooks";
import { setImmediate } from "node:timers/promises";
import { TrialError, UsageError } from "../../core/errors.js";
import type { Example } from "../../core/example.js";
import { fingerprintOf } from "../../core/fingerprint.js";
import type { Limits } from "../../core/price.js";
import { describe } from "../../core/shape.js";
import type { Output, System, TrialContext } from "../../core/system.js";
import type { Tokenizer } from "../../core/tokenizer.js";
import { loadTokenizer } from "../../models/tokens/index.js";
import { type Conversation, type Conversations, turnsOf } from "./conversation.js";
import { type HeldMemory, heldMemory, type MemoryPool, WaitingLine } from "./held-memory.js";
import { HistoryTokens } from "./history-tokens.js";
import { FactoryPool } from "./memory-pool.js";
import { memorySource } from "./memory-source.js";
import {
  type MemoryAnswer,
  type MemoryFactory,
  type MemorySystem,
  type MemoryTrial,
  memoryFailure,
} from "./memory-system.js";

export interface MemoryTrialsOptions {
  /** The conversations that examples name in their field `conversation`. */
  conversations: Conversations;
  /** Maximum number of conversations that a factory's memories hold at once. Default: 8. */
  maxOpen?: number;
  tokenizer?: Tokenizer;
  /** Counts whole histories. Share one between memories to count each history once; call `countAll` before anything is timed. */
  history?: HistoryTokens;
  /** Identifies the memory's work in the cache, such as the content of its file. Default: the memory's own fingerprint. */
  fingerprint?: unknown;
  clock?: () => number;
}

const DEFAULT_OPEN = 8;
/** Time a memory has to stop after an abort; as long as the runner waits. */
const GRACE_MS = 2000;

interface Parts {
  readonly sample: MemorySystem;
  readonly pool: MemoryPool;
  readonly conversations: Conversations;
  readonly history: HistoryTokens;
  readonly tokenizer: () => Tokenizer;
  readonly fingerprint: unknown;
  readonly clock: () => number;
}

/**
 * A memory as a system that the runner can measure. Each conversation is ingested before its first question. The latency
 * of a row is that of the query alone; `metadata` has the rest: `queryMs`, `contextTokens`, `historyTokens`, and `ingestMs`
 * on the row of the trial that ingested the conversation.
 *
 * All trials share one thread. Work done here for a trial (reading its conversation, counting its context) is not part of
 * its measured time, and runs in separate event loop turns, so that it does not delay a query that answers synchronously.
 * A query that waits for a model or a disk may find the thread busy when its answer arrives: with reading another trial's
 * conversation (a few milliseconds per megabyte), or with counting histories that `history` has not counted in advance.
 * @example
 * const system = await MemoryTrials.open(() => new MyMemory(), { conversations });
 * await evaluate({ systems: [system], dataset });
 */
export class MemoryTrials implements System {
  readonly name: string;
  declare readonly model?: string;
  declare readonly isRecorded?: boolean;
  declare readonly limits?: Limits;
  declare readonly endpoint?: string;
  readonly #parts: Parts;

  private constructor(parts: Parts) {
    const { name, model, isRecorded, limits, endpoint } = parts.sample;
    this.#parts = parts;
    this.name = name;
    if (model !== undefined) this.model = model;
    if (isRecorded !== undefined) this.isRecorded = isRecorded;
    if (limits !== undefined) this.limits = limits;
    if (endpoint !== undefined) this.endpoint = endpoint;
  }

  /** `close()` closes a factory's memories. A memory given as an object is not closed, and serves one trial at a time. */
  static async open(memory: MemorySystem | MemoryFactory, options: MemoryTrialsOptions): Promise<MemoryTrials> {
    const { conversations, maxOpen = DEFAULT_OPEN, clock = () => performance.now() } = options;
    if (!Number.isInteger(maxOpen) || maxOpen < 1)
      throw new UsageError(`maxOpen must be a whole number of at least 1, but is ${describe(maxOpen)}.`);
    const tokenizer = () => options.tokenizer ?? loadTokenizer("cl100k_base");
    const source = memorySource(memory);
    const sample = typeof source === "function" ? await source() : source;
    const pool =
      typeof source === "function"
        ? new FactoryPool({ factory: source, first: sample, maxOpen })
        : new SingleMemory(source);
    const history = options.history ?? new HistoryTokens(conversations, tokenizer());
    // Computed now, before the memory ingests anything.
    const fingerprint = options.fingerprint ?? fingerprintOf(sample, "query");
    return new MemoryTrials({ sample, pool, conversations, history, tokenizer, fingerprint, clock });
  }

  async process(example: Example, trial: TrialContext): Promise<Output> {
    const { pool } = this.#parts;
    const conversation = this.#conversationOf(example);
    const held = await pool.acquire(conversation, trial.signal);
    const settle = whenOverdue(trial.signal, () => pool.abandon(held));
    try {
      return await this.#answer(held, example, trialOf(example, trial));
    } finally {
      settle();
      pool.release(held);
    }
  }

  fingerprint(): unknown {
    return { memory: this.#parts.fingerprint, version: 1 };
  }

  async close(): Promise<void> {
    await this.#parts.pool.close();
  }

  #conversationOf({ id, conversation }: Example): string {
    if (typeof conversation === "string") return conversation;
    throw new TrialError(
      "system_error",
      `Example "${id}" must name its conversation in \`conversation\`, but that is ${describe(conversation)}.`,
    );
  }

  async #answer(held: HeldMemory, example: Example, trial: MemoryTrial): Promise<Output> {
    const historyTokens = await this.#parts.history.of(held.conversation);
    const told = { ...trial, historyTokens };
    await this.#ingested(held, told);
    const { ingestMs } = held;
    held.ingestMs = null;
    try {
      const { answer, queryMs } = await this.#query(held, askedOf(example), told);
      // Counts the context in a separate event loop turn; see above.
      await setImmediate();
      const { tokenizer } = this.#parts;
      return measuredOutput(answer, { queryMs, historyTokens, ingestMs }, { memory: held.memory.name, tokenizer });
    } catch (error) {
      // Report it on the next row.
      held.ingestMs = ingestMs;
      throw error;
    }
  }

  /** Ingests the conversation if necessary, or waits for the trial that does. A failed ingest is retried. */
  async #ingested(held: HeldMemory, trial: MemoryTrial): Promise<void> {
    while (!held.isIngested) {
      if (held.ingesting !== null) await ended(held.ingesting, trial.signal);
      else await this.#startIngest(held, trial);
    }
    trial.signal.throwIfAborted();
  }

  async #startIngest(held: HeldMemory, trial: MemoryTrial): Promise<void> {
    trial.signal.throwIfAborted();
    const ingesting = this.#ingest(held, trial);
    held.ingesting = ingesting;
    try {
      await ingesting;
    } finally {
      held.ingesting = null;
    }
  }

  async #ingest(held: HeldMemory, trial: MemoryTrial): Promise<void> {
    const { clock } = this.#parts;
    const { memory } = held;
    // Reads the conversation in a separate event loop turn; see above.
    await setImmediate();
    const turns = turnsOf(this.#find(held.conversation));
    await calling(memory, "reset", () => memory.reset());
    trial.signal.throwIfAborted();
    const start = clock();
    await calling(memory, "ingest", () => memory.ingest(turns, trial));
    held.ingestMs = rounded(clock() - start);
    held.isIngested = true;
  }

  #find(id: string): Conversation {
    const conversation = this.#parts.conversations.get(id);
    if (conversation !== undefined) return conversation;
    throw new TrialError("system_error", `The dataset has no conversation "${id}".`);
  }

  async #query({ memory }: HeldMemory, question: string, trial: MemoryTrial) {
    const { clock } = this.#parts;
    const start = clock();
    const answer = await calling(memory, "query", () => memory.query(question, trial));
    const queryMs = rounded(clock() - start);
    if (typeof answer?.answer === "string") return { answer, queryMs };
    throw new TrialError(
      "system_error",
      `query() of the memory "${memory.name}" returned ${describe(answer)}. It must return { answer: "…" }.`,
    );
  }
}

async function calling<T>(memory: MemorySystem, method: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw memoryFailure(memory, method, error);
  }
}

/** Waits until another trial's work succeeds or fails, or until the signal is aborted. */
async function ended(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const line = new WaitingLine();
  const done = () => line.callAll();
  const waiting = line.wait(signal);
  work.then(done, done);
  await waiting;
}

/** Calls `call` if the work is not done some time after the abort. Returns a function to cancel that. */
function whenOverdue(signal: AbortSignal, call: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    timer = setTimeout(call, GRACE_MS);
    timer.unref();
  };
  signal.addEventListener("abort", onAbort, { once: true });
  return () => {
    signal.removeEventListener("abort", onAbort);
    clearTimeout(timer);
  };
}

/** Rounds to microseconds: smaller differences are noise. */
function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

/** The question with its date, if known: "how long ago" has no answer without one. */
function askedOf({ question = "", question_date }: Example): string {
  return typeof question_date === "string" ? `Today is ${question_date}.\n${question}` : question;
}

function trialOf({ id, dataset, question, question_date }: Example, trial: TrialContext): MemoryTrial {
  return {
    ...trial,
    exampleId: id,
    ...(dataset === undefined ? {} : { dataset }),
    ...(question === undefined ? {} : { question }),
    ...(typeof question_date === "string" ? { date: question_date } : {}),
  };
}

/** One memory for all conversations: serves one trial at a time, and ingests again when the conversation changes. */
class SingleMemory implements MemoryPool {
  readonly #held: HeldMemory;
  readonly #line = new WaitingLine();
  #isBusy = false;

  constructor(memory: MemorySystem) {
    this.#held = heldMemory(memory, "");
  }

  async acquire(conversation: string, signal: AbortSignal): Promise<HeldMemory> {
    while (this.#isBusy) await this.#line.wait(signal);
    signal.throwIfAborted();
    this.#isBusy = true;
    if (this.#held.conversation !== conversation) this.#held.isIngested = false;
    this.#held.conversation = conversation;
    return this.#held;
  }

  release(): void {
    this.#isBusy = false;
    this.#line.callAll();
  }

  /** There is no other memory, so later trials have to wait. */
  abandon(): void {}

  /** The memory belongs to the caller. */
  async close(): Promise<void> {}
}

/** Measurements of one trial, in milliseconds and tokens. */
interface Measured {
  readonly queryMs: number;
  readonly historyTokens: number;
  /** Null except on the row of the trial that ingested the conversation. */
  readonly ingestMs: number | null;
}

interface Told {
  /** The memory's name, for messages. */
  readonly memory: string;
  readonly tokenizer: () => Tokenizer;
}

/** Metadata fields that are measured here; a memory's own values for them are ignored. */
const MEASURED: readonly string[] = ["queryMs", "historyTokens", "ingestMs", "contextTokens"];

function measuredOutput(told: MemoryAnswer, measured: Measured, about: Told): Output {
  const { answer, context, contextTokens: _, metadata, ...known } = told;
  const contextTokens = tokensOf(told, about);
  const { ingestMs, ...always } = measured;
  return {
    latency: measured.queryMs / 1000,
    ...known,
    response: answer,
    // Not as `context`: the memory retrieved this text, it did not write it.
    ...(context === undefined ? {} : { retrieved: { context } }),
    metadata: {
      ...withoutMeasured(metadata),
      ...always,
      ...(contextTokens === undefined ? {} : { contextTokens }),
      ...(ingestMs === null ? {} : { ingestMs }),
    },
  };
}

/** The memory's own count, or the count of its context; undefined without either. */
function tokensOf(told: MemoryAnswer, { memory, tokenizer }: Told): number | undefined {
  const { context, contextTokens } = told;
  const refuse = (field: string, value: unknown, wanted: string) =>
    new TrialError(
      "system_error",
      `query() of the memory "${memory}" returned ${describe(value)} as \`${field}\`. It must be ${wanted}, or omitted.`,
      { spent: spentOn(told) },
    );
  if (context !== undefined && typeof context !== "string") throw refuse("context", context, "a text");
  if (contextTokens === undefined) return context === undefined ? undefined : tokenizer().count(context);
  if (Number.isFinite(contextTokens) && contextTokens >= 0) return contextTokens;
  throw refuse("contextTokens", contextTokens, "a number of at least 0");
}

/** The answer was paid for even if it is invalid. */
function spentOn({ usage, costUsd, partial }: MemoryAnswer) {
  return {
    ...(usage === undefined ? {} : { usage }),
    ...(costUsd === undefined ? {} : { costUsd }),
    ...(partial === undefined ? {} : { partial }),
  };
}

/** Answers from other languages may have null for a missing field. */
function withoutMeasured(metadata: MemoryAnswer["metadata"] | null): Record<string, unknown> {
  return Object.fromEntries(Object.entries(metadata ?? {}).filter(([key]) => !MEASURED.includes(key)));
}
