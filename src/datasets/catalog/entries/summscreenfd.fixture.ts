import type { Fixture } from "../fixture.js";

const QUESTION =
  "Summarise what happens in this episode of a television series in one paragraph. Answer with the summary alone.";

const ROWS = [
  {
    id: "fd_Harbour_Lights_01x02",
    pid: "fd_Harbour_Lights_01x02_0",
    input: "[Scene: the quay]\n\nIda: The boat is gone!\nTom: I sold it.",
    output: "Ida finds out that Tom has sold the boat.",
  },
  {
    id: "fd_Harbour_Lights_01x03",
    pid: "fd_Harbour_Lights_01x03_0",
    input: "Tom: I bought it back.",
    output: "Tom makes amends.",
  },
];

export const summscreenfdFixture: Fixture = {
  files: {
    "summ_screen_fd.zip": {
      zip: { "summ_screen_fd/validation.jsonl": ROWS.map((row) => `${JSON.stringify(row)}\n`).join("") },
    },
  },
  expected: [
    {
      id: "fd_Harbour_Lights_01x02_0",
      context: "[Scene: the quay]\n\nIda: The boat is gone!\nTom: I sold it.",
      question: QUESTION,
      answer: "Ida finds out that Tom has sold the boat.",
    },
    {
      id: "fd_Harbour_Lights_01x03_0",
      context: "Tom: I bought it back.",
      question: QUESTION,
      answer: "Tom makes amends.",
    },
  ],
};
