import { type EvalRow, isScored, type Outcome } from "../../core/row.js";
import type { UnmatchedTask } from "./comparison.js";
import { taskNameOf } from "./flips.js";
import { isPaired, type Pair } from "./pair-rows.js";

/** The tasks that only one side has a scored trial of, or neither, with what came of them. */
export function unmatchedIn(pairs: readonly Pair[]): UnmatchedTask[] {
  return pairs.filter((pair) => !isPaired(pair)).map(unmatchedTask);
}

function unmatchedTask(pair: Pair): UnmatchedTask {
  const name = taskNameOf(pair);
  if (pair.a.some(isScored)) return { ...name, scoredIn: "a", reason: whyNot("B", pair.b) };
  if (pair.b.some(isScored)) return { ...name, scoredIn: "b", reason: whyNot("A", pair.a) };
  return { ...name, scoredIn: "neither", reason: `${whyNot("A", pair.a)}; ${whyNot("B", pair.b)}` };
}

/** Why a side has no scored trial of a task: what it says of the first one, errors before all else. */
function whyNot(side: "A" | "B", rows: readonly EvalRow[]): string {
  const first = (wanted: Outcome) => rows.find(({ outcome }) => outcome === wanted);
  const error = first("error");
  if (error !== undefined) return told(`error in ${side}`, error.attempts.at(-1)?.message ?? error.errorCategory);
  const unscored = first("unscored");
  if (unscored !== undefined) return told(`unscored in ${side}`, unscored.notes.at(-1));
  return rows.length === 0 ? `not in ${side}` : `skipped in ${side}`;
}

function told(what: string, why: string | undefined): string {
  return why === undefined || why === "" ? what : `${what}: ${why}`;
}
