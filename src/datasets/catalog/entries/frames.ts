import { goldText, shortAnswer } from "../answers.js";
import { optionalText, text } from "../columns.js";
import type { CatalogueEntry } from "../entry.js";

export const frames: CatalogueEntry = {
  about: "Questions that require several Wikipedia articles, counting, comparing or dates.",
  repo: "google/frames-benchmark",
  licence: "apache-2.0",
  size: 824,
  sources: () => [{ config: "default", split: "test", files: ["test.tsv"] }],
  columns: ["Prompt", "Answer"],
  optionalColumns: ["reasoning_types"],
  examples: (row) => ({
    question: shortAnswer(text(row, "Prompt")),
    answer: goldText(row, "Answer"),
    reasoning_types: optionalText(row, "reasoning_types"),
  }),
  evaluators: ["answer_quality"],
  primaryField: "f1",
  facets: ["reasoning_types"],
};
