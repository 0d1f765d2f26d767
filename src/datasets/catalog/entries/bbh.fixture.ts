import type { Fixture, ParquetFixture } from "../fixture.js";
import { BBH_TASKS } from "../subject-lists.js";

const INSTRUCTION = 'End with "The answer is" and the answer alone: for options with letters, the letter in brackets.';

function createBbhTable(rows: ParquetFixture["rows"]): ParquetFixture {
  return { isConverted: true, columns: { input: "VARCHAR", target: "VARCHAR" }, rows };
}

export const bbhFixture: readonly Fixture[] = [
  {
    files: Object.fromEntries(
      BBH_TASKS.map((task, index) => [
        `${task}/test/0000.parquet`,
        createBbhTable([{ input: `What is the number of the task ${task}?`, target: String(index) }]),
      ]),
    ),
    expected: BBH_TASKS.map((subject, index) => ({
      question: `What is the number of the task ${subject}?\n\n${INSTRUCTION}`,
      answer: String(index),
      subject,
    })),
  },
  {
    config: "date_understanding",
    files: {
      "date_understanding/test/0000.parquet": createBbhTable([
        {
          input: "The fair began on 05/01/1950. Which day was the next?\nOptions:\n(A) 05/02/1950\n(B) 04/30/1950",
          target: "(A)",
        },
        {
          input:
            "The fair ended on 05/09/1950. Which day was the one before?\nOptions:\n(A) 05/10/1950\n(B) 05/08/1950",
          target: "(B)",
        },
      ]),
    },
    expected: [
      {
        question: `The fair began on 05/01/1950. Which day was the next?\nOptions:\n(A) 05/02/1950\n(B) 04/30/1950\n\n${INSTRUCTION}`,
        answer: "(A)",
        subject: "date_understanding",
      },
      {
        question: `The fair ended on 05/09/1950. Which day was the one before?\nOptions:\n(A) 05/10/1950\n(B) 05/08/1950\n\n${INSTRUCTION}`,
        answer: "(B)",
        subject: "date_understanding",
      },
    ],
  },
];
