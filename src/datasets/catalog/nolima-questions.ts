import { isRawRow, type RawRow } from "../source-row.js";
import { optionalText, text, texts, valueAt } from "./read-column.js";
import { RowProblem } from "./row-problem.js";

/** A question of NoLiMa and the sentence that answers it, with {CHAR} where the character's name goes. */
export interface NolimaQuestion {
  readonly id: string;
  readonly hops: number;
  readonly needle: string;
  readonly question: string;
}

const HOPS = { onehop: 1, twohop: 2 };

/**
 * The questions of a row of NoLiMa's needle sets: each of its kinds of question with each of its tests, whose words are
 * filled in for {1}, {2} and so on.
 * @example
 * questionsOf(row); // [{ id: "0401_T01_onehop", hops: 1, needle: "{CHAR} lives in …", question: "Who …?" }, …]
 */
export function questionsOf(row: RawRow): NolimaQuestion[] {
  const tests = valueAt(row, "tests");
  if (!isRawRow(tests) || Object.keys(tests).length === 0) throw new RowProblem('has no test in "tests"');
  const questions = Object.keys(tests).flatMap((test) => questionsOfTest(row, test));
  if (questions.length === 0) throw new RowProblem('has neither "onehop" nor "twohop" in "questions"');
  return questions;
}

function questionsOfTest(row: RawRow, test: string): NolimaQuestion[] {
  const words = texts(row, `tests.${test}.input_args`);
  const needle = filled(text(row, "needle"), words);
  return Object.entries(HOPS).flatMap(([kind, hops]) => {
    const asked = optionalText(row, `questions.${kind}`);
    return asked === ""
      ? []
      : [{ id: `${text(row, "id")}_${test}_${kind}`, hops, needle, question: filled(asked, words) }];
  });
}

function filled(template: string, words: readonly string[]): string {
  return template.replace(/\{(\d+)\}/g, (_, place: string) => {
    const word = words[Number(place) - 1];
    if (word === undefined) throw new RowProblem(`has no word for {${place}} in "tests"`);
    return word;
  });
}
