import type { CatalogEntry } from "../entry.js";
import { buildMultipleChoice } from "../multiple-choice.js";
import { readCorrectOption, requireIntegerValue, requireText, requireTextList } from "../row-fields.js";

export const mmluPro: CatalogEntry = {
  about: "Exam questions of 14 fields that require more reasoning than MMLU's, with up to ten options.",
  repo: "TIGER-Lab/MMLU-Pro",
  license: "mit",
  size: 12032,
  sources: () => [{ config: "default", split: "test" }],
  columns: ["question_id", "question", "options", "answer_index", "category"],
  examples: (row) => {
    const id = requireIntegerValue(row, "question_id");
    const options = requireTextList(row, "options");
    const right = readCorrectOption(row, "answer_index", { options, first: 0 });
    return {
      id,
      ...buildMultipleChoice({ id, question: requireText(row, "question"), ...stripPaddingOptions(options, right) }),
      category: requireText(row, "category"),
    };
  },
  evaluators: ["multiple_choice_accuracy", "answer_quality"],
  primaryField: "mc_accuracy",
  subject: "category",
  facets: ["category"],
};

/** Pads the options of questions that have fewer than others. */
const PADDING = "N/A";

function stripPaddingOptions(options: readonly string[], right: number) {
  const kept = [...options.keys()].filter((index) => index === right || options[index]?.trim() !== PADDING);
  return { options: kept.map((index) => options[index] ?? ""), right: kept.indexOf(right) };
}
