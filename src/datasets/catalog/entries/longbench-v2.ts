import { goldText } from "../answers.js";
import { RowProblem, text } from "../columns.js";
import type { CatalogueEntry } from "../entry.js";
import { multipleChoice } from "../multiple-choice.js";

const LETTERS = ["A", "B", "C", "D"];
const FACETS = ["difficulty", "length", "domain"] as const;

export const longbenchV2: CatalogueEntry = {
  about: "Hard questions with four options about texts of 8,000 to 2 million words.",
  repo: "THUDM/LongBench-v2",
  licence: "apache-2.0",
  size: 503,
  // The repository's file is one JSON list of 465 MB; the hub's Parquet conversion is a third of that and can be read in part.
  sources: () => [{ config: "default", split: "train", fallback: { files: ["data.json"] } }],
  columns: ["_id", "context", "question", ...LETTERS.map((letter) => `choice_${letter}`), "answer", ...FACETS],
  optionalColumns: ["sub_domain"],
  examples(row) {
    const id = text(row, "_id");
    const letter = goldText(row, "answer");
    if (!LETTERS.includes(letter))
      throw new RowProblem(`has "${letter}" in "answer", not one of ${LETTERS.join(", ")}`);
    const options = LETTERS.map((name) => text(row, `choice_${name}`));
    const choice = { id, question: text(row, "question"), options, right: LETTERS.indexOf(letter) };
    const facets = Object.fromEntries(FACETS.map((facet) => [facet, text(row, facet)]));
    return { id, context: text(row, "context"), ...multipleChoice(choice), ...facets };
  },
  evaluators: ["multiple_choice_accuracy", "answer_quality"],
  primaryField: "mc_accuracy",
  subject: "domain",
  facets: FACETS,
};
