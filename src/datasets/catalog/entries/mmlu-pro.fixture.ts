import type { Fixture } from "../fixture.js";

const INSTRUCTION = "Answer with the letter of the right option.";

export const mmluProFixture: Fixture = {
  files: {
    "data/test-00000-of-00001.parquet": {
      columns: {
        question_id: "BIGINT",
        question: "VARCHAR",
        options: "VARCHAR[]",
        answer: "VARCHAR",
        answer_index: "BIGINT",
        cot_content: "VARCHAR",
        category: "VARCHAR",
        src: "VARCHAR",
      },
      rows: [
        {
          question_id: 70,
          question: "A cart rolls 12 m in 4 s. What is its mean speed in m/s?",
          options: ["1", "2", "3", "4", "5", "6", "7", "8", "9", "12"],
          answer: "C",
          answer_index: 2,
          cot_content: "",
          category: "physics",
          src: "made-up",
        },
        {
          question_id: 71,
          question: "What does a firm sell in the shop of Pell?",
          options: ["N/A", "Rope", "Salt", "N/A", "Tar"],
          answer: "C",
          answer_index: 2,
          cot_content: "",
          category: "business",
          src: "made-up",
        },
      ],
    },
  },
  expected: [
    {
      id: 70,
      question: `A cart rolls 12 m in 4 s. What is its mean speed in m/s?\n\nA. 7\nB. 1\nC. 8\nD. 6\nE. 2\nF. 12\nG. 3\nH. 4\nI. 9\nJ. 5\n\n${INSTRUCTION}`,
      choices: ["7", "1", "8", "6", "2", "12", "3", "4", "9", "5"],
      answer: "3",
      answer_index: 6,
      category: "physics",
    },
    {
      id: 71,
      question: `What does a firm sell in the shop of Pell?\n\nA. Tar\nB. Rope\nC. Salt\n\n${INSTRUCTION}`,
      choices: ["Tar", "Rope", "Salt"],
      answer: "Salt",
      answer_index: 2,
      category: "business",
    },
  ],
};
