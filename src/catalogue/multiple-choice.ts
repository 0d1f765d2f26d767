import { createRandom, hashSeed, permutation } from "../stats/index.js";
import { RowProblem } from "./row-problem.js";

/** A question with options, one of which is right. */
export interface MultipleChoice {
  /** What the order of the options is drawn from, so that the right letter is not constant and stays the same. */
  readonly id: string | number;
  readonly question: string;
  readonly options: readonly string[];
  /** The position of the right option, from 0. */
  readonly right: number;
}

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
/** Options that speak of others by their place or letter: "all of the above", "both A and B". */
const REFERS_TO_OTHERS = /\b(?:above|below|preceding)\b|\b\(?[A-E]\)?,? (?:and|or|nor) \(?[A-E]\b/;
const ASK = "Answer with the letter of the right option.";

/**
 * The fields of a multiple-choice example: options shuffled by the example's id and shown, the letter asked for.
 * @example
 * multipleChoice({ id: 7, question: "2 + 2?", options: ["3", "4"], right: 1 });
 */
export function multipleChoice({ id, question, options, right }: MultipleChoice) {
  if (options.length < 2 || options.length > LETTERS.length)
    throw new RowProblem(`has ${options.length} options, where 2 to ${LETTERS.length} can be asked for by letter`);
  if (!(right in options)) throw new RowProblem(`says that option ${right} is right, of ${options.length}`);
  const order = [...orderOf(options, String(id))];
  const choices = order.map((index) => options[index] as string);
  const shown = choices.map((choice, index) => `${LETTERS[index]}. ${choice}`);
  return {
    question: `${question.trim()}\n\n${shown.join("\n")}\n\n${ASK}`,
    choices,
    answer: options[right] as string,
    answer_index: order.indexOf(right),
  };
}

/** Shuffled by the id, unless an option makes sense in its place only. */
function orderOf(options: readonly string[], id: string): Iterable<number> {
  if (options.some((option) => REFERS_TO_OTHERS.test(option))) return options.keys();
  return permutation(options.length, createRandom(hashSeed(0, id)));
}
