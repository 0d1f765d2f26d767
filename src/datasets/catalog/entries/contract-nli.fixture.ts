import type { Fixture } from "../fixture.js";

const INSTRUCTION =
  "Does the contract entail this hypothesis, contradict it, or not mention it? Answer with one of: Entailment, Contradiction, Not mentioned.";

const ROWS = [
  {
    id: "7_nda-1",
    pid: "7_nda-1_0",
    input: "Receiving Party may keep copies.\n\nAGREEMENT\n\nAll copies shall be destroyed.",
    output: "Contradiction",
  },
  {
    id: "7_nda-2",
    pid: "7_nda-2_0",
    input: "The agreement ends after five years.\n\nAGREEMENT\n\nAll copies shall be destroyed.",
    output: "Not mentioned",
  },
];

export const contractNliFixture: Fixture = {
  files: {
    "contract_nli.zip": {
      zip: { "contract_nli/validation.jsonl": ROWS.map((row) => `${JSON.stringify(row)}\n`).join("") },
    },
  },
  expected: [
    {
      id: "7_nda-1_0",
      context: "AGREEMENT\n\nAll copies shall be destroyed.",
      question: `Hypothesis: Receiving Party may keep copies.\n\n${INSTRUCTION}`,
      answer: "Contradiction",
    },
    {
      id: "7_nda-2_0",
      context: "AGREEMENT\n\nAll copies shall be destroyed.",
      question: `Hypothesis: The agreement ends after five years.\n\n${INSTRUCTION}`,
      answer: "Not mentioned",
    },
  ],
};
