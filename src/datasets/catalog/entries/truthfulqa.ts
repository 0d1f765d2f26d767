import { goldText, goldTexts } from "../answers.js";
import { text, texts } from "../columns.js";
import type { CatalogueEntry } from "../entry.js";

const ASK = "Answer in one short sentence.";

export const truthfulqa: CatalogueEntry = {
  about: "Questions that many people answer wrongly because of a misconception or superstition.",
  repo: "truthfulqa/truthful_qa",
  licence: "apache-2.0",
  size: 817,
  sources: () => [{ config: "generation", split: "validation" }],
  columns: ["type", "category", "question", "best_answer", "correct_answers", "incorrect_answers"],
  examples: (row) => ({
    question: `${text(row, "question").trim()}\n\n${ASK}`,
    answers: goldTexts([goldText(row, "best_answer"), ...texts(row, "correct_answers")], "best_answer"),
    incorrect_answers: texts(row, "incorrect_answers"),
    category: text(row, "category"),
    type: text(row, "type"),
  }),
  evaluators: ["answer_quality"],
  primaryField: "f1",
  subject: "category",
  facets: ["category", "type"],
  caution:
    "The score compares words with the reference answers. A true answer in other words scores low, and a false one in the same words scores high: use a judge to tell them apart.",
};
