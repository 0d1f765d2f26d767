import type { Turn } from "../../core/index.js";
import type { ExampleFields, RawRow } from "../../datasets/index.js";

/** The turns of one session of a conversation. */
export interface Session {
  readonly id: string;
  /** The session's date, as in the dataset. */
  readonly date?: string;
  readonly turns: readonly Turn[];
}

/**
 * A conversation that questions are about: sessions in chronological order.
 * @example
 * const talk: Conversation = { id: "c1", sessions: [{ id: "S1", date: "8 May 2023", turns: [{ role: "user", content: "I moved to Bern." }] }] };
 */
export interface Conversation {
  readonly id: string;
  readonly sessions: readonly Session[];
}

/** Looks up conversations by id. */
export type Conversations = Pick<ReadonlyMap<string, Conversation>, "get">;

/**
 * All turns of a conversation in chronological order, each with its `session` and, if known, its `date`.
 * @example
 * listTurns(talk)[0]; // { role: "user", content: "I moved to Bern.", session: "S1", date: "8 May 2023" }
 */
export function listTurns({ sessions }: Conversation): Turn[] {
  return sessions.flatMap(listSessionTurns);
}

/** The turns of one session as given to a memory. */
export function listSessionTurns({ id, date, turns }: Session): Turn[] {
  return turns.map((turn) => ({ ...turn, session: id, ...(date === undefined ? {} : { date }) }));
}

/** A question about a conversation, before its dataset is set. */
export interface MemoryQuestion extends ExampleFields {
  id: string;
  question: string;
  question_type: string;
  /** When it is asked, as in the dataset. */
  question_date?: string;
  /** Where the answer is: ids of turns or sessions. */
  evidence?: string[];
  /** True if the correct answer is that the conversation does not say. */
  unanswerable?: boolean;
}

/** One item of a published file. */
export interface MemoryItem {
  readonly conversation: Conversation;
  readonly questions: readonly MemoryQuestion[];
}

/** Parses a published item. Throws `RowProblem` if it is invalid. */
export type MemoryFormat = (item: RawRow) => MemoryItem;
