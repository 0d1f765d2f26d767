import type { Fixture } from "../fixture.js";

export const naturalQuestionsFixture: Fixture = {
  files: {
    "nq_open/validation-00000-of-00001.parquet": {
      columns: { question: "VARCHAR", answer: "VARCHAR[]" },
      rows: [
        { question: "who kept the lighthouse at cape merrow", answer: ["Ines Alder", "the Alder family"] },
        { question: "when did the harbour of brae freeze over", answer: ["1911"] },
      ],
    },
  },
  expected: [
    {
      question: "who kept the lighthouse at cape merrow\n\nAnswer in as few words as possible.",
      answers: ["Ines Alder", "the Alder family"],
    },
    {
      question: "when did the harbour of brae freeze over\n\nAnswer in as few words as possible.",
      answers: ["1911"],
    },
  ],
};
