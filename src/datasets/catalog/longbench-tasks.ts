import {
  BY_FINAL_ANSWER,
  BY_LETTERS,
  BY_SUMMARY,
  BY_WORDS,
  inputThen,
  type LongTask,
  OTHER_METHOD,
  type Scoring,
  thenInput,
} from "./long-task.js";
import { askForSummary } from "./summarise.js";

const QUESTION = inputThen("Answer from the text alone, in as few words as possible.", BY_WORDS);
const CHINESE_QUESTION = inputThen("请只根据上文作答，用中文，越简短越好。", BY_LETTERS);
const BY_LINE: Scoring = { evaluators: ["levenshtein"], primaryField: "levenshtein" };
const NEXT_LINE = inputThen(
  "Write the line that comes next in this code. Answer with that line alone, without its indentation and without a fence.",
  BY_LINE,
);

/** The tasks of LongBench by the name of their config. */
export const LONGBENCH_TASKS: Readonly<Record<string, LongTask>> = {
  narrativeqa: QUESTION,
  qasper: inputThen(
    'Answer from the article alone, in as few words as possible: "yes" or "no" where that is asked, "unanswerable" where the article does not say.',
    BY_WORDS,
  ),
  multifieldqa_en: QUESTION,
  multifieldqa_zh: { ...CHINESE_QUESTION, caution: OTHER_METHOD.chineseWords },
  hotpotqa: QUESTION,
  "2wikimqa": QUESTION,
  musique: QUESTION,
  dureader: { ...CHINESE_QUESTION, caution: OTHER_METHOD.chineseSummary },
  gov_report: inputThen(askForSummary("this report of a government agency", "about one page"), BY_SUMMARY),
  qmsum: inputThen("Answer in one paragraph, from what is said in the meeting.", BY_SUMMARY),
  multi_news: inputThen(askForSummary("what these news articles report", "a few paragraphs"), BY_SUMMARY),
  vcsum: {
    ...inputThen("请用一段话总结这次会议的内容，只写总结。", BY_LETTERS),
    caution: OTHER_METHOD.chineseSummary,
  },
  trec: {
    ...thenInput("The text shows questions with their types. Say of which type this one is.", BY_FINAL_ANSWER),
    caution: OTHER_METHOD.classes,
  },
  triviaqa: thenInput(
    "The text shows passages with a question and its answer. Answer the question to this passage likewise, with the answer alone.",
    BY_WORDS,
  ),
  samsum: thenInput(
    "The text shows dialogues with their summaries. Summarise this one likewise, in a few short sentences.",
    BY_SUMMARY,
  ),
  lsht: {
    ...thenInput("上文是若干新闻及其类别。请判断下面这条新闻属于哪一类。", BY_FINAL_ANSWER),
    caution: OTHER_METHOD.classes,
  },
  passage_count: {
    ...inputThen(
      "Some of the paragraphs in the text are repeated. How many different ones are there? Answer with the number alone.",
      BY_FINAL_ANSWER,
    ),
    caution: OTHER_METHOD.numbers,
  },
  passage_retrieval_en: {
    ...inputThen(
      'Of which paragraph in the text is this the abstract? Answer with the word "Paragraph" and its number alone.',
      BY_FINAL_ANSWER,
    ),
    caution: OTHER_METHOD.numbers,
  },
  passage_retrieval_zh: {
    ...inputThen("这是上文中哪一段的摘要？只回答“段落”二字加上编号。", BY_FINAL_ANSWER),
    caution: OTHER_METHOD.numbers,
  },
  lcc: { ...NEXT_LINE, caution: OTHER_METHOD.code },
  "repobench-p": { ...NEXT_LINE, caution: OTHER_METHOD.code },
};
