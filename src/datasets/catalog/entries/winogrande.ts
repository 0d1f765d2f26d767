import { rightOption } from "../answers.js";
import { text } from "../columns.js";
import type { CatalogueEntry } from "../entry.js";
import { multipleChoice } from "../multiple-choice.js";

const ASK = "Which option belongs where the sentence has an underscore (_)?";

export const winogrande: CatalogueEntry = {
  about: "Sentences with a blank to fill with one of two nouns, by common sense.",
  repo: "allenai/winogrande",
  licence: "not stated",
  size: 1267,
  sources: () => [{ config: "winogrande_xl", split: "validation" }],
  columns: ["sentence", "option1", "option2", "answer"],
  examples: (row, { contentId }) => {
    const options = [text(row, "option1"), text(row, "option2")];
    const right = rightOption(row, "answer", { options, first: 1 });
    return multipleChoice({ id: contentId, question: `${text(row, "sentence")}\n\n${ASK}`, options, right });
  },
  evaluators: ["multiple_choice_accuracy", "answer_quality"],
  primaryField: "mc_accuracy",
};
