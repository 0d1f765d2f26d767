/** One of the tasks of a collection of long texts: how it asks, and what scores it. */
export interface LongTask {
  /** What is asked, given the row's own input, which is blank for some tasks. */
  ask(input: string): string;
  readonly evaluators: readonly string[];
  readonly primaryField: string;
  /** How the published score differs, where it does. */
  readonly caution?: string;
}

/** Published scores that are computed in another way than here, in words for the report. */
export const OTHER_METHOD = {
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

export type Scoring = Pick<LongTask, "evaluators" | "primaryField">;

/** Words in common with a short gold answer. */
export const BY_WORDS: Scoring = { evaluators: ["answer_quality"], primaryField: "f1" };
/** A short gold answer that has to occur in what is returned. */
export const BY_MENTION: Scoring = { evaluators: ["answer_quality"], primaryField: "contains" };
/** Of all that there is, only this compares Chinese, which has no spaces, by less than whole sentences. */
export const BY_LETTERS: Scoring = { evaluators: ["levenshtein", "answer_quality"], primaryField: "levenshtein" };
export const BY_SUMMARY: Scoring = {
  evaluators: ["summarization_quality", "answer_quality"],
  primaryField: "rouge_l_f1",
};
export const BY_FINAL_ANSWER: Scoring = {
  evaluators: ["final_answer", "answer_quality"],
  primaryField: "final_answer",
};

/** A task that asks its row's input and then says what form the answer takes. */
export function inputThen(form: string, scoring: Scoring): LongTask {
  return { ask: (input) => paragraphs(input.trim(), form), ...scoring };
}

/** A task that first says what is to be done with its row's input. */
export function thenInput(task: string, scoring: Scoring): LongTask {
  return { ask: (input) => paragraphs(task, input.trim()), ...scoring };
}

function paragraphs(...texts: readonly string[]): string {
  return texts.filter((text) => text !== "").join("\n\n");
}
