import { goldTexts, shortAnswer } from "../answers.js";
import { optionalText, text, texts } from "../columns.js";
import type { CatalogueEntry } from "../entry.js";

export const drop: CatalogueEntry = {
  about: "Questions about a passage that require counting, sorting or arithmetic.",
  repo: "ucinlp/drop",
  licence: "cc-by-sa-4.0",
  size: 9535,
  sources: () => [{ config: "default", split: "validation" }],
  columns: ["query_id", "passage", "question", "answers_spans"],
  examples: (row) => ({
    id: text(row, "query_id"),
    context: text(row, "passage").trim(),
    question: shortAnswer(text(row, "question")),
    answers: goldTexts(texts(row, "answers_spans.spans"), "answers_spans.spans"),
    answer_type: optionalText(row, "answers_spans.types.0"),
  }),
  evaluators: ["answer_quality"],
  primaryField: "f1",
  facets: ["answer_type"],
  caution:
    "The hub keeps the answers of all annotators, and the parts of answers that have several, in one list: a response that gives one of the parts counts as right.",
};
