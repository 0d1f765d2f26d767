import type { Fixture } from "../fixture.js";

const INSTRUCTION =
  'Answer with the calls to make and nothing else, as a JSON list of objects with "name" and "arguments". Answer with an empty list when none of the tools fits.';
const TIDES = {
  name: "tides",
  description: "The tides of a harbour.",
  parameters: { harbour: { description: "Its name.", type: "str", default: "Oland" } },
};
const ROWS = [
  {
    id: 0,
    query: "When is high water at Oland?",
    answers: '[{"name": "tides", "arguments": {"harbour": "Oland"}}]',
    tools: JSON.stringify([TIDES]),
  },
  {
    id: 1,
    query: "Tides at Oland and at Visby?",
    answers:
      '[{"name": "tides", "arguments": {"harbour": "Oland"}}, {"name": "tides", "arguments": {"harbour": "Visby"}}]',
    tools: JSON.stringify([TIDES]),
  },
];
const CONTEXT =
  'Tools that can be called:\n[{"name":"tides","description":"The tides of a harbour.","parameters":{"harbour":{"description":"Its name.","type":"str","default":"Oland"}}}]';

export const apigenFixture: Fixture = {
  files: { "xlam_function_calling_60k.json": { text: JSON.stringify(ROWS) } },
  expected: [
    {
      id: 0,
      context: CONTEXT,
      question: `When is high water at Oland?\n\n${INSTRUCTION}`,
      tool_calls: [{ name: "tides", arguments: { harbour: "Oland" } }],
      tools: [TIDES],
    },
    {
      id: 1,
      context: CONTEXT,
      question: `Tides at Oland and at Visby?\n\n${INSTRUCTION}`,
      tool_calls: [
        { name: "tides", arguments: { harbour: "Oland" } },
        { name: "tides", arguments: { harbour: "Visby" } },
      ],
      tools: [TIDES],
    },
  ],
};
