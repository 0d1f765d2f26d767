import type { CatalogEntry } from "../entry.js";
import { askForShortAnswer, requireGoldTexts, requireText, requireTextList } from "../row-fields.js";

/** The open version (NQ-Open). */
export const naturalQuestions: CatalogEntry = {
  about: "Questions typed into a search engine, answered without any text to read.",
  repo: "google-research-datasets/nq_open",
  license: "cc-by-sa-3.0",
  size: 3610,
  sources: () => [{ config: "nq_open", split: "validation" }],
  columns: ["question", "answer"],
  examples: (row) => ({
    question: askForShortAnswer(requireText(row, "question")),
    answers: requireGoldTexts(requireTextList(row, "answer"), "answer"),
  }),
  evaluators: ["answer_quality"],
  primaryField: "f1",
};
