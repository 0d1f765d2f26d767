import type { CatalogEntry } from "../entry.js";
import { buildMultipleChoice } from "../multiple-choice.js";
import { RowProblem, requireText, requireTextList } from "../row-fields.js";

export const arcChallenge: CatalogEntry = {
  about: "School science exam questions that retrieval and word statistics fail to answer.",
  repo: "allenai/ai2_arc",
  license: "cc-by-sa-4.0",
  size: 1172,
  sources: () => [{ config: "ARC-Challenge", split: "test" }],
  columns: ["id", "question", "choices", "answerKey"],
  examples: (row) => {
    const id = requireText(row, "id");
    const labels = requireTextList(row, "choices.label");
    const key = requireText(row, "answerKey");
    const right = labels.indexOf(key);
    if (right === -1) throw new RowProblem(`has "${key}" in "answerKey", which is not one of ${labels.join(", ")}`);
    return {
      id,
      ...buildMultipleChoice({
        id,
        question: requireText(row, "question"),
        options: requireTextList(row, "choices.text"),
        right,
      }),
    };
  },
  evaluators: ["multiple_choice_accuracy", "answer_quality"],
  primaryField: "mc_accuracy",
};
