import { rightOption } from "../answers.js";
import { text, texts } from "../columns.js";
import type { CatalogueEntry } from "../entry.js";
import { MMLU_SUBJECTS } from "../mmlu-subjects.js";
import { multipleChoice } from "../multiple-choice.js";

export const mmlu: CatalogueEntry = {
  about: "Exam questions of 57 subjects, from elementary mathematics to law, with four options.",
  repo: "cais/mmlu",
  licence: "mit",
  size: 14042,
  configs: { names: ["all", ...MMLU_SUBJECTS], default: "all" },
  sources: (config) => [{ config, split: "test" }],
  columns: ["question", "subject", "choices", "answer"],
  examples: (row, { contentId }) => {
    const options = texts(row, "choices");
    const right = rightOption(row, "answer", { options, first: 0 });
    return {
      ...multipleChoice({ id: contentId, question: text(row, "question"), options, right }),
      subject: text(row, "subject"),
    };
  },
  evaluators: ["multiple_choice_accuracy", "answer_quality"],
  primaryField: "mc_accuracy",
  subject: "subject",
  facets: ["subject"],
};
