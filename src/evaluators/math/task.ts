import { compareCheaply } from "./cheap.js";
import { type CompareFormulas, compareAnswers } from "./compare.js";
import { compareSymbolically } from "./symbolic.js";

/** Two answers in canonical form. */
export interface SymbolicQuestion {
  readonly gold: string;
  readonly given: string;
}

/** Whether two answers are the same, with symbolic work where nothing less decides it. Runs in a worker thread. */
export function run(input: unknown): boolean {
  const { gold, given } = input as SymbolicQuestion;
  return compareAnswers(gold, given, compareFully) === "same";
}

const compareFully: CompareFormulas = (gold, given) => {
  const verdict = compareCheaply(gold, given);
  return verdict === "open" ? compareSymbolically(gold, given) : verdict;
};
