import type { Turn } from "../../core/example.js";

/** What was said in one sitting. */
export interface Session {
  readonly id: string;
  /** When it took place, as the dataset writes it. */
  readonly date?: string;
  readonly turns: readonly Turn[];
}

/**
 * A history that questions are asked about: sessions in the order of time.
 * @example
 * const talk: Conversation = { id: "c1", sessions: [{ id: "S1", date: "8 May 2023", turns: [{ role: "user", content: "I moved to Bern." }] }] };
 */
export interface Conversation {
  readonly id: string;
  readonly sessions: readonly Session[];
}

/** Where conversations are looked up by their id. */
export type Conversations = Pick<ReadonlyMap<string, Conversation>, "get">;

/**
 * All turns of a conversation in the order of time, each with its `session` and, where it is known, its `date`.
 * @example
 * turnsOf(talk)[0]; // { role: "user", content: "I moved to Bern.", session: "S1", date: "8 May 2023" }
 */
export function turnsOf({ sessions }: Conversation): Turn[] {
  return sessions.flatMap(turnsOfSession);
}

/** The turns of one session as a memory is given them. */
export function turnsOfSession({ id, date, turns }: Session): Turn[] {
  return turns.map((turn) => ({ ...turn, session: id, ...(date === undefined ? {} : { date }) }));
}
