import { askForSummary } from "./row-fields.js";

/** A task of a long-context collection: its prompt and its scoring. */
export interface LongTask {
  /** Builds the question from the row's input, which is blank for some tasks. */
  ask(input: string): string;
  readonly evaluators: readonly string[];
  readonly primaryField: string;
  /** How the published score differs, if it does. */
  readonly caution?: string;
}

/** Cautions about published scores that are computed differently. */
const METHOD_CAUTION = {
  chineseWords:
    "the published score is the F1 of the Chinese words that a segmenter finds; here answers are compared character by character (1 − edits ÷ length), so that figures are not comparable with published ones.",
  chineseCharacters:
    "the published score is the F1 of the characters that two answers share; here they are compared in order (1 − edits ÷ length), so that figures are not comparable with published ones.",
  chineseSummary:
    "the published score is ROUGE-L of the Chinese words that a segmenter finds; here summaries are compared character by character (1 − edits ÷ length), so that figures are not comparable with published ones.",
  classes:
    "the published score finds class names anywhere in the answer and shares the point among those it finds; here the final answer must be the class.",
  numbers:
    "the published score is the share of right ones among all numbers of the answer; here the final answer must be the right one.",
  code: "the published score compares the first line that is no comment, by the similarity of a fuzzy matcher; here the whole answer is compared character by character (1 − edits ÷ length).",
} as const;

type TaskScoring = Pick<LongTask, "evaluators" | "primaryField">;

/** F1 of the words of a short gold answer. */
const BY_WORDS: TaskScoring = { evaluators: ["answer_quality"], primaryField: "f1" };
/** The response must contain the short gold answer. */
const BY_MENTION: TaskScoring = { evaluators: ["answer_quality"], primaryField: "contains" };
/** Chinese has no spaces: only edit distance compares less than whole sentences. */
const BY_LETTERS: TaskScoring = { evaluators: ["levenshtein", "answer_quality"], primaryField: "levenshtein" };
const BY_SUMMARY: TaskScoring = {
  evaluators: ["summarization_quality", "answer_quality"],
  primaryField: "rouge_l_f1",
};
const BY_FINAL_ANSWER: TaskScoring = {
  evaluators: ["final_answer", "answer_quality"],
  primaryField: "final_answer",
};

/** Puts the row's input first, then the form of the answer. */
function createInputFirstTask(form: string, scoring: TaskScoring): LongTask {
  return { ask: (input) => joinTaskParagraphs(input.trim(), form), ...scoring };
}

/** Puts the task first, then the row's input. */
function createInputLastTask(task: string, scoring: TaskScoring): LongTask {
  return { ask: (input) => joinTaskParagraphs(task, input.trim()), ...scoring };
}

function joinTaskParagraphs(...texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n\n");
}

const QUESTION = createInputFirstTask("Answer from the text alone, in as few words as possible.", BY_WORDS);
const CHINESE_QUESTION = createInputFirstTask("请只根据上文作答，用中文，越简短越好。", BY_LETTERS);
const BY_LINE: TaskScoring = { evaluators: ["levenshtein"], primaryField: "levenshtein" };
const NEXT_LINE = createInputFirstTask(
  "Write the line that comes next in this code. Answer with that line alone, without its indentation and without a fence.",
  BY_LINE,
);

/** The tasks of LongBench by config. */
export const LONGBENCH_TASKS: Readonly<Record<string, LongTask>> = {
  narrativeqa: QUESTION,
  qasper: createInputFirstTask(
    'Answer from the article alone, in as few words as possible: "yes" or "no" where that is asked, "unanswerable" where the article does not say.',
    BY_WORDS,
  ),
  multifieldqa_en: QUESTION,
  multifieldqa_zh: { ...CHINESE_QUESTION, caution: METHOD_CAUTION.chineseWords },
  hotpotqa: QUESTION,
  "2wikimqa": QUESTION,
  musique: QUESTION,
  dureader: { ...CHINESE_QUESTION, caution: METHOD_CAUTION.chineseSummary },
  gov_report: createInputFirstTask(askForSummary("this report of a government agency", "about one page"), BY_SUMMARY),
  qmsum: createInputFirstTask("Answer in one paragraph, from what is said in the meeting.", BY_SUMMARY),
  multi_news: createInputFirstTask(askForSummary("what these news articles report", "a few paragraphs"), BY_SUMMARY),
  vcsum: {
    ...createInputFirstTask("请用一段话总结这次会议的内容，只写总结。", BY_LETTERS),
    caution: METHOD_CAUTION.chineseSummary,
  },
  trec: {
    ...createInputLastTask(
      "The text shows questions with their types. Say of which type this one is.",
      BY_FINAL_ANSWER,
    ),
    caution: METHOD_CAUTION.classes,
  },
  triviaqa: createInputLastTask(
    "The text shows passages with a question and its answer. Answer the question to this passage likewise, with the answer alone.",
    BY_WORDS,
  ),
  samsum: createInputLastTask(
    "The text shows dialogues with their summaries. Summarise this one likewise, in a few short sentences.",
    BY_SUMMARY,
  ),
  lsht: {
    ...createInputLastTask("上文是若干新闻及其类别。请判断下面这条新闻属于哪一类。", BY_FINAL_ANSWER),
    caution: METHOD_CAUTION.classes,
  },
  passage_count: {
    ...createInputFirstTask(
      "Some of the paragraphs in the text are repeated. How many different ones are there? Answer with the number alone.",
      BY_FINAL_ANSWER,
    ),
    caution: METHOD_CAUTION.numbers,
  },
  passage_retrieval_en: {
    ...createInputFirstTask(
      'Of which paragraph in the text is this the abstract? Answer with the word "Paragraph" and its number alone.',
      BY_FINAL_ANSWER,
    ),
    caution: METHOD_CAUTION.numbers,
  },
  passage_retrieval_zh: {
    ...createInputFirstTask("这是上文中哪一段的摘要？只回答“段落”二字加上编号。", BY_FINAL_ANSWER),
    caution: METHOD_CAUTION.numbers,
  },
  lcc: { ...NEXT_LINE, caution: METHOD_CAUTION.code },
  "repobench-p": { ...NEXT_LINE, caution: METHOD_CAUTION.code },
};

