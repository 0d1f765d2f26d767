import type { RawRow } from "../../source-row.js";
import { goldText, goldTexts, shortAnswer } from "../answers.js";
import { list, text, texts } from "../columns.js";
import type { CatalogueEntry } from "../entry.js";

export const musique: CatalogueEntry = {
  about: "Questions composed of two to four simple ones, with twenty paragraphs to search.",
  repo: "bdsaglam/musique",
  licence: "not stated",
  size: 2417,
  sources: () => [{ config: "answerable", split: "validation", files: ["musique_ans_v1.0_dev.jsonl"] }],
  columns: ["id", "paragraphs", "question", "question_decomposition", "answer", "answer_aliases"],
  examples: (row) => ({
    id: text(row, "id"),
    context: paragraphsOf(row).join("\n\n"),
    question: shortAnswer(text(row, "question")),
    answers: goldTexts([goldText(row, "answer"), ...texts(row, "answer_aliases")], "answer"),
    hops: list(row, "question_decomposition").length,
  }),
  evaluators: ["answer_quality"],
  primaryField: "f1",
  facets: ["hops"],
};

function paragraphsOf(row: RawRow): string[] {
  return list(row, "paragraphs").map((_, index) => {
    const paragraph = `paragraphs.${index}`;
    return `${text(row, `${paragraph}.title`)}: ${text(row, `${paragraph}.paragraph_text`).trim()}`;
  });
}
