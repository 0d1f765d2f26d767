import type { Fixture, ParquetFixture } from "../fixture.js";

const INSTRUCTION = "Give the final answer in \\boxed{}.";
const TYPES = {
  algebra: "Algebra",
  counting_and_probability: "Counting & Probability",
  geometry: "Geometry",
  intermediate_algebra: "Intermediate Algebra",
  number_theory: "Number Theory",
  prealgebra: "Prealgebra",
  precalculus: "Precalculus",
};

function createMathTable(rows: ParquetFixture["rows"]): ParquetFixture {
  return { columns: { problem: "VARCHAR", level: "VARCHAR", type: "VARCHAR", solution: "VARCHAR" }, rows };
}

function createMathRow(type: string, problem: string, solution: string) {
  return { problem, level: "Level 2", type, solution };
}

export const mathFixture: readonly Fixture[] = [
  {
    files: Object.fromEntries(
      Object.entries(TYPES).map(([subject, type]) => [
        `${subject}/test-00000-of-00001.parquet`,
        createMathTable([createMathRow(type, `How many rules of ${subject} are there?`, "We count to $\\boxed{12}$.")]),
      ]),
    ),
    expected: Object.keys(TYPES).map((subject) => ({
      question: `How many rules of ${subject} are there?\n\n${INSTRUCTION}`,
      answer: "12",
      subject,
      level: "Level 2",
    })),
  },
  {
    config: "algebra",
    files: {
      "algebra/test-00000-of-00001.parquet": createMathTable([
        createMathRow("Algebra", "Solve $2x = 1$.", "Not $\\boxed{2}$ but $x = \\boxed{\\frac{1}{2}}$."),
        createMathRow("Algebra", "Which $x$ are roots of $x^2 - 1$?", "They are $\\fbox{$\\{-1, 1\\}$}$."),
        createMathRow("Algebra", "What is $3 + 4$?", "It is $\\boxed 7$, as $3 + 4 = 7$."),
      ]),
    },
    expected: [
      { question: `Solve $2x = 1$.\n\n${INSTRUCTION}`, answer: "\\frac{1}{2}", subject: "algebra", level: "Level 2" },
      { question: `Which $x$ are roots of $x^2 - 1$?\n\n${INSTRUCTION}`, answer: "$\\{-1, 1\\}$", subject: "algebra" },
      { question: `What is $3 + 4$?\n\n${INSTRUCTION}`, answer: "7", subject: "algebra" },
    ],
  },
];
