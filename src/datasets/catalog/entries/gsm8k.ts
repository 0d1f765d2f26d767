import { askForNumber, plainNumber } from "../answers.js";
import { RowProblem, text } from "../columns.js";
import type { CatalogueEntry } from "../entry.js";

const MARK = "####";

export const gsm8k: CatalogueEntry = {
  about: "Grade school math word problems of two to eight steps.",
  repo: "openai/gsm8k",
  licence: "mit",
  size: 1319,
  sources: () => [{ config: "main", split: "test" }],
  columns: ["question", "answer"],
  examples: (row) => ({
    question: askForNumber(text(row, "question")),
    answer: finalNumber(text(row, "answer")),
  }),
  evaluators: ["math_equivalence", "answer_quality"],
  primaryField: "math_equiv",
};

function finalNumber(solution: string): string {
  const at = solution.lastIndexOf(MARK);
  const number = at === -1 ? "" : plainNumber(solution.slice(at + MARK.length));
  if (number !== "") return number;
  throw new RowProblem(`has nothing after "${MARK}" in "answer"`);
}
