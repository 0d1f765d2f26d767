import type { RawRow } from "../../source-row.js";
import type { CatalogEntry } from "../entry.js";
import {
  askForShortAnswer,
  requireGoldText,
  requireGoldTexts,
  requireListValue,
  requireText,
  requireTextList,
} from "../row-fields.js";

export const musique: CatalogEntry = {
  about: "Questions composed of two to four simple ones, with twenty paragraphs to search.",
  repo: "bdsaglam/musique",
  license: "not stated",
  size: 2417,
  sources: () => [{ config: "answerable", split: "validation", files: ["musique_ans_v1.0_dev.jsonl"] }],
  columns: ["id", "paragraphs", "question", "question_decomposition", "answer", "answer_aliases"],
  examples: (row) => ({
    id: requireText(row, "id"),
    context: readMusiqueParagraphs(row).join("\n\n"),
    question: askForShortAnswer(requireText(row, "question")),
    answers: requireGoldTexts([requireGoldText(row, "answer"), ...requireTextList(row, "answer_aliases")], "answer"),
    hops: requireListValue(row, "question_decomposition").length,
  }),
  evaluators: ["answer_quality"],
  primaryField: "f1",
  facets: ["hops"],
};

function readMusiqueParagraphs(row: RawRow): string[] {
  return requireListValue(row, "paragraphs").map((_, index) => {
    const paragraph = `paragraphs.${index}`;
    return `${requireText(row, `${paragraph}.title`)}: ${requireText(row, `${paragraph}.paragraph_text`).trim()}`;
  });
}
