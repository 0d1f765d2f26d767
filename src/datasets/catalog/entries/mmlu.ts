import type { CatalogEntry } from "../entry.js";
import { buildMultipleChoice } from "../multiple-choice.js";
import { readCorrectOption, requireText, requireTextList } from "../row-fields.js";
import { MMLU_SUBJECTS } from "../subject-lists.js";

export const mmlu: CatalogEntry = {
  about: "Exam questions of 57 subjects, from elementary mathematics to law, with four options.",
  repo: "cais/mmlu",
  license: "mit",
  size: 14042,
  configs: { names: ["all", ...MMLU_SUBJECTS], default: "all" },
  sources: (config) => [{ config, split: "test" }],
  columns: ["question", "subject", "choices", "answer"],
  examples: (row, { contentId }) => {
    const options = requireTextList(row, "choices");
    const right = readCorrectOption(row, "answer", { options, first: 0 });
    return {
      ...buildMultipleChoice({ id: contentId, question: requireText(row, "question"), options, right }),
      subject: requireText(row, "subject"),
    };
  },
  evaluators: ["multiple_choice_accuracy", "answer_quality"],
  primaryField: "mc_accuracy",
  subject: "subject",
  facets: ["subject"],
};
