import type { CatalogEntry } from "../entry.js";
import { requireGoldText, requireText } from "../row-fields.js";

export const alpacaEval: CatalogEntry = {
  about: "Requests of many kinds; a judge compares each answer with that of a reference model.",
  repo: "tatsu-lab/alpaca_eval",
  license: "cc-by-nc-4.0",
  size: 805,
  sources: () => [{ files: ["alpaca_eval.json"] }],
  columns: ["dataset", "instruction", "output"],
  optionalColumns: ["generator"],
  // The source of a request cannot be stored as "dataset": that field is the dataset of the example.
  examples: (row) => ({
    question: requireText(row, "instruction"),
    baseline: requireGoldText(row, "output"),
    source: requireText(row, "dataset"),
  }),
  evaluators: ["llm_judge"],
  primaryField: "judge_score",
  subject: "source",
  facets: ["source"],
  judge: { pairwise: true },
};