const BY_CHOICE: TaskScoring = {
  evaluators: ["multiple_choice_accuracy", "answer_quality"],
  primaryField: "mc_accuracy",
};
const BY_NUMBER: TaskScoring = { evaluators: ["math_equivalence", "answer_quality"], primaryField: "math_equiv" };
/** Published scores are ROUGE-Lsum. */
const INFINITEBENCH_BY_SUMMARY: TaskScoring = {
  evaluators: ["summarization_quality", "answer_quality"],
  primaryField: "rouge_lsum_f1",
};

/** A task of InfiniteBench; `gold` says how to read its answers. */
export interface InfiniteTask extends LongTask {
  /** Any answer is right, all of them in order, or one of the options. */
  readonly gold: "any" | "sequence" | "option";
}

const withAnyGold = (task: LongTask): InfiniteTask => ({ ...task, gold: "any" });
const withOptionGold = (task: LongTask): InfiniteTask => ({ ...task, gold: "option" });

/** The tasks of InfiniteBench by config, which is the name of their file. */
export const INFINITEBENCH_TASKS: Readonly<Record<string, InfiniteTask>> = {
  longbook_qa_eng: withAnyGold(
    createInputFirstTask("Answer from the book alone, in as few words as possible.", BY_WORDS),
  ),
  longbook_qa_chn: {
    ...withAnyGold(createInputFirstTask("请只根据这本书作答，用中文，越简短越好。", BY_LETTERS)),
    caution: METHOD_CAUTION.chineseCharacters,
  },
  longbook_choice_eng: withOptionGold(createInputFirstTask("", BY_CHOICE)),
  longbook_sum_eng: withAnyGold({
    ...INFINITEBENCH_BY_SUMMARY,
    ask: () => askForSummary("this book", "about one page"),
  }),
  longdialogue_qa_eng: withAnyGold(
    createInputFirstTask(
      "One name in this script has been replaced by $$MASK$$. Whose is it? Answer with the name alone, as it stands before the colons.",
      BY_MENTION,
    ),
  ),
  code_debug: withOptionGold(
    createInputLastTask(
      "One function in this code has been given an obvious mistake. Which one of these is it?",
      BY_CHOICE,
    ),
  ),
  code_run: withAnyGold({ ...BY_NUMBER, ask: askForReturn }),
  math_calc: {
    ...BY_LETTERS,
    ask: () =>
      "Work this expression out from left to right. Answer with a list in square brackets of the result after each operation, without the number that it begins with: for 1 + 3 + 10 - 8 that is [4, 14, 6].",
    gold: "sequence",
    caution:
      "the published score is the share of its results that are right before the first wrong one; here the list is compared character by character (1 − edits ÷ length), and a list of thousands of numbers may stay unscored because the comparison takes too long.",
  },
  math_find: withAnyGold(createInputFirstTask("Answer with the number alone.", BY_NUMBER)),
  passkey: withAnyGold(createInputFirstTask("Answer with the pass key alone.", BY_MENTION)),
  number_string: withAnyGold(createInputFirstTask("Answer with the sequence of digits alone.", BY_MENTION)),
  kv_retrieval: withAnyGold(
    createInputFirstTask("Answer with the value that the text has for this key alone.", BY_MENTION),
  ),
};

/** The input prescribes how the answer should end, which evaluators here do not expect: only its call is used. */
function askForReturn(input: string): string {
  const [call] = /\bfunc_\w+\([^()]*\)/.exec(input) ?? [];
  const question = call === undefined ? `${input.trim()}\n\n` : `What does ${call} return? `;
  return `${question}Answer with the number alone.`;
}
