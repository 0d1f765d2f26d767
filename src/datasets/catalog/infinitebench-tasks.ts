import {
  BY_LETTERS,
  BY_MENTION,
  BY_WORDS,
  inputThen,
  type LongTask,
  OTHER_METHOD,
  type Scoring,
  thenInput,
} from "./long-task.js";
import { askForSummary } from "./summarise.js";

const BY_CHOICE: Scoring = { evaluators: ["multiple_choice_accuracy", "answer_quality"], primaryField: "mc_accuracy" };
const BY_NUMBER: Scoring = { evaluators: ["math_equivalence", "answer_quality"], primaryField: "math_equiv" };
/** The published figures are those of ROUGE-Lsum. */
const BY_SUMMARY: Scoring = {
  evaluators: ["summarization_quality", "answer_quality"],
  primaryField: "rouge_lsum_f1",
};

/** A task of InfiniteBench; `gold` says how its answers are to be read. */
export interface InfiniteTask extends LongTask {
  /** Any of them is right, all of them in order are, or one of the options is. */
  readonly gold: "any" | "sequence" | "option";
}

const anyGold = (task: LongTask): InfiniteTask => ({ ...task, gold: "any" });
const rightOption = (task: LongTask): InfiniteTask => ({ ...task, gold: "option" });

/** The tasks of InfiniteBench by the name of their config, which is that of their file. */
export const INFINITEBENCH_TASKS: Readonly<Record<string, InfiniteTask>> = {
  longbook_qa_eng: anyGold(inputThen("Answer from the book alone, in as few words as possible.", BY_WORDS)),
  longbook_qa_chn: {
    ...anyGold(inputThen("请只根据这本书作答，用中文，越简短越好。", BY_LETTERS)),
    caution: OTHER_METHOD.chineseCharacters,
  },
  longbook_choice_eng: rightOption(inputThen("", BY_CHOICE)),
  longbook_sum_eng: anyGold({ ...BY_SUMMARY, ask: () => askForSummary("this book", "about one page") }),
  longdialogue_qa_eng: anyGold(
    inputThen(
      "One name in this script has been replaced by $$MASK$$. Whose is it? Answer with the name alone, as it stands before the colons.",
      BY_MENTION,
    ),
  ),
  code_debug: rightOption(
    thenInput("One function in this code has been given an obvious mistake. Which one of these is it?", BY_CHOICE),
  ),
  code_run: anyGold({ ...BY_NUMBER, ask: askForReturn }),
  math_calc: {
    ...BY_LETTERS,
    ask: () =>
      "Work this expression out from left to right. Answer with a list in square brackets of the result after each operation, without the number that it begins with: for 1 + 3 + 10 - 8 that is [4, 14, 6].",
    gold: "sequence",
    caution:
      "the published score is the share of its results that are right before the first wrong one; here the list is compared character by character (1 − edits ÷ length), and a list of thousands of numbers may stay unscored because the comparison takes too long.",
  },
  math_find: anyGold(inputThen("Answer with the number alone.", BY_NUMBER)),
  passkey: anyGold(inputThen("Answer with the pass key alone.", BY_MENTION)),
  number_string: anyGold(inputThen("Answer with the sequence of digits alone.", BY_MENTION)),
  kv_retrieval: anyGold(inputThen("Answer with the value that the text has for this key alone.", BY_MENTION)),
};

/** The input says in what words the answer should end, which is not how answers are read here: only its call is taken. */
function askForReturn(input: string): string {
  const [call] = /\bfunc_\w+\([^()]*\)/.exec(input) ?? [];
  const question = call === undefined ? `${input.trim()}\n\n` : `What does ${call} return? `;
  return `${question}Answer with the number alone.`;
}
