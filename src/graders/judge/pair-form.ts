import type { Fields } from "./objects-in-text.js";
import {
  type CannotJudge,
  cannotReason,
  type Form,
  OPENING,
  objectSchema,
  saysCannot,
  shortReason,
  type Winner,
} from "./verdict.js";

/** What a judge says of two answers in one order. */
export interface Preference {
  readonly winner: Winner;
  readonly reason: string;
}

/** Asks which of two answers is better. */
export const PAIR_FORM: Form<Preference | CannotJudge> = {
  shape: {
    name: "verdict",
    schema: objectSchema({ ...OPENING, winner: { type: "string", enum: ["A", "B", "tie"] } }),
  },
  pattern: '{"reasoning": "…", "cannot_judge": true | false, "winner": "A" | "B" | "tie"}',
  fits: (fields) => "winner" in fields || saysCannot(fields),
  read,
};

function read(fields: Fields): Preference | CannotJudge | string {
  if (saysCannot(fields)) return { cannot: cannotReason(fields) };
  const winner = winnerOf(fields.winner);
  return winner === null ? 'the winner must be "A", "B" or "tie"' : { winner, reason: shortReason(fields.reasoning) };
}

function winnerOf(said: unknown): Winner | null {
  const word = typeof said === "string" ? said.trim().toLowerCase() : "";
  if (word === "tie" || word === "draw") return "tie";
  if (word === "a" || word === "answer a") return "A";
  return word === "b" || word === "answer b" ? "B" : null;
}
