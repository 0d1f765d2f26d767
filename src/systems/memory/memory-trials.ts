import { performance } from "node:perf_hooks";
import { setImmediate } from "node:timers/promises";
import type { Example, Limits, Output, System, Tokenizer, TrialContext } from "../../core/index.js";
import { computeFingerprint, describeValue, TrialError, UsageError } from "../../core/index.js";
import { loadTokenizer } from "../../models/index.js";
import { type Conversation, type Conversations, listTurns } from "./conversation.js";
import { HistoryTokens } from "./history.js";
import { createPooledMemory, FactoryPool, type MemoryPool, type PooledMemory, WaitQueue } from "./memory-pool.js";
import {
  type MemoryAnswer,
  type MemoryFactory,
  type MemorySystem,
  type MemoryTrial,
  resolveMemorySource,
  toMemoryError,
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

const DEFAULT_MAX_OPEN = 8;
/** Time a memory has to stop after an abort; as long as the runner waits. */
const GRACE_MS = 2000;

interface MemoryTrialsParts {
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
  readonly #parts: MemoryTrialsParts;

  private constructor(parts: MemoryTrialsParts) {
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
    const { conversations, maxOpen = DEFAULT_MAX_OPEN, clock = () => performance.now() } = options;
    if (!Number.isInteger(maxOpen) || maxOpen < 1)
      throw new UsageError(`maxOpen must be a whole number of at least 1, but is ${describeValue(maxOpen)}.`);
    const tokenizer = () => options.tokenizer ?? loadTokenizer("cl100k_base");
    const source = resolveMemorySource(memory);
    const sample = typeof source === "function" ? await source() : source;
    const pool =
      typeof source === "function"
        ? new FactoryPool({ factory: source, first: sample, maxOpen })
        : new SingleMemoryPool(source);
    const history = options.history ?? new HistoryTokens(conversations, tokenizer());
    // Computed now, before the memory ingests anything.
    const fingerprint = options.fingerprint ?? computeFingerprint(sample, "query");
    return new MemoryTrials({ sample, pool, conversations, history, tokenizer, fingerprint, clock });
  }

  async process(example: Example, trial: TrialContext): Promise<Output> {
    const { pool } = this.#parts;
    const conversation = this.#requireConversationId(example);
    const held = await pool.acquire(conversation, trial.signal);
    const settle = notifyWhenOverdue(trial.signal, () => pool.abandon(held));
    try {
      return await this.#answer(held, example, toMemoryTrial(example, trial));
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

  #requireConversationId({ id, conversation }: Example): string {
    if (typeof conversation === "string") return conversation;
    throw new TrialError(
      "system_error",
      `Example "${id}" must name its conversation in \`conversation\`, but that is ${describeValue(conversation)}.`,
    );
  }

  async #answer(held: PooledMemory, example: Example, trial: MemoryTrial): Promise<Output> {
    const historyTokens = await this.#parts.history.get(held.conversation);
    const told = { ...trial, historyTokens };
    await this.#ensureIngested(held, told);
    const { ingestMs } = held;
    held.ingestMs = null;
    try {
      const { answer, queryMs } = await this.#query(held, formatQuestion(example), told);
      // Counts the context in a separate event loop turn; see above.
      await setImmediate();
      const { tokenizer } = this.#parts;
      return toMeasuredOutput(answer, { queryMs, historyTokens, ingestMs }, { memory: held.memory.name, tokenizer });
    } catch (error) {
      // Report it on the next row.
      held.ingestMs = ingestMs;
      throw error;
    }
  }

  /** Ingests the conversation if necessary, or waits for the trial that does. A failed ingest is retried. */
  async #ensureIngested(held: PooledMemory, trial: MemoryTrial): Promise<void> {
    while (!held.isIngested) {
      if (held.ingesting !== null) await waitUntilDone(held.ingesting, trial.signal);
      else await this.#startIngest(held, trial);
    }
    trial.signal.throwIfAborted();
  }

  async #startIngest(held: PooledMemory, trial: MemoryTrial): Promise<void> {
    trial.signal.throwIfAborted();
    const ingesting = this.#ingest(held, trial);
    held.ingesting = ingesting;
    try {
      await ingesting;
    } finally {
      held.ingesting = null;
    }
  }

  async #ingest(held: PooledMemory, trial: MemoryTrial): Promise<void> {
    const { clock } = this.#parts;
    const { memory } = held;
    // Reads the conversation in a separate event loop turn; see above.
    await setImmediate();
    const turns = listTurns(this.#findConversation(held.conversation));
    await callMemory(memory, "reset", () => memory.reset());
    trial.signal.throwIfAborted();
    const start = clock();
    await callMemory(memory, "ingest", () => memory.ingest(turns, trial));
    held.ingestMs = roundQueryMs(clock() - start);
    held.isIngested = true;
  }

  #findConversation(id: string): Conversation {
    const conversation = this.#parts.conversations.get(id);
    if (conversation !== undefined) return conversation;
    throw new TrialError("system_error", `The dataset has no conversation "${id}".`);
  }

  async #query({ memory }: PooledMemory, question: string, trial: MemoryTrial) {
    const { clock } = this.#parts;
    const start = clock();
    const answer = await callMemory(memory, "query", () => memory.query(question, trial));
    const queryMs = roundQueryMs(clock() - start);
    if (typeof answer?.answer === "string") return { answer, queryMs };
    throw new TrialError(
      "system_error",
      `query() of the memory "${memory.name}" returned ${describeValue(answer)}. It must return { answer: "…" }.`,
    );
  }
}

