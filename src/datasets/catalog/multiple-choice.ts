import { OPTION_LETTERS, renderChoices } from "../../core/index.js";
import { createRandom, hashSeed, permutation } from "../../stats/index.js";
import { RowProblem } from "./row-fields.js";

/** A question with options, one of which is correct. */
export interface MultipleChoiceInput {
  /** Seed for the order of the options, so that the correct letter varies but is reproducible. */
  readonly id: string | number;
  readonly question: string;
  readonly options: readonly string[];
  /** Position of the correct option, counted from 0. */
  readonly right: number;
  /** Position of each option in the file. Default: the order given here. */
  readonly filePositions?: readonly number[];
}

/** Options that refer to others by position or letter, and so only make sense in file order. */
const REFERENCE_PATTERNS: readonly RegExp[] = [
  // "All of the Above", "None above", "as stated below"; not "above the sea".
  /\b(?:all|none|both|any|either|neither|some|most|two|of|the|as|answers?|options?|choices?|statements?|listed|mentioned|named|given|stated) (?:above|below|preceding)\b/i,
  // "A and B", "B, or (C)", capital letters only; not "P(A and B)" or the "a and b" of mathematics.
  /(?<!\w|\w\()\(?[A-J]\)?,? (?:and|or|nor|&) \(?[A-J]\)?(?!\w)/,
  // "Both (a) and (b)"; not "f(a) and (b)".
  /(?<!\w)\([a-j]\),? (?:and|or|nor|&) \([a-j]\)/i,
  // "both a and b" alone; not "both a and b are even".
  /^(?:both|either|neither) [a-j],? (?:and|or|nor|&) [a-j]\.?$/i,
];
const INSTRUCTION = "Answer with the letter of the right option.";

/**
 * The fields of a multiple-choice example: options shuffled by the example's id, with letters. `choice_order` holds the
 * position of each in the file, for outputs recorded with another order.
 * @example
 * buildMultipleChoice({ id: 7, question: "2 + 2?", options: ["3", "4"], right: 1 });
 */
export function buildMultipleChoice({ id, question, options, right, filePositions }: MultipleChoiceInput) {
  if (options.length < 2 || options.length > OPTION_LETTERS.length)
    throw new RowProblem(`has ${options.length} options, but must have 2 to ${OPTION_LETTERS.length}`);
  if (!(right in options)) throw new RowProblem(`marks option ${right} of ${options.length} as correct`);
  const order = [...orderOptions(options, String(id))];
  const choices = order.map((index) => options[index] as string);
  return {
    question: `${question.trim()}\n\n${renderChoices(choices)}\n\n${INSTRUCTION}`,
    choices,
    choice_order: order.map((index) => filePositions?.[index] ?? index),
    answer: options[right] as string,
    answer_index: order.indexOf(right),
  };
}

/** Shuffled by the id, unless an option only makes sense in its place. */
function orderOptions(options: readonly string[], id: string): Iterable<number> {
  if (options.some(isReferringToOthers)) return options.keys();
  return permutation(options.length, createRandom(hashSeed(0, id)));
}

function isReferringToOthers(option: string): boolean {
  return REFERENCE_PATTERNS.some((pattern) => pattern.test(option.trim()));
}
