import type { Fixture } from "../fixture.js";

/** 44 characters with its line break, which is ten tokens. */
const SENTENCE = "The harbour was quiet and the tide was low.\n";
const QUESTION = "The text may only imply it. Answer with the name of the character alone.";
const NEEDLES = [
  {
    id: "0901",
    reasoning_type: "world_knowledge",
    system_prompt: "",
    task_template: "{haystack}\n\n{question}",
    needle: "Actually, {CHAR} lives beside the {1}.",
    questions: { onehop: "Which character has been to {2}?", twohop: "Which character has been to {3}?" },
    character_set: ["Ida"],
    tests: { T01_C01: { input_args: ["old lighthouse", "Oland", "the province"] } },
  },
  {
    id: "0902",
    reasoning_type: "commonsense",
    system_prompt: "",
    task_template: "{haystack}\n\n{question}",
    needle: "Then {CHAR} spoke of being {1}.",
    questions: { onehop: "Which character cannot eat {2}?" },
    character_set: ["Tom"],
    tests: { T01_C01: { input_args: ["vegan", "fish"] } },
  },
];

/** Puts this many sentences before and after the needle. */
function createHaystack(before: number, needle: string, after: number): string {
  return `${SENTENCE.repeat(before)}${needle}\n${SENTENCE.repeat(after)}`.trim();
}

/** Made-up needles, in a haystack of identical sentences. */
export const nolimaFixture: readonly Fixture[] = [
  {
    config: "lengths=1000;depths=0,0.5;hops=1",
    files: {
      "needlesets/needle_set.json": { text: JSON.stringify(NEEDLES) },
      "haystack/rand_shuffle/rand_book_1.txt": { text: SENTENCE.repeat(400) },
      "haystack/rand_shuffle/rand_book_2.txt": { text: SENTENCE.repeat(300) },
    },
    expected: [
      {
        id: "0901_T01_C01_onehop_1000_0",
        context: createHaystack(0, "Actually, Ida lives beside the old lighthouse.", 99),
        question: `Which character has been to Oland?\n\n${QUESTION}`,
        answer: "Ida",
        length: 1000,
        depth: 0,
        hops: 1,
      },
      {
        id: "0901_T01_C01_onehop_1000_0.5",
        context: createHaystack(49, "Actually, Ida lives beside the old lighthouse.", 50),
        question: `Which character has been to Oland?\n\n${QUESTION}`,
        answer: "Ida",
        length: 1000,
        depth: 0.5,
        hops: 1,
      },
      {
        id: "0902_T01_C01_onehop_1000_0",
        context: createHaystack(0, "Then Tom spoke of being vegan.", 99),
        question: `Which character cannot eat fish?\n\n${QUESTION}`,
        answer: "Tom",
        length: 1000,
        depth: 0,
        hops: 1,
      },
      {
        id: "0902_T01_C01_onehop_1000_0.5",
        context: createHaystack(49, "Then Tom spoke of being vegan.", 50),
        question: `Which character cannot eat fish?\n\n${QUESTION}`,
        answer: "Tom",
        length: 1000,
        depth: 0.5,
        hops: 1,
      },
    ],
  },
  {
    config: "lengths=500;depths=1;hops=2",
    files: {
      "needlesets/needle_set.json": { text: JSON.stringify(NEEDLES) },
      "haystack/rand_shuffle/rand_book_1.txt": { text: SENTENCE.repeat(200) },
    },
    expected: [
      {
        id: "0901_T01_C01_twohop_500_1",
        context: createHaystack(49, "Actually, Ida lives beside the old lighthouse.", 0),
        question: `Which character has been to the province?\n\n${QUESTION}`,
        answer: "Ida",
        length: 500,
        depth: 1,
        hops: 2,
      },
    ],
  },
];
