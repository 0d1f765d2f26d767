import { setImmediate } from "node:timers/promises";
import type { Turn } from "../../core/example.js";
import type { Tokenizer } from "../../core/tokenizer.js";
import { type Conversation, type Conversations, turnsOfSession } from "./conversation.js";
import type { MemorySystem } from "./memory-system.js";

/** What stands between two sessions. */
const BETWEEN_SESSIONS = "\n\n";

/**
 * Turns as a text to answer from: each session begins with a line that gives its date.
 * @example
 * historyText([{ role: "user", content: "Hi.", session: "S1", date: "8 May 2023" }]); // "[Session of 8 May 2023]\nuser: Hi."
 */
export function historyText(turns: readonly Turn[]): string {
  return sessionsIn(turns).map(sessionText).join(BETWEEN_SESSIONS);
}

/** A turn as it stands in a context. The text of a turn with a speaker begins with the speaker's name already. */
export function turnText({ role, content, speaker }: Turn): string {
  return typeof speaker === "string" ? content : `${role}: ${content}`;
}

/** Neighbours of one session together. */
function sessionsIn(turns: readonly Turn[]): Turn[][] {
  const sessions: Turn[][] = [];
  for (const turn of turns) {
    const current = sessions.at(-1);
    const isSame = current?.[0] !== undefined && current[0].session === turn.session && current[0].date === turn.date;
    if (isSame) current.push(turn);
    else sessions.push([turn]);
  }
  return sessions;
}

function sessionText(turns: readonly Turn[]): string {
  return [...headOf(turns[0]), ...turns.map(turnText)].join("\n");
}

function headOf(turn: Turn | undefined): string[] {
  if (typeof turn?.date === "string") return [`[Session of ${turn.date}]`];
  return turn?.session === undefined ? [] : ["[Session]"];
}

export interface CountAllOptions {
  /** Ends the counting early: what is missing is counted when it is asked for. */
  signal?: AbortSignal;
  /** Told how many conversations are counted, and how many there are to count. */
  onProgress?: (done: number, total: number) => void;
}

/**
 * Counts the tokens of whole histories, each once. A long one takes a good part of a second, in which nothing else in
 * the process goes on: `countAll` has that over with before anything is timed.
 * @example
 * const history = new HistoryTokens(conversations, loadTokenizer("cl100k_base"));
 * await history.countAll(conversations.keys());
 */
export class HistoryTokens {
  readonly #conversations: Conversations;
  readonly #tokenizer: Tokenizer;
  readonly #counts = new Map<string, Promise<number>>();

  constructor(conversations: Conversations, tokenizer: Tokenizer) {
    this.#conversations = conversations;
    this.#tokenizer = tokenizer;
  }

  /** Counts several histories ahead. */
  async countAll(ids: Iterable<string>, { signal, onProgress }: CountAllOptions = {}): Promise<void> {
    const wanted = new Set(ids);
    let done = 0;
    for (const id of wanted) {
      if (signal?.aborted === true) return;
      await this.of(id);
      onProgress?.(++done, wanted.size);
    }
  }

  /** The tokens of the text that holds a whole conversation; 0 for one that is not there. */
  of(id: string): Promise<number> {
    const known = this.#counts.get(id);
    if (known !== undefined) return known;
    const counted = this.#count(id);
    this.#counts.set(id, counted);
    // One that failed is tried again.
    counted.catch(() => this.#counts.delete(id));
    return counted;
  }

  async #count(id: string): Promise<number> {
    // What is under way goes on first: reading a conversation takes the thread, too.
    await setImmediate();
    const conversation = this.#conversations.get(id);
    return conversation === undefined ? 0 : this.#countSessions(conversation);
  }

  /** Session by session: no token reaches over the blank line between two, and signals have their turn meanwhile. */
  async #countSessions({ sessions }: Conversation): Promise<number> {
    const spoken = sessions.filter(({ turns }) => turns.length > 0);
    let total = 0;
    for (const [index, session] of spoken.entries()) {
      if (index > 0) await setImmediate();
      const text = historyText(turnsOfSession(session));
      total += this.#tokenizer.count(index === spoken.length - 1 ? text : text + BETWEEN_SESSIONS);
    }
    return total;
  }
}

/** A memory in use, and what it holds. */
export interface HeldMemory {
  readonly memory: MemorySystem;
  /** The id of the conversation that it is for. */
  conversation: string;
  isIngested: boolean;
  /** The ingest that is under way. */
  ingesting: Promise<void> | null;
  /** How long the last ingest took, until a row has told it. */
  ingestMs: number | null;
}

/** A memory that holds nothing yet. */
export function heldMemory(memory: MemorySystem, conversation: string): HeldMemory {
  return { memory, conversation, isIngested: false, ingesting: null, ingestMs: null };
}

/** Gives memories to trials. */
export interface MemoryPool {
  /** The memory for a conversation; waits while none is free. */
  acquire(conversation: string, signal: AbortSignal): Promise<HeldMemory>;
  release(held: HeldMemory): void;
  /** Of a trial that was told to stop and does not: nobody else is to wait for its memory. */
  abandon(held: HeldMemory): void;
  close(): Promise<void>;
}

/** Those who wait for something to become free, served in the order they came. */
export class WaitingLine {
  readonly #waiting = new Set<() => void>();

  /** Waits until called; throws as soon as the signal is aborted. */
  async wait(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    let wake = () => {};
    let onAbort = () => {};
    try {
      await new Promise<void>((resolve, reject) => {
        wake = resolve;
        onAbort = () => reject(signal.reason as Error);
        this.#waiting.add(wake);
        signal.addEventListener("abort", onAbort, { once: true });
      });
    } finally {
      this.#waiting.delete(wake);
      signal.removeEventListener("abort", onAbort);
    }
  }

  callAll(): void {
    for (const wake of this.#waiting) wake();
  }
}
