import { ANOTHER_MODEL, type EvalRow, SENT_WITHOUT } from "../core/row.js";

/** Notes that change what a figure means, so that readers of a report must not miss them. */
const REPORTED = [`${ANOTHER_MODEL}:`, `${SENT_WITHOUT} `];

/** For each system, the notes on its rows that a report has to repeat, with how many trials have them. */
export function reportedNotes(rows: readonly EvalRow[]): string[] {
  const counts = new Map<string, Map<string, number>>();
  const totals = new Map<string, number>();
  for (const { system, notes = [] } of rows) {
    totals.set(system, (totals.get(system) ?? 0) + 1);
    for (const note of notes) {
      if (!REPORTED.some((start) => note.startsWith(start))) continue;
      const ofSystem = counts.get(system) ?? new Map<string, number>();
      counts.set(system, ofSystem.set(note, (ofSystem.get(note) ?? 0) + 1));
    }
  }
  return [...counts].flatMap(([system, ofSystem]) =>
    [...ofSystem].map(([note, count]) => `${system}: ${note} (${count} of ${totals.get(system)} trials)`),
  );
}
