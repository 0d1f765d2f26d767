import { goldTexts, shortAnswer } from "../answers.js";
import { text, texts } from "../columns.js";
import type { CatalogueEntry } from "../entry.js";

/** Natural Questions, the open version. */
export const naturalQuestions: CatalogueEntry = {
  about: "Questions that people typed into a search engine, to be answered without any text to read.",
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
