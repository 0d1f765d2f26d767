import type { Fixture } from "../fixture.js";

export const mtBenchFixture: Fixture = {
  files: {
    "data/train-00000-of-00001.parquet": {
      columns: { prompt: "VARCHAR[]", category: "VARCHAR", prompt_id: "BIGINT", reference: "VARCHAR[]" },
      rows: [
        {
          prompt: ["Write a verse about a lighthouse.", "Now without the letter e."],
          category: "writing",
          prompt_id: 12345678,
          reference: [],
        },
        {
          prompt: ["What is 12 times 12?", "And half of that?"],
          category: "math",
          prompt_id: 23456789,
          reference: ["144", "72"],
        },
      ],
    },
  },
  expected: [
    {
      id: 12345678,
      turns: [
        { role: "user", content: "Write a verse about a lighthouse." },
        { role: "user", content: "Now without the letter e." },
      ],
      category: "writing",
    },
    {
      id: 23456789,
      turns: [
        { role: "user", content: "What is 12 times 12?" },
        { role: "user", content: "And half of that?" },
      ],
      category: "math",
      reference: ["144", "72"],
    },
  ],
};
