import { setImmediate } from "node:timers/promises";
import type { Tokenizer } from "../../core/tokenizer.js";
import { type Conversation, type Conversations, turnsOfSession } from "./conversation.js";
import { BETWEEN_SESSIONS, historyText } from "./history-text.js";

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
