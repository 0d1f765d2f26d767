import { rightOption } from "../answers.js";
import { integer, text, texts } from "../columns.js";
import type { CatalogueEntry } from "../entry.js";
import { multipleChoice } from "../multiple-choice.js";

export const quality: CatalogueEntry = {
  about: "Questions about stories and articles of about 5,000 words that cannot be answered by skimming.",
  repo: "tasksource/QuALITY",
  licence: "not stated",
  size: 2086,
  sources: () => [{ config: "default", split: "validation" }],
  columns: ["article", "question", "question_unique_id", "options", "gold_label", "difficult"],
  examples: (row) => {
    const id = text(row, "question_unique_id");
    const options = texts(row, "options");
    const right = rightOption(row, "gold_label", { options, first: 1 });
    return {
      id,
      context: text(row, "article").trim(),
      ...multipleChoice({ id, question: text(row, "question"), options, right }),
      difficult: integer(row, "difficult") === 1,
    };
  },
  evaluators: ["multiple_choice_accuracy", "answer_quality"],
  primaryField: "mc_accuracy",
  facets: ["difficult"],
};
