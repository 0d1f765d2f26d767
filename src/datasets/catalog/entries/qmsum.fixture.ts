import type { Fixture } from "../fixture.js";

const ROWS = [
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
];

const JSONL = ROWS.map((row) => `${JSON.stringify(row)}\n`).join("");
const COLUMNS = { id: "VARCHAR", pid: "VARCHAR", input: "VARCHAR", output: "VARCHAR" };

const expected: Fixture["expected"] = [
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
];

/** Made-up rows: packed as published, and as the hub would convert them. */
export const qmsumFixture: readonly Fixture[] = [
  {
    files: {
      "qmsum.zip": {
        zip: { "qmsum/train.jsonl": "{}\n", "qmsum/validation.jsonl": JSONL, "qmsum/test.jsonl": "{}\n" },
      },
      "contract_nli.zip": { zip: { "contract_nli/validation.jsonl": "{}\n" } },
    },
    expected,
  },
  {
    files: { "qmsum/validation/0000.parquet": { isConverted: true, columns: COLUMNS, rows: ROWS } },
    expected,
  },
];
