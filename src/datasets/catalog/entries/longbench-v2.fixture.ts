import type { Fixture } from "../fixture.js";

const ROWS = [
  {
    _id: "66f0aa01",
    domain: "Single-Document QA",
    sub_domain: "Literary",
    difficulty: "easy",
    length: "short",
    question: "Who rows the boat?",
    choice_A: "Ida",
    choice_B: "Tom",
    choice_C: "The vicar",
    choice_D: "Nobody",
    answer: "C",
    context: "The vicar took the oars.",
  },
  {
    _id: "66f0aa02",
    domain: "Code Repository Understanding",
    sub_domain: "Code repo QA",
    difficulty: "hard",
    length: "long",
    question: "What does load() give back?",
    choice_A: "A list",
    choice_B: "A map",
    choice_C: "A or B, by its flag",
    choice_D: "Nothing",
    answer: "A",
    context: "def load(): return []",
  },
];

const COLUMNS = Object.fromEntries(Object.keys(ROWS[0] ?? {}).map((column) => [column, "VARCHAR"]));

const expected: Fixture["expected"] = [
  {
    id: "66f0aa01",
    context: "The vicar took the oars.",
    question:
      "Who rows the boat?\n\nA. Tom\nB. Ida\nC. The vicar\nD. Nobody\n\nAnswer with the letter of the right option.",
    choices: ["Tom", "Ida", "The vicar", "Nobody"],
    answer: "The vicar",
    answer_index: 2,
    difficulty: "easy",
    length: "short",
    domain: "Single-Document QA",
  },
  {
    id: "66f0aa02",
    context: "def load(): return []",
    question:
      "What does load() give back?\n\nA. A list\nB. A map\nC. A or B, by its flag\nD. Nothing\n\nAnswer with the letter of the right option.",
    choices: ["A list", "A map", "A or B, by its flag", "Nothing"],
    answer: "A list",
    answer_index: 0,
    difficulty: "hard",
    length: "long",
    domain: "Code Repository Understanding",
  },
];

/** Made-up rows, converted and as published; options that refer to others keep their order. */
export const longbenchV2Fixture: readonly Fixture[] = [
  { files: { "default/train/0000.parquet": { isConverted: true, columns: COLUMNS, rows: ROWS } }, expected },
  { files: { "data.json": { text: JSON.stringify(ROWS) } }, expected },
];
