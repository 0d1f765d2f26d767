import type { Fixture } from "../fixture.js";

const QUESTION = "Summarise this report of a government agency in about one page. Answer with the summary alone.";

export const govreportFixture: Fixture = {
  files: {
    "document/test-00000-of-00001.parquet": {
      columns: { report: "VARCHAR", summary: "VARCHAR" },
      rows: [
        {
          report: "Bridges are inspected every two years.\nHalf were late.",
          summary: "Half of inspections were late.",
        },
        { report: "The lake was measured.", summary: "The agency measured the lake." },
      ],
    },
  },
  expected: [
    {
      context: "Bridges are inspected every two years.\nHalf were late.",
      question: QUESTION,
      answer: "Half of inspections were late.",
    },
    { context: "The lake was measured.", question: QUESTION, answer: "The agency measured the lake." },
  ],
};
