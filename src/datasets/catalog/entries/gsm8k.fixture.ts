import type { Fixture } from "../fixture.js";

const INSTRUCTION = "Work it out step by step. On the last line give the final number after ####.";

export const gsm8kFixture: Fixture = {
  files: {
    "main/test-00000-of-00001.parquet": {
      columns: { question: "VARCHAR", answer: "VARCHAR" },
      rows: [
        {
          question: "A jar holds 1,500 beans. How many do 2 jars hold? ",
          answer: "Two jars hold 2 * 1500 = <<2*1500=3000>>3000 beans.\n#### 3,000",
        },
        {
          question: "Nia had 9 pears and ate 4. How many are left?",
          answer: "There are 9 - 4 = <<9-4=5>>5 left.\n#### 5",
        },
      ],
    },
  },
  expected: [
    { question: `A jar holds 1,500 beans. How many do 2 jars hold?\n\n${INSTRUCTION}`, answer: "3000" },
    { question: `Nia had 9 pears and ate 4. How many are left?\n\n${INSTRUCTION}`, answer: "5" },
  ],
};
