import type { Fixture } from "../fixture.js";

const ROWS = [
  {
    dataset: "helpful_base",
    instruction: "Name three trees that grow in bogs.",
    output: "Alder, birch and willow.",
    generator: "text_davinci_003",
  },
  { dataset: "koala", instruction: "Why is moss soft?", output: "It holds water.", generator: "text_davinci_003" },
];

export const alpacaEvalFixture: Fixture = {
  files: { "alpaca_eval.json": { text: JSON.stringify(ROWS, null, 2) } },
  expected: [
    {
      question: "Name three trees that grow in bogs.",
      baseline: "Alder, birch and willow.",
      source: "helpful_base",
    },
    { question: "Why is moss soft?", baseline: "It holds water.", source: "koala" },
  ],
};
