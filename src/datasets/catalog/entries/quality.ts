import type { CatalogEntry } from "../entry.js";
import { buildMultipleChoice } from "../multiple-choice.js";
import { readCorrectOption, requireIntegerValue, requireText, requireTextList } from "../row-fields.js";

export const quality: CatalogEntry = {
  about: "Questions about stories and articles of about 5,000 words that cannot be answered by skimming.",
  repo: "tasksource/QuALITY",
  license: "not stated",
  size: 2086,
  sources: () => [{ config: "default", split: "validation" }],
  columns: ["article", "question", "question_unique_id", "options", "gold_label", "difficult"],
  examples: (row) => {
    const id = requireText(row, "question_unique_id");
    const options = requireTextList(row, "options");
    const right = readCorrectOption(row, "gold_label", { options, first: 1 });
    return {
      id,
      context: requireText(row, "article").trim(),
      ...buildMultipleChoice({ id, question: requireText(row, "question"), options, right }),
      difficult: requireIntegerValue(row, "difficult") === 1,
    };
  },
  evaluators: ["multiple_choice_accuracy", "answer_quality"],
  primaryField: "mc_accuracy",
  facets: ["difficult"],
};
