import { OPTION_LETTERS, renderChoices } from "../../core/choice-order.js";
import { createRandom, hashSeed, permutation } from "../../stats/index.js";
import { RowProblem } from "./columns.js";

/** A question with options, one of which is right. */
export interface MultipleChoice {
  /** What the order of the options is drawn from, so that the right letter is not constant and stays the same. */
  readonly id: string | number;
  readonly question: string;
  readonly options: readonly string[];
  /** The position of the right option, from 0. */
  readonly right: number;
  /** Where the file has each of the options; as they are given here when this is absent. */
  readonly filePositions?: readonly number[];
}

/** Options that speak of others by their place or letter, so that they make sense in the order of the file only. */
const REFERS_TO_OTHERS: readonly RegExp[] = [
  // "All of the Above", "None above", "as stated below"; not "above the sea".
  /\b(?:all|none|both|any|either|neither|some|most|two|of|the|as|answers?|options?|choices?|statements?|listed|mentioned|named|given|stated) (?:above|below|preceding)\b/i,
  // "A and B", "B, or (C)", capitals alone; not "P(A and B)" or the "a and b" of mathematics.
  /(?<!\w|\w\()\(?[A-J]\)?,? (?:and|or|nor|&) \(?[A-J]\)?(?!\w)/,
  // "Both (a) and (b)"; not "f(a) and (b)".
  /(?<!\w)\([a-j]\),? (?:and|or|nor|&) \([a-j]\)/i,
  // "both a and b", when that is all it says; not "both a and b are even".
  /^(?:both|either|neither) [a-j],? (?:and|or|nor|&) [a-j]\.?$/i,
];
const ASK = "Answer with the letter of the right option.";

/**
 * The fields of a multiple-choice example: options shuffled by the example's id and shown, the letter asked for.
 * `choice_order` says where the file has each, for outputs that were recorded with another order.
 * @example
 * multipleChoice({ id: 7, question: "2 + 2?", options: ["3", "4"], right: 1 });
 */
export function multipleChoice({ id, question, options, right, filePositions }: MultipleChoice) {
  if (options.length < 2 || options.length > OPTION_LETTERS.length)
    throw new RowProblem(
      `has ${options.length} options, where 2 to ${OPTION_LETTERS.length} can be asked for by letter`,
    );
  if (!(right in options)) throw new RowProblem(`says that option ${right} is right, of ${options.length}`);
  const order = [...orderOf(options, String(id))];
  const choices = order.map((index) => options[index] as string);
  return {
    question: `${question.trim()}\n\n${renderChoices(choices)}\n\n${ASK}`,
    choices,
    choice_order: order.map((index) => filePositions?.[index] ?? index),
    answer: options[right] as string,
    answer_index: order.indexOf(right),
  };
}

/** Shuffled by the id, unless an option makes sense in its place only. */
function orderOf(options: readonly string[], id: string): Iterable<number> {
  if (options.some(refersToOthers)) return options.keys();
  return permutation(options.length, createRandom(hashSeed(0, id)));
}

function refersToOthers(option: string): boolean {
  return REFERS_TO_OTHERS.some((pattern) => pattern.test(option.trim()));
}
