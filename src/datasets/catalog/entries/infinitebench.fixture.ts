import type { Fixture } from "../fixture.js";

interface InfinitebenchRow {
  context: string;
  input: string;
  answer: readonly (string | number | readonly number[])[] | string | number;
  options?: readonly string[];
}

function createInfinitebenchFixture(
  config: string,
  rows: readonly InfinitebenchRow[],
  expected: Fixture["expected"],
): Fixture {
  const text = rows.map(({ options = [], ...row }, id) => `${JSON.stringify({ id, ...row, options })}\n`).join("");
  return { config, files: { [`${config}.jsonl`]: { text } }, expected };
}

const SHORT = "Answer from the book alone, in as few words as possible.";
const BUG = "One function in this code has been given an obvious mistake. Which one of these is it?";
const VALUES =
  "Work this expression out from left to right. Answer with a list in square brackets of the result after each operation, without the number that it begins with: for 1 + 3 + 10 - 8 that is [4, 14, 6].";

/** Made-up rows, one task of each kind. */
export const infinitebenchFixture: readonly Fixture[] = [
  createInfinitebenchFixture(
    "longbook_qa_eng",
    [
      { context: "The vicar took the oars.", input: "Who rows?", answer: ["The vicar", "vicar"] },
      { context: "To Oland they went.", input: "Where did they go?", answer: ["Oland"] },
    ],
    [
      {
        id: 0,
        context: "The vicar took the oars.",
        question: `Who rows?\n\n${SHORT}`,
        answers: ["The vicar", "vicar"],
      },
      { id: 1, context: "To Oland they went.", question: `Where did they go?\n\n${SHORT}`, answers: ["Oland"] },
    ],
  ),
  createInfinitebenchFixture(
    "code_debug",
    [
      { context: "def low(): return hgih", input: "", answer: ["low", "A"], options: ["low", "high", "tide", "ebb"] },
      { context: "def ebb(): retrun 1", input: "", answer: [" ebb"], options: ["low", "high", "tide", "ebb\n"] },
    ],
    [
      {
        id: 0,
        context: "def low(): return hgih",
        question: `${BUG}\n\nA. high\nB. ebb\nC. tide\nD. low\n\nAnswer with the letter of the right option.`,
        choices: ["high", "ebb", "tide", "low"],
        answer: "low",
        answer_index: 3,
      },
      {
        id: 1,
        context: "def ebb(): retrun 1",
        question: `${BUG}\n\nA. tide\nB. ebb\nC. low\nD. high\n\nAnswer with the letter of the right option.`,
        choices: ["tide", "ebb", "low", "high"],
        answer: "ebb",
        answer_index: 1,
      },
    ],
  ),
  createInfinitebenchFixture(
    "code_run",
    [
      {
        context: "def func_7(x):\n    return x + 2",
        input: "What is func_7(-3)? Your answer should end with the sentence 'The return value is:'.",
        answer: -1,
      },
      { context: "def func_7(x):\n    return x + 2", input: "What does it return for 1?", answer: [3] },
    ],
    [
      {
        id: 0,
        context: "def func_7(x):\n    return x + 2",
        question: "What does func_7(-3) return? Answer with the number alone.",
        answers: ["-1"],
      },
      { id: 1, question: "What does it return for 1?\n\nAnswer with the number alone.", answers: ["3"] },
    ],
  ),
  createInfinitebenchFixture(
    "math_calc",
    [
      { context: "1 + 3 - 2 + 2", input: "", answer: [[4, 2, 4]] },
      { context: "5 + 5", input: "", answer: [10] },
    ],
    [
      { id: 0, context: "1 + 3 - 2 + 2", question: VALUES, answer: "[4, 2, 4]" },
      { id: 1, context: "5 + 5", question: VALUES, answer: "[10]" },
    ],
  ),
  createInfinitebenchFixture(
    "passkey",
    [
      { context: "Sand. The pass key is 4711. Sand.", input: "What is the pass key?", answer: "4711" },
      { context: "Sand. Sand. The pass key is 815.", input: "What is the pass key?", answer: ["815"] },
    ],
    [
      {
        id: 0,
        context: "Sand. The pass key is 4711. Sand.",
        question: "What is the pass key?\n\nAnswer with the pass key alone.",
        answers: ["4711"],
      },
      {
        id: 1,
        context: "Sand. Sand. The pass key is 815.",
        question: "What is the pass key?\n\nAnswer with the pass key alone.",
        answers: ["815"],
      },
    ],
  ),
];
