import type { Fixture } from "../fixture.js";

const INSTRUCTION = "Answer with the letter of the right option.";

export const arcChallengeFixture: Fixture = {
  files: {
    "ARC-Challenge/test-00000-of-00001.parquet": {
      columns: {
        id: "VARCHAR",
        question: "VARCHAR",
        choices: 'STRUCT("text" VARCHAR[], "label" VARCHAR[])',
        answerKey: "VARCHAR",
      },
      rows: [
        {
          id: "MadeUp_1",
          question: "Which of these floats on water?",
          choices: { text: ["a nail", "a cork", "a brick", "a coin"], label: ["A", "B", "C", "D"] },
          answerKey: "B",
        },
        {
          id: "MadeUp_2",
          question: "What makes the tide rise?",
          choices: { text: ["the moon", "the wind", "the rain"], label: ["1", "2", "3"] },
          answerKey: "1",
        },
      ],
    },
  },
  expected: [
    {
      id: "MadeUp_1",
      question: `Which of these floats on water?\n\nA. a cork\nB. a brick\nC. a nail\nD. a coin\n\n${INSTRUCTION}`,
      choices: ["a cork", "a brick", "a nail", "a coin"],
      answer: "a cork",
      answer_index: 0,
    },
    {
      id: "MadeUp_2",
      question: `What makes the tide rise?\n\nA. the rain\nB. the wind\nC. the moon\n\n${INSTRUCTION}`,
      choices: ["the rain", "the wind", "the moon"],
      answer: "the moon",
      answer_index: 2,
    },
  ],
};
