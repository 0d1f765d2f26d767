import type { Fixture } from "../fixture.js";

const INSTRUCTION =
  'Answer with the calls to make and nothing else, as a JSON list of objects with "name" and "arguments". Answer with an empty list when none of the tools fits.';
const FUNCTION = {
  name: "tides.at",
  description: "The tides of a harbour.",
  parameters: {
    type: "dict",
    properties: {
      harbour: { type: "string", description: "Its name." },
      days: { type: "integer", description: "How many." },
      place: { type: "tuple", items: { type: "float" } },
      note: { type: "any" },
    },
    required: ["harbour"],
  },
};
const TOOL = {
  name: "tides.at",
  description: "The tides of a harbour.",
  parameters: {
    type: "object",
    properties: {
      harbour: { type: "string", description: "Its name." },
      days: { type: "integer", description: "How many." },
      place: { type: "array", items: { type: "number" } },
      note: {},
    },
    required: ["harbour"],
  },
};
const CONTEXT = `Tools that can be called:\n${JSON.stringify([TOOL])}`;

/** JSON Lines, although the files are named .json. */
function createBfclLines(rows: readonly unknown[]): { text: string } {
  return { text: rows.map((row) => `${JSON.stringify(row)}\n`).join("") };
}

function createBfclRow(id: string, ...messages: readonly { role: string; content: string }[]) {
  return { id, question: [messages], function: [FUNCTION] };
}

/** Made-up rows: calls to make, a leading system message, and no calls to make. */
export const bfclFixture: readonly Fixture[] = [
  {
    files: {
      "BFCL_v3_simple.json": createBfclLines([
        createBfclRow("simple_0", { role: "user", content: "Tides at Oland for 2 days?" }),
        createBfclRow("simple_1", { role: "user", content: "Tides at Visby?" }),
      ]),
      "possible_answer/BFCL_v3_simple.json": createBfclLines([
        { id: "simple_0", ground_truth: [{ "tides.at": { harbour: ["Oland"], days: [2] } }] },
        { id: "simple_1", ground_truth: [{ "tides.at": { harbour: ["Visby"], days: ["", 1] } }] },
      ]),
    },
    expected: [
      {
        id: "simple_0",
        context: CONTEXT,
        question: `Tides at Oland for 2 days?\n\n${INSTRUCTION}`,
        ground_truth: [{ "tides.at": { harbour: ["Oland"], days: [2] } }],
        tools: [TOOL],
      },
      {
        id: "simple_1",
        context: CONTEXT,
        question: `Tides at Visby?\n\n${INSTRUCTION}`,
        ground_truth: [{ "tides.at": { harbour: ["Visby"], days: ["", 1] } }],
        tools: [TOOL],
      },
    ],
  },
  {
    config: "live_simple",
    files: {
      "BFCL_v3_live_simple.json": createBfclLines([
        createBfclRow(
          "live_simple_0-0-0",
          { role: "system", content: "Be terse." },
          { role: "user", content: "Tides?" },
        ),
        createBfclRow("live_simple_1-0-0", { role: "user", content: "Tides at Oland?" }),
      ]),
      "possible_answer/BFCL_v3_live_simple.json": createBfclLines([
        { id: "live_simple_0-0-0", ground_truth: [{ "tides.at": { harbour: ["Oland"] } }] },
        { id: "live_simple_1-0-0", ground_truth: [{ "tides.at": { harbour: ["Oland"] } }] },
      ]),
    },
    expected: [
      {
        id: "live_simple_0-0-0",
        context: CONTEXT,
        turns: [
          { role: "system", content: "Be terse." },
          { role: "user", content: `Tides?\n\n${INSTRUCTION}` },
        ],
        ground_truth: [{ "tides.at": { harbour: ["Oland"] } }],
      },
      { id: "live_simple_1-0-0", context: CONTEXT, question: `Tides at Oland?\n\n${INSTRUCTION}` },
    ],
  },
  {
    config: "irrelevance",
    files: {
      "BFCL_v3_irrelevance.json": createBfclLines([
        createBfclRow("irrelevance_0", { role: "user", content: "Who wrote this?" }),
        createBfclRow("irrelevance_1", { role: "user", content: "Is it Monday?" }),
      ]),
    },
    expected: [
      { id: "irrelevance_0", context: CONTEXT, question: `Who wrote this?\n\n${INSTRUCTION}`, ground_truth: [] },
      { id: "irrelevance_1", context: CONTEXT, question: `Is it Monday?\n\n${INSTRUCTION}`, ground_truth: [] },
    ],
  },
];
