import { setImmediate } from "node:timers/promises";
import type { Turn } from "../core/example.js";
import type { Tokenizer } from "../core/tokenizer.js";
import { type Conversation, type Conversations, turnsOfSession } from "./conversation.js";

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

/** Counts the tokens of whole histories, each once. */
export class HistoryTokens {
  readonly #conversations: Conversations;
  readonly #tokenizer: Tokenizer;
  readonly #counts = new Map<string, Promise<number>>();

  constructor(conversations: Conversations, tokenizer: Tokenizer) {
    this.#conversations = conversations;
    this.#tokenizer = tokenizer;
  }

  /** The tokens of the text that holds a whole conversation. */
  of(id: string): Promise<number> {
    const known = this.#counts.get(id);
    if (known !== undefined) return known;
    const conversation = this.#conversations.get(id);
    const counted = conversation === undefined ? Promise.resolve(0) : this.#count(conversation);
    this.#counts.set(id, counted);
    return counted;
  }

  /** Session by session: no token reaches over the blank line between two, and other trials have their turn meanwhile. */
  async #count({ sessions }: Conversation): Promise<number> {
    const texts = sessions.filter(({ turns }) => turns.length > 0).map((one) => historyText(turnsOfSession(one)));
    let total = 0;
    for (const [index, text] of texts.entries()) {
      if (index > 0) await setImmediate();
      total += this.#tokenizer.count(index === texts.length - 1 ? text : text + BETWEEN_SESSIONS);
    }
    return total;
  }
}
