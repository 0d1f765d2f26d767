import { goldTexts, shortAnswer } from "../answers.js";
import { text, texts } from "../columns.js";
import type { CatalogueEntry } from "../entry.js";

export const narrativeqa: CatalogueEntry = {
  about: "Questions about books and films, answered from their summaries.",
  repo: "deepmind/narrativeqa",
  licence: "apache-2.0",
  size: 10557,
  sources: () => [{ config: "default", split: "test" }],
  // The document also contains the whole book.
  columns: ["document.kind", "document.summary.text", "question.text", "answers.text"],
  examples: (row) => ({
    context: text(row, "document.summary.text").trim(),
    question: shortAnswer(text(row, "question.text")),
    answers: goldTexts(texts(row, "answers.text"), "answers.text"),
    kind: text(row, "document.kind"),
  }),
  evaluators: ["answer_quality", "summarization_quality"],
  primaryField: "f1",
  facets: ["kind"],
};
