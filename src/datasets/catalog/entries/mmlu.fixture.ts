import type { Fixture, ParquetFixture } from "../fixture.js";

const INSTRUCTION = "Answer with the letter of the right option.";
function createMmluTable(rows: ParquetFixture["rows"]): ParquetFixture {
  return { columns: { question: "VARCHAR", subject: "VARCHAR", choices: "VARCHAR[]", answer: "BIGINT" }, rows };
}

export const mmluFixture: readonly Fixture[] = [
  {
    files: {
      "all/test-00000-of-00001.parquet": createMmluTable([
        {
          question: "How many legs has the beetle that Professor Moss drew?",
          subject: "anatomy",
          choices: ["Four", "Six", "Eight", "Ten"],
          answer: 1,
        },
        {
          question: "Which of these is a planet?",
          subject: "astronomy",
          choices: ["Mars", "Sirius", "Both of the above", "None of the above"],
          answer: 0,
        },
      ]),
    },
    expected: [
      {
        question: `How many legs has the beetle that Professor Moss drew?\n\nA. Six\nB. Eight\nC. Ten\nD. Four\n\n${INSTRUCTION}`,
        choices: ["Six", "Eight", "Ten", "Four"],
        answer: "Six",
        answer_index: 0,
        subject: "anatomy",
      },
      {
        question: `Which of these is a planet?\n\nA. Mars\nB. Sirius\nC. Both of the above\nD. None of the above\n\n${INSTRUCTION}`,
        choices: ["Mars", "Sirius", "Both of the above", "None of the above"],
        answer: "Mars",
        answer_index: 0,
        subject: "astronomy",
      },
    ],
  },
  {
    config: "virology",
    files: {
      "virology/test-00000-of-00001.parquet": createMmluTable([
        {
          question: "What does a virus need in order to multiply?",
          subject: "virology",
          choices: ["A cell", "Light", "Soil", "Salt"],
          answer: 0,
        },
        {
          question: "What is the shell around a virus called?",
          subject: "virology",
          choices: ["Bark", "Crust", "Husk", "Capsid"],
          answer: 3,
        },
      ]),
    },
    expected: [
      {
        question: `What does a virus need in order to multiply?\n\nA. Light\nB. Salt\nC. Soil\nD. A cell\n\n${INSTRUCTION}`,
        choices: ["Light", "Salt", "Soil", "A cell"],
        answer: "A cell",
        answer_index: 3,
        subject: "virology",
      },
      {
        question: `What is the shell around a virus called?\n\nA. Crust\nB. Bark\nC. Capsid\nD. Husk\n\n${INSTRUCTION}`,
        choices: ["Crust", "Bark", "Capsid", "Husk"],
        answer: "Capsid",
        answer_index: 2,
        subject: "virology",
      },
    ],
  },
];
