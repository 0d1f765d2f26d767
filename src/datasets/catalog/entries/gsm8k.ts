import type { CatalogEntry } from "../entry.js";
import { askForNumber, normalizeNumber, RowProblem, requireText } from "../row-fields.js";

const ANSWER_MARK = "####";

export const gsm8k: CatalogEntry = {
  about: "Grade school math word problems of two to eight steps.",
  repo: "openai/gsm8k",
  license: "mit",
  size: 1319,
  sources: () => [{ config: "main", split: "test" }],
  columns: ["question", "answer"],
  examples: (row) => ({
    question: askForNumber(requireText(row, "question")),
    answer: extractFinalNumber(requireText(row, "answer")),
  }),
  evaluators: ["math_equivalence", "answer_quality"],
  primaryField: "math_equiv",
  // As used by the authors of arXiv 2504.13359: cost_of_pass/analysis/analysis.ipynb of github.com/mhamzaerol/Cost-of-Pass.
  expertCostUsd: 3.5,
};

function extractFinalNumber(solution: string): string {
  const at = solution.lastIndexOf(ANSWER_MARK);
  const number = at === -1 ? "" : normalizeNumber(solution.slice(at + ANSWER_MARK.length));
  if (number !== "") return number;
  throw new RowProblem(`has nothing after "${ANSWER_MARK}" in "answer"`);
}
