import type { EvalRow } from "../core/row.js";

/** A trial that is not run, because its system could not be measured. */
export class NotRun extends Error {}

const NOT_RUN = "not run: ";

/** The note of a trial that was not run. */
export function notRunNote(reason: string): string {
  return NOT_RUN + reason;
}

/** Why a trial was not run; null when it was, or was interrupted. */
export function readNotRun({ outcome, notes }: Pick<EvalRow, "outcome" | "notes">): string | null {
  const note = outcome === "skipped" ? notes.find((each) => each.startsWith(NOT_RUN)) : undefined;
  return note === undefined ? null : note.slice(NOT_RUN.length);
}

/** Says for each system that was stopped why it was, and what to do. */
export function stopNotes(rows: readonly EvalRow[]): string[] {
  const stopped = new Map<string, { system: string; reason: string; count: number }>();
  for (const row of rows) {
    const reason = readNotRun(row);
    if (reason === null) continue;
    const { system } = row;
    const key = JSON.stringify([system, reason]);
    const entry = stopped.get(key) ?? { system, reason, count: 0 };
    entry.count += 1;
    stopped.set(key, entry);
  }
  return Array.from(stopped.values(), ({ system, reason, count }) => {
    const trials = count === 1 ? "1 trial was" : `${count} trials were`;
    return `${system} was stopped, and ${trials} not run: ${reason.replace(/[.:]?$/, ".")} Mend it, then go on with --resume.`;
  });
}
