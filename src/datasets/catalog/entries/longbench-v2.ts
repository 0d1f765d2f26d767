import type { CatalogEntry } from "../entry.js";
import { buildMultipleChoice } from "../multiple-choice.js";
import { RowProblem, requireGoldText, requireText } from "../row-fields.js";

const LETTERS = ["A", "B", "C", "D"];
const FACETS = ["difficulty", "length", "domain"] as const;

export const longbenchV2: CatalogEntry = {
  about: "Hard questions with four options about texts of 8,000 to 2 million words.",
  repo: "THUDM/LongBench-v2",
  license: "apache-2.0",
  size: 503,
  // The repository's file is one JSON list of 465 MB; the hub's Parquet conversion is a third of that and can be read in part.
  sources: () => [{ config: "default", split: "train", fallback: { files: ["data.json"] } }],
  columns: ["_id", "context", "question", ...LETTERS.map((letter) => `choice_${letter}`), "answer", ...FACETS],
  optionalColumns: ["sub_domain"],
  examples(row) {
    const id = requireText(row, "_id");
    const letter = requireGoldText(row, "answer");
    if (!LETTERS.includes(letter))
      throw new RowProblem(`has "${letter}" in "answer", not one of ${LETTERS.join(", ")}`);
    const options = LETTERS.map((name) => requireText(row, `choice_${name}`));
    const choice = { id, question: requireText(row, "question"), options, right: LETTERS.indexOf(letter) };
    const facets = Object.fromEntries(FACETS.map((facet) => [facet, requireText(row, facet)]));
    return { id, context: requireText(row, "context"), ...buildMultipleChoice(choice), ...facets };
  },
  evaluators: ["multiple_choice_accuracy", "answer_quality"],
  primaryField: "mc_accuracy",
  subject: "domain",
  facets: FACETS,
};
