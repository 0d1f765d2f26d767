import type { Fixture } from "../fixture.js";

/** Rows of QMSum, as SCROLLS has it, with content of our own. */
export const qmsumFixture: Fixture = {
  files: {
    "qmsum/validation/0000.parquet": {
      isConverted: true,
      columns: { id: "VARCHAR", pid: "VARCHAR", input: "VARCHAR", output: "VARCHAR" },
      rows: [
        {
          id: "va-sq-1",
          pid: "va-sq-1_0",
          input:
            "What was decided about the colour?\n\nProject Manager: Yellow, then.\nMarketing: Agreed.\n\nProject Manager: Next point.",
          output: "The group settled on yellow.",
        },
        {
          id: "va-gq-2",
          pid: "va-gq-2_0",
          input: "Summarize the whole meeting.\n\nUser Interface: The buttons are too small.",
          output: "Small buttons were criticised.",
        },
      ],
    },
  },
  expected: [
    {
      id: "va-sq-1_0",
      context: "Project Manager: Yellow, then.\nMarketing: Agreed.\n\nProject Manager: Next point.",
      question: "What was decided about the colour?\n\nAnswer in one paragraph, from what is said in the meeting.",
      answer: "The group settled on yellow.",
    },
    {
      id: "va-gq-2_0",
      context: "User Interface: The buttons are too small.",
      question: "Summarize the whole meeting.\n\nAnswer in one paragraph, from what is said in the meeting.",
      answer: "Small buttons were criticised.",
    },
  ],
};
