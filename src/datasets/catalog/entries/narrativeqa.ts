import type { CatalogEntry } from "../entry.js";
import { askForShortAnswer, requireGoldTexts, requireText, requireTextList } from "../row-fields.js";

export const narrativeqa: CatalogEntry = {
  about: "Questions about books and films, answered from their summaries.",
  repo: "deepmind/narrativeqa",
  license: "apache-2.0",
  size: 10557,
  sources: () => [{ config: "default", split: "test" }],
  // The document also contains the whole book.
  columns: ["document.kind", "document.summary.text", "question.text", "answers.text"],
  examples: (row) => ({
    context: requireText(row, "document.summary.text").trim(),
    question: askForShortAnswer(requireText(row, "question.text")),
    answers: requireGoldTexts(requireTextList(row, "answers.text"), "answers.text"),
    kind: requireText(row, "document.kind"),
  }),
  evaluators: ["answer_quality", "summarization_quality"],
  primaryField: "f1",
  facets: ["kind"],
};
