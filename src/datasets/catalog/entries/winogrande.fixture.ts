import type { Fixture } from "../fixture.js";

const INSTRUCTION = "Answer with the letter of the right option.";

export const winograndeFixture: Fixture = {
  files: {
    "winogrande_xl/validation-00000-of-00001.parquet": {
      columns: { sentence: "VARCHAR", option1: "VARCHAR", option2: "VARCHAR", answer: "VARCHAR" },
      rows: [
        {
          sentence: "The rope did not fit through the ring because the _ was too thick.",
          option1: "rope",
          option2: "ring",
          answer: "1",
        },
        {
          sentence: "Ada lent Ben a coat, since _ was cold.",
          option1: "Ada",
          option2: "Ben",
          answer: "2",
        },
      ],
    },
  },
  expected: [
    {
      question: `The rope did not fit through the ring because the _ was too thick.\n\nWhich option belongs where the sentence has an underscore (_)?\n\nA. ring\nB. rope\n\n${INSTRUCTION}`,
      choices: ["ring", "rope"],
      answer: "rope",
      answer_index: 1,
    },
    {
      question: `Ada lent Ben a coat, since _ was cold.\n\nWhich option belongs where the sentence has an underscore (_)?\n\nA. Ada\nB. Ben\n\n${INSTRUCTION}`,
      choices: ["Ada", "Ben"],
      answer: "Ben",
      answer_index: 1,
    },
  ],
};
