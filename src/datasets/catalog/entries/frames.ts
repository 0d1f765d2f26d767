import type { CatalogEntry } from "../entry.js";
import { askForShortAnswer, readOptionalText, requireGoldText, requireText } from "../row-fields.js";

export const frames: CatalogEntry = {
  about: "Questions that require several Wikipedia articles, counting, comparing or dates.",
  repo: "google/frames-benchmark",
  license: "apache-2.0",
  size: 824,
  sources: () => [{ config: "default", split: "test", files: ["test.tsv"] }],
  columns: ["Prompt", "Answer"],
  optionalColumns: ["reasoning_types"],
  examples: (row) => ({
    question: askForShortAnswer(requireText(row, "Prompt")),
    answer: requireGoldText(row, "Answer"),
    reasoning_types: readOptionalText(row, "reasoning_types"),
  }),
  evaluators: ["answer_quality"],
  primaryField: "f1",
  facets: ["reasoning_types"],
};
