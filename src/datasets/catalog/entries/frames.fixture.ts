import type { Fixture } from "../fixture.js";

const LINKS = ["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11+"].map((number) => `wikipedia_link_${number}`);
const HEADER = ["", "Prompt", "Answer", ...LINKS, "reasoning_types", "wiki_links"];
const LINK = "https://example.org/wiki/Pell";

function createFramesLine(
  index: number,
  prompt: string,
  { answer, types }: { answer: string; types: string },
): string[] {
  return [String(index), prompt, answer, LINK, ...LINKS.slice(1).map(() => ""), types, `['${LINK}']`];
}

const ROWS = [
  createFramesLine(0, "How many years after the fire of Pell was the bridge of Roon built?", {
    answer: "31",
    types: "Numerical reasoning | Multiple constraints",
  }),
  createFramesLine(1, '"Which river is called ""the blue one"" by the people of Pell?"', {
    answer: "The Sarn",
    types: "Multiple constraints",
  }),
];

export const framesFixture: Fixture = {
  files: { "test.tsv": { text: [HEADER, ...ROWS].map((cells) => `${cells.join("\t")}\n`).join("") } },
  expected: [
    {
      question:
        "How many years after the fire of Pell was the bridge of Roon built?\n\nAnswer in as few words as possible.",
      answer: "31",
      reasoning_types: "Numerical reasoning | Multiple constraints",
    },
    {
      question: 'Which river is called "the blue one" by the people of Pell?\n\nAnswer in as few words as possible.',
      answer: "The Sarn",
      reasoning_types: "Multiple constraints",
    },
  ],
};
