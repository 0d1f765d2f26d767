import type { CatalogueEntry } from "../entry.js";
import { goldTexts } from "../gold.js";
import { list, text } from "../read-column.js";
import { shortAnswer } from "../short-answer.js";

/** NarrativeQA. */
export const narrativeqa: CatalogueEntry = {
  about: "Questions about books and films, asked of their summaries.",
  repo: "deepmind/narrativeqa",
  licence: "apache-2.0",
  size: 10557,
  sources: () => [{ config: "default", split: "test" }],
  columns: ["document", "question", "answers"],
  examples: (row) => {
    const answers = list(row, "answers").map((_, index) => text(row, `answers.${index}.text`));
    return {
      context: text(row, "document.summary.text").trim(),
      question: shortAnswer(text(row, "question.text")),
      answers: goldTexts(answers, "answers"),
      kind: text(row, "document.kind"),
    };
  },
  evaluators: ["answer_quality", "summarization_quality"],
  primaryField: "f1",
  facets: ["kind"],
};
