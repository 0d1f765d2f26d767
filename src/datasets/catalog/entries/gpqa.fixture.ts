import type { Fixture } from "../fixture.js";

const INSTRUCTION = "Answer with the letter of the right option.";
const WRONG_COLUMNS = ["Incorrect Answer 1", "Incorrect Answer 2", "Incorrect Answer 3"];
const REVISED_COLUMNS = ["Question", "Explanation", "Correct Answer", ...WRONG_COLUMNS];

/** The columns about the question; about fifty more, about the validators, are left out. */
const COLUMNS = [
  ...["Question", "Correct Answer", ...WRONG_COLUMNS, "Explanation"].map((column) => `Pre-Revision ${column}`),
  "Self-reported question-writing time (minutes)",
  "Question",
  "Correct Answer",
  ...WRONG_COLUMNS,
  "Explanation",
  "Revision Comments (from Question Writer)",
  "Subdomain",
  "Writer's Difficulty Estimate",
  ...REVISED_COLUMNS.map((column) => `Extra Revised ${column}`),
  "Non-Expert Validator Accuracy",
  "Majority Non-Expert Vals Incorrect",
  "Expert Validator Accuracy",
  "Record ID",
  "High-level domain",
  "Question Writer",
  "Canary String",
];

function createGpqaLine(cells: Readonly<Record<string, string>>): string {
  return COLUMNS.map((column) => `"${(cells[column] ?? "").replaceAll('"', '""')}"`).join(",");
}

const ROWS = [
  createGpqaLine({
    Question: 'Dr Sund calls a salt "twice washed".\nWhat is left of 8 g after two losses of one half?\n',
    "Correct Answer": "2 g\n",
    "Incorrect Answer 1": "4 g",
    "Incorrect Answer 2": "1 g",
    "Incorrect Answer 3": "8 g, as before",
    Subdomain: "Chemistry (general)",
    "Record ID": "recMadeUp1",
    "High-level domain": "Chemistry",
  }),
  createGpqaLine({
    Question: "How many photons come out?",
    "Correct Answer": "Two",
    "Incorrect Answer 1": "None",
    "Incorrect Answer 2": "One",
    "Incorrect Answer 3": "Three",
    Subdomain: "Optics",
    "Record ID": "recMadeUp2",
    "High-level domain": "Physics",
  }),
];

const HEADER = COLUMNS.join(",");

export const gpqaFixture: Fixture = {
  files: { "gpqa_diamond.csv": { text: [HEADER, ...ROWS, ""].join("\n") } },
  expected: [
    {
      id: "recMadeUp1",
      question: `Dr Sund calls a salt "twice washed".\nWhat is left of 8 g after two losses of one half?\n\nA. 8 g, as before\nB. 1 g\nC. 2 g\nD. 4 g\n\n${INSTRUCTION}`,
      choices: ["8 g, as before", "1 g", "2 g", "4 g"],
      answer: "2 g",
      answer_index: 2,
      "High-level domain": "Chemistry",
    },
    {
      id: "recMadeUp2",
      question: `How many photons come out?\n\nA. Two\nB. None\nC. Three\nD. One\n\n${INSTRUCTION}`,
      choices: ["Two", "None", "Three", "One"],
      answer: "Two",
      answer_index: 0,
      "High-level domain": "Physics",
    },
  ],
};
