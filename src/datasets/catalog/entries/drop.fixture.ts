import type { Fixture } from "../fixture.js";

const PASSAGE = "In the boat race of Brae the Gulls led from the start. The Terns and the Auks came in after them.";

export const dropFixture: Fixture = {
  files: {
    "data/validation-00000-of-00001.parquet": {
      columns: {
        section_id: "VARCHAR",
        query_id: "VARCHAR",
        passage: "VARCHAR",
        question: "VARCHAR",
        answers_spans: 'STRUCT(spans VARCHAR[], "types" VARCHAR[])',
      },
      rows: [
        {
          section_id: "made_up_1",
          query_id: "00000000-0000-4000-8000-000000000001",
          passage: ` ${PASSAGE}`,
          question: "How many crews came in after the Gulls?",
          answers_spans: { spans: ["2", "2", "two crews"], types: ["number", "number", "span"] },
        },
        {
          section_id: "made_up_1",
          query_id: "00000000-0000-4000-8000-000000000002",
          passage: ` ${PASSAGE}`,
          question: "Which crews came in after the Gulls?",
          answers_spans: { spans: ["the Terns", "the Auks"], types: ["span", "span"] },
        },
      ],
    },
  },
  expected: [
    {
      id: "00000000-0000-4000-8000-000000000001",
      context: PASSAGE,
      question: "How many crews came in after the Gulls?\n\nAnswer in as few words as possible.",
      answers: ["2", "two crews"],
      answer_type: "number",
    },
    {
      id: "00000000-0000-4000-8000-000000000002",
      context: PASSAGE,
      question: "Which crews came in after the Gulls?\n\nAnswer in as few words as possible.",
      answers: ["the Terns", "the Auks"],
      answer_type: "span",
    },
  ],
};