async function callMemory<T>(memory: MemorySystem, method: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw toMemoryError(memory, method, error);
  }
}

/** Waits until another trial's work succeeds or fails, or until the signal is aborted. */
async function waitUntilDone(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const line = new WaitQueue();
  const done = () => line.notifyAll();
  const waiting = line.wait(signal);
  work.then(done, done);
  await waiting;
}

/** Calls `call` if the work is not done some time after the abort. Returns a function to cancel that. */
function notifyWhenOverdue(signal: AbortSignal, call: () => void): () => void {
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
function roundQueryMs(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

/** The question with its date, if known: "how long ago" has no answer without one. */
function formatQuestion({ question = "", question_date }: Example): string {
  return typeof question_date === "string" ? `Today is ${question_date}.\n${question}` : question;
}

function toMemoryTrial({ id, dataset, question, question_date }: Example, trial: TrialContext): MemoryTrial {
  return {
    ...trial,
    exampleId: id,
    ...(dataset === undefined ? {} : { dataset }),
    ...(question === undefined ? {} : { question }),
    ...(typeof question_date === "string" ? { date: question_date } : {}),
  };
}

/** One memory for all conversations: serves one trial at a time, and ingests again when the conversation changes. */
class SingleMemoryPool implements MemoryPool {
  readonly #held: PooledMemory;
  readonly #line = new WaitQueue();
  #isBusy = false;

  constructor(memory: MemorySystem) {
    this.#held = createPooledMemory(memory, "");
  }

  async acquire(conversation: string, signal: AbortSignal): Promise<PooledMemory> {
    while (this.#isBusy) await this.#line.wait(signal);
    signal.throwIfAborted();
    this.#isBusy = true;
    if (this.#held.conversation !== conversation) this.#held.isIngested = false;
    this.#held.conversation = conversation;
    return this.#held;
  }

  release(): void {
    this.#isBusy = false;
    this.#line.notifyAll();
  }

  /** There is no other memory, so later trials have to wait. */
  abandon(): void {}

  /** The memory belongs to the caller. */
  async close(): Promise<void> {}
}

/** Measurements of one trial, in milliseconds and tokens. */
interface TrialMeasures {
  readonly queryMs: number;
  readonly historyTokens: number;
  /** Null except on the row of the trial that ingested the conversation. */
  readonly ingestMs: number | null;
}

interface MemoryAnswerContext {
  /** The memory's name, for messages. */
  readonly memory: string;
  readonly tokenizer: () => Tokenizer;
}

/** Metadata fields that are measured here; a memory's own values for them are ignored. */
const MEASURED_FIELDS: readonly string[] = ["queryMs", "historyTokens", "ingestMs", "contextTokens"];

function toMeasuredOutput(told: MemoryAnswer, measured: TrialMeasures, about: MemoryAnswerContext): Output {
  const { answer, context, contextTokens: _, metadata, ...known } = told;
  const contextTokens = countContextTokens(told, about);
  const { ingestMs, ...always } = measured;
  return {
    latency: measured.queryMs / 1000,
    ...known,
    response: answer,
    // Not as `context`: the memory retrieved this text, it did not write it.
    ...(context === undefined ? {} : { retrieved: { context } }),
    metadata: {
      ...omitMeasured(metadata),
      ...always,
      ...(contextTokens === undefined ? {} : { contextTokens }),
      ...(ingestMs === null ? {} : { ingestMs }),
    },
  };
}

/** The memory's own count, or the count of its context; undefined without either. */
function countContextTokens(told: MemoryAnswer, { memory, tokenizer }: MemoryAnswerContext): number | undefined {
  const { context, contextTokens } = told;
  const refuse = (field: string, value: unknown, wanted: string) =>
    new TrialError(
      "system_error",
      `query() of the memory "${memory}" returned ${describeValue(value)} as \`${field}\`. It must be ${wanted}, or omitted.`,
      { spent: extractSpent(told) },
    );
  if (context !== undefined && typeof context !== "string") throw refuse("context", context, "a text");
  if (contextTokens === undefined) return context === undefined ? undefined : tokenizer().count(context);
  if (Number.isFinite(contextTokens) && contextTokens >= 0) return contextTokens;
  throw refuse("contextTokens", contextTokens, "a number of at least 0");
}

/** The answer was paid for even if it is invalid. */
function extractSpent({ usage, costUsd, partial }: MemoryAnswer) {
  return {
    ...(usage === undefined ? {} : { usage }),
    ...(costUsd === undefined ? {} : { costUsd }),
    ...(partial === undefined ? {} : { partial }),
  };
}

/** Answers from other languages may have null for a missing field. */
function omitMeasured(metadata: MemoryAnswer["metadata"] | null): Record<string, unknown> {
  return Object.fromEntries(Object.entries(metadata ?? {}).filter(([key]) => !MEASURED_FIELDS.includes(key)));
}
