import { createRandom, hashSeed, permutation } from "../../../stats/index.js";
import type { RawRow } from "../../source-row.js";
import type { CatalogEntry } from "../entry.js";
import { buildMultipleChoice } from "../multiple-choice.js";
import { requireGoldText, requireText } from "../row-fields.js";

const CORRECT_COLUMN = "Correct Answer";
const INCORRECT_COLUMNS = ["Incorrect Answer 1", "Incorrect Answer 2", "Incorrect Answer 3"];

export const gpqa: CatalogEntry = {
  about: "Biology, physics and chemistry questions that experts can answer but a search engine cannot.",
  repo: "Idavidrein/gpqa",
  license: "cc-by-4.0",
  isGated: true,
  size: 198,
  configs: { names: ["gpqa_diamond", "gpqa_main", "gpqa_extended"], default: "gpqa_diamond" },
  sources: (config) => [{ config, split: "train", files: [`${config}.csv`] }],
  columns: ["Record ID", "Question", CORRECT_COLUMN, ...INCORRECT_COLUMNS, "High-level domain"],
  examples: (row) => {
    const id = requireText(row, "Record ID");
    return {
      id,
      ...buildMultipleChoice({ id, question: requireText(row, "Question"), ...shuffleOptions(row, id) }),
      "High-level domain": requireText(row, "High-level domain"),
    };
  },
  evaluators: ["multiple_choice_accuracy", "answer_quality"],
  primaryField: "mc_accuracy",
  // As used by the authors of arXiv 2504.13359 for GPQA Diamond: cost_of_pass/analysis/analysis.ipynb of
  // github.com/mhamzaerol/Cost-of-Pass.
  expertCostUsd: (config) => (config === "gpqa_diamond" ? 58 : undefined),
  subject: "High-level domain",
  facets: ["High-level domain"],
};

/** The file lists the correct option first, so asking in file order would give it away. */
function shuffleOptions(row: RawRow, id: string) {
  const columns = [CORRECT_COLUMN, ...INCORRECT_COLUMNS];
  const order = [...permutation(columns.length, createRandom(hashSeed(1, id)))];
  const drawn = order.map((index) => columns[index] as string);
  return {
    options: drawn.map((column) => requireGoldText(row, column)),
    right: drawn.indexOf(CORRECT_COLUMN),
    filePositions: order,
  };
}
