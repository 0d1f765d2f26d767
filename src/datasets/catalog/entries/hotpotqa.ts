import type { RawRow } from "../../source-row.js";
import { goldText, shortAnswer } from "../answers.js";
import { text, texts } from "../columns.js";
import type { CatalogueEntry } from "../entry.js";

export const hotpotqa: CatalogueEntry = {
  about: "Questions that require two Wikipedia articles, with eight distractor articles.",
  repo: "hotpotqa/hotpot_qa",
  licence: "cc-by-sa-4.0",
  size: 7405,
  sources: () => [{ config: "distractor", split: "validation" }],
  columns: ["id", "question", "answer", "type", "context"],
  examples: (row) => ({
    id: text(row, "id"),
    context: paragraphsOf(row).join("\n\n"),
    question: shortAnswer(text(row, "question")),
    answer: goldText(row, "answer"),
    type: text(row, "type"),
  }),
  evaluators: ["answer_quality"],
  primaryField: "f1",
  facets: ["type"],
};

function paragraphsOf(row: RawRow): string[] {
  return texts(row, "context.title").map((title, index) => {
    const sentences = texts(row, `context.sentences.${index}`).map((sentence) => sentence.trim());
    return `${title}: ${sentences.join(" ")}`;
  });
}
