import type { CatalogEntry } from "../entry.js";
import { buildMultipleChoice } from "../multiple-choice.js";
import { readCorrectOption, requireText, requireTextList } from "../row-fields.js";

/** Layout tags of the WikiHow guides that half of the rows come from. */
const LAYOUT_TAGS = /\s*\[(?:header|step|substeps)\]\s*/g;

export const hellaswag: CatalogEntry = {
  about: "Choose which of four endings continues a description of an everyday activity.",
  repo: "Rowan/hellaswag",
  license: "not stated",
  size: 10042,
  sources: () => [{ config: "default", split: "validation" }],
  columns: ["ctx", "endings", "split_type", "label"],
  examples: (row, { contentId }) => {
    const options = requireTextList(row, "endings").map(stripLayoutTags);
    const right = readCorrectOption(row, "label", { options, first: 0 });
    return {
      context: stripLayoutTags(requireText(row, "ctx")),
      ...buildMultipleChoice({ id: contentId, question: "Which ending continues the text best?", options, right }),
      split_type: requireText(row, "split_type"),
    };
  },
  evaluators: ["multiple_choice_accuracy", "answer_quality"],
  primaryField: "mc_accuracy",
  facets: ["split_type"],
};

function stripLayoutTags(line: string): string {
  return line
    .replace(/\s*\[title\]\s*/g, ". ")
    .replace(LAYOUT_TAGS, " ")
    .replace(/^[.\s]+/, "")
    .trim();
}
