import type { CatalogEntry } from "../entry.js";
import { buildMultipleChoice } from "../multiple-choice.js";
import { readCorrectOption, requireText } from "../row-fields.js";

const INSTRUCTION = "Which option belongs where the sentence has an underscore (_)?";

export const winogrande: CatalogEntry = {
  about: "Sentences with a blank to fill with one of two nouns, by common sense.",
  repo: "allenai/winogrande",
  license: "not stated",
  size: 1267,
  sources: () => [{ config: "winogrande_xl", split: "validation" }],
  columns: ["sentence", "option1", "option2", "answer"],
  examples: (row, { contentId }) => {
    const options = [requireText(row, "option1"), requireText(row, "option2")];
    const right = readCorrectOption(row, "answer", { options, first: 1 });
    return buildMultipleChoice({
      id: contentId,
      question: `${requireText(row, "sentence")}\n\n${INSTRUCTION}`,
      options,
      right,
    });
  },
  evaluators: ["multiple_choice_accuracy", "answer_quality"],
  primaryField: "mc_accuracy",
};
