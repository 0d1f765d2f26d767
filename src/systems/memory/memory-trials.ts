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
  /** Conversations that a factory's memories hold at a time; 8 unless told. */
  maxOpen?: number;
  tokenizer?: Tokenizer;
  /** Counts whole histories; one for several memories counts each once, and `countAll` before anything is timed. */
  history?: HistoryTokens;
  /** What identifies the memory's work in the cache, such as the content of its file; its own unless given. */
  fingerprint?: unknown;
  clock?: () => number;
}

const DEFAULT_OPEN = 8;
/** How long a memory may take to stop, as long as the runner waits for it. */
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
 * A memory as a system that the runner can measure. Each conversation is taken in before its first question; the
 * latency of a row is that of the query alone, and `metadata` tells the rest: `queryMs`, `contextTokens`,
 * `historyTokens`, and `ingestMs` on the row of the trial that had the conversation taken in.
 *
 * All trials share one thread. What is done here for a trial (reading its conversation, counting its context) is in no
 * time of its own, and stands in turns of its own, so that it is in the time of no query that answers without waiting.
 * A query that waits, for a model or a disk, may find the thread taken when its answer comes: by the reading of another
 * trial's conversation, a few milliseconds for each of its megabytes, or by the counting of histories that `history` has
 * not counted ahead.
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

  /** A factory's memories are closed by `close()`; an object stays its owner's, and serves one trial at a time. */
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
    // Taken now: what a memory has taken in later is no part of what it is.
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
      `Example "${id}" does not say in \`conversation\` what it is about: it is ${describe(conversation)}, not the id of a conversation.`,
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
      // A turn of its own, for what is counted now: see above.
      await setImmediate();
      const { tokenizer } = this.#parts;
      return measuredOutput(answer, { queryMs, historyTokens, ingestMs }, { memory: held.memory.name, tokenizer });
    } catch (error) {
      // The next row tells it.
      held.ingestMs = ingestMs;
      throw error;
    }
  }

  /** Has the conversation taken in unless it is, or waits for the trial that does. One that failed is tried again. */
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
    // A turn of its own, for what is read now: see above.
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
    throw new TrialError("system_error", `There is no conversation "${id}" among those of the dataset.`);
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

/** Waits for another trial's work, however it ends, and no longer than the signal allows. */
async function ended(work: Promise<void>, signal: AbortSignal): Promise<void> {
  const line = new WaitingLine();
  const done = () => line.callAll();
  const waiting = line.wait(signal);
  work.then(done, done);
  await waiting;
}

/** Calls when the work is still not done some time after it was told to stop; call what it returns when it is. */
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

/** Microseconds: what lies below is noise. */
function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

/** What is asked, with the day it is asked on where that is known: "how long ago" has no answer without. */
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

/** One memory for all conversations: one trial at a time, and told anew when the conversation changes. */
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

  /** There is no other: those who come next wait. */
  abandon(): void {}

  /** The memory belongs to whoever made it. */
  async close(): Promise<void> {}
}

/** What was measured of one trial, in milliseconds and tokens. */
interface Measured {
  readonly queryMs: number;
  readonly historyTokens: number;
  /** Null on all rows but that of the trial that had the conversation taken in. */
  readonly ingestMs: number | null;
}

interface Told {
  /** The memory's name, for messages. */
  readonly memory: string;
  readonly tokenizer: () => Tokenizer;
}

/** The names of what is measured: a memory's own values under them are no measurement. */
const MEASURED: readonly string[] = ["queryMs", "historyTokens", "ingestMs", "contextTokens"];

/** What a memory answered, with what was measured of it. */
function measuredOutput(told: MemoryAnswer, measured: Measured, about: Told): Output {
  const { answer, context, contextTokens: _, metadata, ...known } = told;
  const contextTokens = tokensOf(told, about);
  const { ingestMs, ...always } = measured;
  return {
    latency: measured.queryMs / 1000,
    ...known,
    response: answer,
    // Not as a text of its own: what a memory brings up is not what it wrote.
    ...(context === undefined ? {} : { retrieved: { context } }),
    metadata: {
      ...withoutMeasured(metadata),
      ...always,
      ...(contextTokens === undefined ? {} : { contextTokens }),
      ...(ingestMs === null ? {} : { ingestMs }),
    },
  };
}

/** A memory's own count, or that of the context it tells; undefined where it tells neither. */
function tokensOf(told: MemoryAnswer, { memory, tokenizer }: Told): number | undefined {
  const { context, contextTokens } = told;
  const refuse = (field: string, value: unknown, wanted: string) =>
    new TrialError(
      "system_error",
      `query() of the memory "${memory}" gave ${describe(value)} as \`${field}\`. It must be ${wanted}, or left out.`,
      { spent: spentOn(told) },
    );
  if (context !== undefined && typeof context !== "string") throw refuse("context", context, "a text");
  if (contextTokens === undefined) return context === undefined ? undefined : tokenizer().count(context);
  if (Number.isFinite(contextTokens) && contextTokens >= 0) return contextTokens;
  throw refuse("contextTokens", contextTokens, "a number from 0 up");
}

/** The answer is paid for, whatever is wrong with it. */
function spentOn({ usage, costUsd, partial }: MemoryAnswer) {
  return {
    ...(usage === undefined ? {} : { usage }),
    ...(costUsd === undefined ? {} : { costUsd }),
    ...(partial === undefined ? {} : { partial }),
  };
}

/** Null, too, is what answers that come from elsewhere have in a field that they leave out. */
function withoutMeasured(metadata: MemoryAnswer["metadata"] | null): Record<string, unknown> {
  return Object.fromEntries(Object.entries(metadata ?? {}).filter(([key]) => !MEASURED.includes(key)));
}
