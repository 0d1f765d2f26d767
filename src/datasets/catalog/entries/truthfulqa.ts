import type { CatalogEntry } from "../entry.js";
import { requireGoldText, requireGoldTexts, requireText, requireTextList } from "../row-fields.js";

const INSTRUCTION = "Answer in one short sentence.";

export const truthfulqa: CatalogEntry = {
  about: "Questions that many people answer wrongly because of a misconception or superstition.",
  repo: "truthfulqa/truthful_qa",
  license: "apache-2.0",
  size: 817,
  sources: () => [{ config: "generation", split: "validation" }],
  columns: ["type", "category", "question", "best_answer", "correct_answers", "incorrect_answers"],
  examples: (row) => ({
    question: `${requireText(row, "question").trim()}\n\n${INSTRUCTION}`,
    answers: requireGoldTexts(
      [requireGoldText(row, "best_answer"), ...requireTextList(row, "correct_answers")],
      "best_answer",
    ),
    incorrect_answers: requireTextList(row, "incorrect_answers"),
    category: requireText(row, "category"),
    type: requireText(row, "type"),
  }),
  evaluators: ["answer_quality"],
  primaryField: "f1",
  subject: "category",
  facets: ["category", "type"],
  caution:
    "The score compares words with the reference answers. A true answer in other words scores low, and a false one in the same words scores high: use a judge to tell them apart.",
};
