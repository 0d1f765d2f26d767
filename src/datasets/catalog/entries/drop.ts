import type { CatalogEntry } from "../entry.js";
import { askForShortAnswer, readOptionalText, requireGoldTexts, requireText, requireTextList } from "../row-fields.js";

export const drop: CatalogEntry = {
  about: "Questions about a passage that require counting, sorting or arithmetic.",
  repo: "ucinlp/drop",
  license: "cc-by-sa-4.0",
  size: 9535,
  sources: () => [{ config: "default", split: "validation" }],
  columns: ["query_id", "passage", "question", "answers_spans"],
  examples: (row) => ({
    id: requireText(row, "query_id"),
    context: requireText(row, "passage").trim(),
    question: askForShortAnswer(requireText(row, "question")),
    answers: requireGoldTexts(requireTextList(row, "answers_spans.spans"), "answers_spans.spans"),
    answer_type: readOptionalText(row, "answers_spans.types.0"),
  }),
  evaluators: ["answer_quality"],
  primaryField: "f1",
  facets: ["answer_type"],
  caution:
    "The hub keeps the answers of all annotators, and the parts of answers that have several, in one list: a response that gives one of the parts counts as right.",
};
