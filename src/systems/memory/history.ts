import { setImmediate } from "node:timers/promises";
import type { Tokenizer, Turn } from "../../core/index.js";
import { type Conversation, type Conversations, listSessionTurns } from "./conversation.js";

const SESSION_SEPARATOR = "\n\n";

/**
 * Formats turns as context; each session begins with a line with its date.
 * @example
 * formatHistory([{ role: "user", content: "Hi.", session: "S1", date: "8 May 2023" }]); // "[Session of 8 May 2023]\nuser: Hi."
 */
export function formatHistory(turns: readonly Turn[]): string {
  return groupSessions(turns).map(formatSession).join(SESSION_SEPARATOR);
}

/** Formats a turn. The content of a turn with a speaker already begins with the speaker's name. */
export function formatTurn({ role, content, speaker }: Turn): string {
  return typeof speaker === "string" ? content : `${role}: ${content}`;
}

/** Groups consecutive turns of the same session. */
function groupSessions(turns: readonly Turn[]): Turn[][] {
  const sessions: Turn[][] = [];
  for (const turn of turns) {
    const current = sessions.at(-1);
    const isSame = current?.[0] !== undefined && current[0].session === turn.session && current[0].date === turn.date;
    if (isSame) current.push(turn);
    else sessions.push([turn]);
  }
  return sessions;
}

function formatSession(turns: readonly Turn[]): string {
  return [...formatSessionHeader(turns[0]), ...turns.map(formatTurn)].join("\n");
}

function formatSessionHeader(turn: Turn | undefined): string[] {
  if (typeof turn?.date === "string") return [`[Session of ${turn.date}]`];
  return turn?.session === undefined ? [] : ["[Session]"];
}

interface CountAllOptions {
  /** Stops counting early; the rest is counted on demand. */
  signal?: AbortSignal;
  /** Called with the number of counted conversations and the total. */
  onProgress?: (done: number, total: number) => void;
}

/**
 * Counts the tokens of whole histories, each once. A long one blocks the thread for a good part of a second: call
 * `countAll` before anything is timed.
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

  /** Counts several histories in advance. */
  async countAll(ids: Iterable<string>, { signal, onProgress }: CountAllOptions = {}): Promise<void> {
    const wanted = new Set(ids);
    let done = 0;
    for (const id of wanted) {
      if (signal?.aborted === true) return;
      await this.get(id);
      onProgress?.(++done, wanted.size);
    }
  }

  /** Tokens of a whole conversation as text; 0 if it does not exist. */
  get(id: string): Promise<number> {
    const known = this.#counts.get(id);
    if (known !== undefined) return known;
    const counted = this.#count(id);
    this.#counts.set(id, counted);
    // A failure is not cached.
    counted.catch(() => this.#counts.delete(id));
    return counted;
  }

  async #count(id: string): Promise<number> {
    // Yields first: reading a conversation blocks the thread.
    await setImmediate();
    const conversation = this.#conversations.get(id);
    return conversation === undefined ? 0 : this.#countSessions(conversation);
  }

  /** Counts session by session: no token crosses the blank line between two, and other work can run in between. */
  async #countSessions({ sessions }: Conversation): Promise<number> {
    const spoken = sessions.filter(({ turns }) => turns.length > 0);
    let total = 0;
    for (const [index, session] of spoken.entries()) {
      if (index > 0) await setImmediate();
      const text = formatHistory(listSessionTurns(session));
      total += this.#tokenizer.count(index === spoken.length - 1 ? text : text + SESSION_SEPARATOR);
    }
    return total;
  }
}
