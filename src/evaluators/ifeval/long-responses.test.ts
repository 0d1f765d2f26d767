import { expect, it } from "vitest";
import { startCpuTimer } from "../../testing/cpu-time.js";
import { InstructionArguments } from "./arguments.js";
import { checkInstructions, RULES } from "./instructions.js";

const LENGTH = 200_000;
const MOST_MS = 5000;

/** A careless pattern would take minutes for a long run of one of these; a linear one takes a tenth of a second. */
const PIECES = [
  "a",
  " ",
  "\n",
  "*",
  "**",
  "-",
  "- ",
  ".",
  ". ",
  "!",
  '"',
  "'",
  "' ",
  "[",
  "[]",
  "[\n",
  "<",
  "<<",
  ">",
  "<<\n",
  "é",
  "0",
  "1. ",
  "A.",
  "(",
  ")",
  ",",
  '\\"',
  "p.",
  "p. ",
  "Section ",
  "A'",
  "https://a",
  "a@",
  "\n\n ",
  "*\n",
  "Nan",
];

const ARGS = {
  keywords: ["aaab", "e.g."],
  keyword: "aab",
  frequency: 2,
  relation: "at least",
  forbidden_words: ["aaab", "a"],
  letter: "a",
  let_frequency: 2,
  let_relation: "at least",
  num_words: 10,
  num_sentences: 10,
  num_paragraphs: 2,
  nth_paragraph: 1,
  first_word: "a",
  num_placeholders: 2,
  postscript_marker: "P.S.",
  num_bullets: 2,
  num_highlights: 2,
  section_spliter: "Section",
  num_sections: 2,
  prompt_to_repeat: "aaab",
  end_phrase: "aaab",
  capital_frequency: 2,
  capital_relation: "at least",
  language: "en",
};

it("takes time linear in the length of a response", { timeout: 120_000 }, () => {
  const slow: unknown[] = [];
  for (const piece of PIECES) {
    const response = piece.repeat(LENGTH / piece.length).slice(0, -1);
    for (const [id, rule] of Object.entries(RULES)) {
      const follows = rule(new InstructionArguments(ARGS));
      const cpuMs = startCpuTimer();
      follows(response, () => "en");
      const took = cpuMs();
      if (took > MOST_MS) slow.push([piece, id, Math.round(took)]);
    }
  }
  expect(slow).toEqual([]);
});

it("checks a megabyte of spaces, line ends and asterisks in all loose forms", () => {
  const instructions = Object.keys(RULES).map((id) => ({ id, args: ARGS }));
  for (const piece of [" ", "\n", "*"])
    expect(checkInstructions(instructions, `x${piece.repeat(1e6)}x`, () => "en").strict).toHaveLength(25);
});
