import { rightOption } from "../answers.js";
import { text, texts } from "../columns.js";
import type { CatalogueEntry } from "../entry.js";
import { multipleChoice } from "../multiple-choice.js";

/** Layout tags of the WikiHow guides that half of the rows come from. */
const LAYOUT = /\s*\[(?:header|step|substeps)\]\s*/g;

export const hellaswag: CatalogueEntry = {
  about: "Choose which of four endings continues a description of an everyday activity.",
  repo: "Rowan/hellaswag",
  licence: "not stated",
  size: 10042,
  sources: () => [{ config: "default", split: "validation" }],
  columns: ["ctx", "endings", "split_type", "label"],
  examples: (row, { contentId }) => {
    const options = texts(row, "endings").map(withoutLayout);
    const right = rightOption(row, "label", { options, first: 0 });
    return {
      context: withoutLayout(text(row, "ctx")),
      ...multipleChoice({ id: contentId, question: "Which ending continues the text best?", options, right }),
      split_type: text(row, "split_type"),
    };
  },
  evaluators: ["multiple_choice_accuracy", "answer_quality"],
  primaryField: "mc_accuracy",
  facets: ["split_type"],
};

function withoutLayout(line: string): string {
  return line
    .replace(/\s*\[title\]\s*/g, ". ")
    .replace(LAYOUT, " ")
    .replace(/^[.\s]+/, "")
    .trim();
}
