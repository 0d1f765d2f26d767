import { RowProblem, text, texts } from "../columns.js";
import type { CatalogueEntry } from "../entry.js";
import { multipleChoice } from "../multiple-choice.js";

export const arcChallenge: CatalogueEntry = {
  about: "School science exam questions that retrieval and word statistics fail to answer.",
  repo: "allenai/ai2_arc",
  licence: "cc-by-sa-4.0",
  size: 1172,
  sources: () => [{ config: "ARC-Challenge", split: "test" }],
  columns: ["id", "question", "choices", "answerKey"],
  examples: (row) => {
    const id = text(row, "id");
    const labels = texts(row, "choices.label");
    const key = text(row, "answerKey");
    const right = labels.indexOf(key);
    if (right === -1) throw new RowProblem(`has "${key}" in "answerKey", which is not one of ${labels.join(", ")}`);
    return {
      id,
      ...multipleChoice({ id, question: text(row, "question"), options: texts(row, "choices.text"), right }),
    };
  },
  evaluators: ["multiple_choice_accuracy", "answer_quality"],
  primaryField: "mc_accuracy",
};
