import type { Turn } from "../../core/example.js";

export const SESSION_SEPARATOR = "\n\n";

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
