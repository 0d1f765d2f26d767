import type { Fixture } from "../fixture.js";

/** Rows of Multi-News with content of our own. */
export const multiNewsFixture: Fixture = {
  files: {
    "default/test/0000.parquet": {
      isConverted: true,
      columns: { document: "VARCHAR", summary: "VARCHAR" },
      rows: [
        {
          document:
            "The ferry to Oland was late on Monday. \n  \n Nobody was hurt. ||||| A ferry ran aground in fog on Monday. |||||",
          summary: "– A ferry to Oland ran aground in fog on Monday and was late. Nobody was hurt.",
        },
        { document: "A bakery gives away bread at noon.", summary: "– Free bread at noon." },
      ],
    },
  },
  expected: [
    {
      context:
        "The ferry to Oland was late on Monday. \n  \n Nobody was hurt.\n\n---\n\nA ferry ran aground in fog on Monday.",
      question: "Summarise what these news articles report in a few paragraphs. Answer with the summary alone.",
      answer: "– A ferry to Oland ran aground in fog on Monday and was late. Nobody was hurt.",
    },
    {
      context: "A bakery gives away bread at noon.",
      question: "Summarise what these news articles report in a few paragraphs. Answer with the summary alone.",
      answer: "– Free bread at noon.",
    },
  ],
};
