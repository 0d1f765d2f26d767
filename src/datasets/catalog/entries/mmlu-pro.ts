import { rightOption } from "../answers.js";
import { integer, text, texts } from "../columns.js";
import type { CatalogueEntry } from "../entry.js";
import { multipleChoice } from "../multiple-choice.js";

export const mmluPro: CatalogueEntry = {
  about: "Exam questions of 14 fields that require more reasoning than MMLU's, with up to ten options.",
  repo: "TIGER-Lab/MMLU-Pro",
  licence: "mit",
  size: 12032,
  sources: () => [{ config: "default", split: "test" }],
  columns: ["question_id", "question", "options", "answer_index", "category"],
  examples: (row) => {
    const id = integer(row, "question_id");
    const options = texts(row, "options");
    const right = rightOption(row, "answer_index", { options, first: 0 });
    return {
      id,
      ...multipleChoice({ id, question: text(row, "question"), ...withoutPadding(options, right) }),
      category: text(row, "category"),
    };
  },
  evaluators: ["multiple_choice_accuracy", "answer_quality"],
  primaryField: "mc_accuracy",
  subject: "category",
  facets: ["category"],
};

/** Pads the options of questions that have fewer than others. */
const PADDING = "N/A";

function withoutPadding(options: readonly string[], right: number) {
  const kept = [...options.keys()].filter((index) => index === right || options[index]?.trim() !== PADDING);
  return { options: kept.map((index) => options[index] ?? ""), right: kept.indexOf(right) };
}
