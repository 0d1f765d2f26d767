import type { RawRow } from "../../source-row.js";
import type { CatalogEntry } from "../entry.js";
import { extractLastBoxed, RowProblem, requireText } from "../row-fields.js";

const INSTRUCTION = "Give the final answer in \\boxed{}.";
const SUBJECTS = [
  "algebra",
  "counting_and_probability",
  "geometry",
  "intermediate_algebra",
  "number_theory",
  "prealgebra",
  "precalculus",
];

export const math: CatalogEntry = {
  about: "Competition mathematics problems of seven subjects and five levels.",
  repo: "EleutherAI/hendrycks_math",
  license: "mit",
  size: 5000,
  configs: { names: ["all", ...SUBJECTS], default: "all" },
  sources: (config) => listMathSubjects(config).map((subject) => ({ config: subject, split: "test", subject })),
  columns: ["problem", "level", "type", "solution"],
  examples: (row, { subject }) => ({
    question: `${requireText(row, "problem").trim()}\n\n${INSTRUCTION}`,
    answer: extractFinalAnswer(row),
    subject: subject ?? requireText(row, "type"),
    level: requireText(row, "level"),
  }),
  evaluators: ["math_equivalence", "answer_quality"],
  primaryField: "math_equiv",
  // As used by the authors of arXiv 2504.13359 for MATH-500, a random sample of these problems:
  // cost_of_pass/analysis/analysis.ipynb of github.com/mhamzaerol/Cost-of-Pass.
  expertCostUsd: (config) => (config === "all" ? 12 : undefined),
  subject: "subject",
  facets: ["subject", "level"],
};

function listMathSubjects(config: string): readonly string[] {
  return config === "all" ? SUBJECTS : [config];
}

function extractFinalAnswer(row: RawRow): string {
  const answer = extractLastBoxed(requireText(row, "solution"));
  if (answer !== null) return answer;
  throw new RowProblem('has no \\boxed answer in "solution"');
}
