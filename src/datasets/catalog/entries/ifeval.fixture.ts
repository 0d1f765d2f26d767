import type { Fixture } from "../fixture.js";

const ROWS = [
  {
    key: 11,
    prompt: "Write a note about tea. Use no commas and at least 20 words.",
    instruction_id_list: ["punctuation:no_comma", "length_constraints:number_words"],
    // As in the hub's table: missing arguments are null.
    kwargs: [
      { num_words: null, relation: null },
      { num_words: 20, relation: "at least" },
    ],
  },
  { key: 12, prompt: "Say hello in quotes.", instruction_id_list: ["startend:quotation"], kwargs: [{}] },
];

export const ifevalFixture: Fixture = {
  files: { "ifeval_input_data.jsonl": { text: ROWS.map((row) => `${JSON.stringify(row)}\n`).join("") } },
  expected: [
    {
      id: 11,
      question: "Write a note about tea. Use no commas and at least 20 words.",
      instruction_id_list: ["punctuation:no_comma", "length_constraints:number_words"],
      kwargs: [{}, { num_words: 20, relation: "at least" }],
    },
    { id: 12, question: "Say hello in quotes.", instruction_id_list: ["startend:quotation"], kwargs: [{}] },
  ],
};
