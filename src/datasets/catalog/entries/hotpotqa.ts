import type { RawRow } from "../../source-row.js";
import type { CatalogEntry } from "../entry.js";
import { askForShortAnswer, requireGoldText, requireText, requireTextList } from "../row-fields.js";

export const hotpotqa: CatalogEntry = {
  about: "Questions that require two Wikipedia articles, with eight distractor articles.",
  repo: "hotpotqa/hotpot_qa",
  license: "cc-by-sa-4.0",
  size: 7405,
  sources: () => [{ config: "distractor", split: "validation" }],
  columns: ["id", "question", "answer", "type", "context"],
  examples: (row) => ({
    id: requireText(row, "id"),
    context: readHotpotParagraphs(row).join("\n\n"),
    question: askForShortAnswer(requireText(row, "question")),
    answer: requireGoldText(row, "answer"),
    type: requireText(row, "type"),
  }),
  evaluators: ["answer_quality"],
  primaryField: "f1",
  facets: ["type"],
};

function readHotpotParagraphs(row: RawRow): string[] {
  return requireTextList(row, "context.title").map((title, index) => {
    const sentences = requireTextList(row, `context.sentences.${index}`).map((sentence) => sentence.trim());
    return `${title}: ${sentences.join(" ")}`;
  });
}
