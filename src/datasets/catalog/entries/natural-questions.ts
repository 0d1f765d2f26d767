import { goldTexts, shortAnswer } from "../answers.js";
import { text, texts } from "../columns.js";
import type { CatalogueEntry } from "../entry.js";

/** The open version (NQ-Open). */
export const naturalQuestions: CatalogueEntry = {
  about: "Questions typed into a search engine, answered without any text to read.",
  repo: "google-research-datasets/nq_open",
  licence: "cc-by-sa-3.0",
  size: 3610,
  sources: () => [{ config: "nq_open", split: "validation" }],
  columns: ["question", "answer"],
  examples: (row) => ({
    question: shortAnswer(text(row, "question")),
    answers: goldTexts(texts(row, "answer"), "answer"),
  }),
  evaluators: ["answer_quality"],
  primaryField: "f1",
};
