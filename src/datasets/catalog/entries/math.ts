import type { RawRow } from "../../source-row.js";
import { lastBoxed } from "../answers.js";
import { RowProblem, text } from "../columns.js";
import type { CatalogueEntry } from "../entry.js";

const ASK = "Give the final answer in \\boxed{}.";
const SUBJECTS = [
  "algebra",
  "counting_and_probability",
  "geometry",
  "intermediate_algebra",
  "number_theory",
  "prealgebra",
  "precalculus",
];

export const math: CatalogueEntry = {
  about: "Competition mathematics problems of seven subjects and five levels.",
  repo: "EleutherAI/hendrycks_math",
  licence: "mit",
  size: 5000,
  configs: { names: ["all", ...SUBJECTS], default: "all" },
  sources: (config) => subjectsOf(config).map((subject) => ({ config: subject, split: "test", subject })),
  columns: ["problem", "level", "type", "solution"],
  examples: (row, { subject }) => ({
    question: `${text(row, "problem").trim()}\n\n${ASK}`,
    answer: finalAnswer(row),
    subject: subject ?? text(row, "type"),
    level: text(row, "level"),
  }),
  evaluators: ["math_equivalence", "answer_quality"],
  primaryField: "math_equiv",
  subject: "subject",
  facets: ["subject", "level"],
};

function subjectsOf(config: string): readonly string[] {
  return config === "all" ? SUBJECTS : [config];
}

function finalAnswer(row: RawRow): string {
  const answer = lastBoxed(text(row, "solution"));
  if (answer !== null) return answer;
  throw new RowProblem('has no \\boxed answer in "solution"');
}
