import { describe, expect, it } from "vitest";
import type { ScoredWithEvidence } from "../../core/evaluator.js";
import type { Example } from "../../core/example.js";
import { MultipleChoiceAccuracy } from "../multiple-choice-accuracy.js";

const evaluator = new MultipleChoiceAccuracy();

/** The letter read from a response, null if it chooses nothing. */
function readChoice(response: string, choices: readonly string[]): string | null {
  for (const [index] of choices.entries()) {
    const example = { id: 1, question: "q", choices, answer_index: index } as unknown as Example;
    const { scores } = evaluator.score(example, { response }) as ScoredWithEvidence;
    if (scores.mc_extracted === 0) return null;
    if (scores.mc_accuracy === 1) return String.fromCharCode(65 + index);
  }
  return null;
}

/** Options that are values, with responses and the option they choose. */
const CASES: readonly (readonly [choices: string, responses: Readonly<Record<string, string | null>>])[] = [
  [
    "2|4|6|8",
    {
      "-2": null,
      "The answer is -2.": null,
      "The answer is **-2**.": null,
      "\\boxed{-2}": null,
      "2": "A",
      "The answer is 2.": "A",
      "The answer is 4, because it is even.": "B",
      "The answer is 6!": "C",
      "The answer is 2 - 4.": null,
      $8$: "D",
    },
  ],
  [
    "5|10|15|20",
    {
      "1.5": null,
      "\\boxed{1.5}": null,
      "**1.5**": null,
      "\\boxed{-5}": null,
      "The answer is 5%": null,
      "The answer is (5, 10).": null,
      "The answer is 10, 15.": null,
      "The answer is 10; 15.": null,
      "The answer is 5:10": null,
      "The answer is 15.": "C",
      "\\boxed{15}": "C",
      "**15**": "C",
      "The answer is $15.": "C",
      "The answer is 15 (three times five).": "C",
      "The answer is (15).": "C",
    },
  ],
  ["12|15|18|21", { "The answer is 1.8": null, "18.5": null, "-18": null, "The final answer is $\\boxed{18}$.": "C" }],
  ["24|4|6|8", { "2.4": null, "2/4": null, "The answer is 2^4.": null, "24.": "A" }],
  ["5 cm|10 cm|15 cm|20 cm", { "The answer is 1.5 cm": null, "15 cm": "C", "The answer is 15cm.": "C" }],
  ["Na|K|Li|Cs", { "Na+": null, "The answer is Na+.": null, Na: "A", "The answer is Li.": "C" }],
  [
    "p|q|r|s",
    { "The answer is ~p": null, "The answer is -p": null, "The answer is ¬p": null, "The answer is p.": "A" },
  ],
  ["-2|2|-4|4", { "-2": "A", "\\boxed{-2}": "A", "**-2**": "A", "The answer is −4.": "C", "The answer is 4.": "D" }],
  ["x+1|x-1|x|1", { "x + 1": "A", "The answer is x - 1.": "B", $x$: "C", "\\boxed{x-1}": "B" }],
  ["1.5 m/s|15 m/s|150 m/s|0.15 m/s", { "1.5 m/s": "A", "The answer is 15 m/s.": "B", "\\boxed{15\\text{ m/s}}": "B" }],
  ["10^3|10^-3|10^2|10^-2", { "10^3": "A", "$10^{-3}$": "B", "The answer is 10².": "C", "10⁻²": "D" }],
  ["p > q|p < q|p = q|none", { "p < q": "B", "The answer is p > q.": "A", "p ≥ q": null }],
  ["Na+|Na-|Cl+|Cl-", { "Na+": "A", "The answer is Na-.": "B", Na: null }],
  ["(1,2)|(2,1)|(1,-2)|(-1,2)", { "(1,2)": "A", "(1, -2)": "C", "The answer is (-1, 2).": "D", "(1.2)": null }],
  [
    "3/4|4/3|34|1/4",
    { "\\boxed{\\frac{3}{4}}": "A", "The answer is $\\frac{4}{3}$.": "B", "\\dfrac34": null, "34": "C" },
  ],
  ["20 N|2.0 N|200 N|2 N", { "The answer is 20N.": "A", "$20\\text{ N}$": "A", "The answer is 2.0 N.": "B" }],
  ["1,000|100|10|1", { "The answer is 1000.": "A", "1,000": "A", "1.000": null, "The answer is 1,0": null }],
  ["$5|$10|5%|10%", { "The answer is $10.": "B", "10%": "D", "The answer is 5\\%.": "C", "\\boxed{5}": "A" }],
  ["2(x+1)|2x+1|f(x)|fx", { "2x + 1": "B", "The answer is 2(x + 1).": "A", "f(x)": "C" }],
  ["[0,1]|(0,1)|[0,1)|(0,1]", { "The answer is (0,1).": "B", "[0, 1)": "C" }],
  ["C|Java|Go|Rust", { "C++": null, "C#": null, "The answer is C++.": null }],
  // Words: punctuation and letter case don't matter.
  [
    "In 1945, after the war.|In 1914, before it.|well-known poets|U.S.A.",
    { "in 1945 after the war": "A", "The answer is In 1914, before it": "B", "Well-known poets!": "C", USA: "D" },
  ],
  ["A dog, a cat|the cat's tail|north/south|yes", { "a dog a cat": "A", "The cat's tail": "B", "North/South.": "C" }],
];

const FLAT = CASES.flatMap(([choices, responses]) =>
  Object.entries(responses).map(([response, letter]) => ({ choices, response, letter })),
);

describe("options that are values", () => {
  it.each(FLAT)("$choices: $response is $letter", ({ choices, response, letter }) => {
    expect(readChoice(response, choices.split("|"))).toBe(letter);
  });
});

it("compares the gold with values character by character", () => {
  const choices = ["15", "1.5", "-15", "5.1"];
  const read = (answer: string, response: string) =>
    (
      evaluator.score({ id: 1, question: "q", choices, answer } as unknown as Example, {
        response,
      }) as ScoredWithEvidence
    ).evidence;
  expect(read("-15", "C")).toEqual({ mc_accuracy: "chose C, right is C" });
  expect(read("1.5 ", "B")).toEqual({ mc_accuracy: "chose B, right is B" });
});
