import { describe, expect, it } from "vitest";
import { MathEquivalence } from "../math-equivalence.js";

const maths = new MathEquivalence({ limitMs: 20_000 });

async function scoreOf(answer: string, response: string): Promise<number | undefined> {
  const scored = await maths.score({ id: 1, answer }, { response });
  return (scored as { scores: { math_equiv?: number } }).scores.math_equiv;
}

type Pairs = readonly (readonly [gold: string, given: string])[];

/** Box contents by subject that equal the gold answer. */
const BOXES_RIGHT: Record<string, Pairs> = {
  "named values": [
    ["-2,1", "x=-2, x=1"],
    ["x=-2,x=1", "1,-2"],
    ["-2,1", "x_1 = 1, x_2 = -2"],
    ["x=1,y=2", "y=2,x=1"],
    ["x=1,y=2", "1,2"],
    ["x=1,y=2", "x,y=1,2"],
    ["3,5", "a=5, b=3"],
    ["(1, 2)", "x=1, y=2"],
    ["(1, 2)", "y=2, x=1"],
    ["(3, \\frac{\\pi}{2})", "r=3, \\theta=\\frac{\\pi}{2}"],
    ["x=y", "y=x"],
    ["x=1", "1=x"],
    ["x", "f(x)=x"],
    ["x=2y", "y=\\frac{x}{2}"],
  ],
  remarks: [
    ["24", "24 (12 + 12)"],
    ["14", "2 (3+4)"],
  ],
  "words and products of letters": [
    ["ab", "ba"],
    ["\\text{BAC}", "BAC"],
    ["\\text{parabola}", "\\text{a parabola}"],
    ["\\text{Monday}", "\\text{Monday, because it rains}"],
    ["red", "\\text{red}"],
    ["\\text{(A) and (B)}", "\\text{(B) and (A)}"],
    ["\\overline{AB}", "AB"],
    ["\\frac{1}{2}", "\\operatorname{sin}(\\frac{\\pi}{6})"],
    ["\\frac{1}{2}AB", "\\frac{AB}{2}"],
  ],
  repeats: [
    ["2,2,3", "3,2,2"],
    ["\\{1,1,2\\}", "\\{1,2\\}"],
  ],
  "bars and functions": [
    ["z\\overline{z}", "\\bar{z}z"],
    ["2\\vec{a}+\\vec{b}", "\\vec{b}+2\\vec{a}"],
    ["f(2)+1", "1+f(2)"],
    ["(1+r)^T", "(r+1)^T"],
    ["\\frac{1}{3}", "0.\\overline{3}"],
    ["0.1\\overline{6}", "\\frac16"],
  ],
  degrees: [
    ["\\frac12", "\\sin 30^\\circ"],
    ["\\frac12", "\\cos 60^\\circ"],
    ["\\frac12", "\\sin(30^{\\circ})"],
    ["\\frac14", "\\sin^2 30°"],
    ["\\cos 20^\\circ", "\\sin 70^\\circ"],
    ["30", "\\arcsin\\frac12 = 30^\\circ"],
    ["3", "3^\\circ C"],
    ["-3", "-3^{\\circ}\\text{F}"],
  ],
  "chains of = and ≈": [
    ["\\frac{3}{56}", "\\frac{3}{56}\\approx 0.0536"],
    ["0.0536", "\\frac{3}{56}\\approx 0.0536"],
    ["\\sqrt{2}", "\\sqrt{2} \\approx 1.414"],
    ["\\sqrt{2}", "x = \\sqrt{2} ≈ 1.414"],
    ["\\frac{1}{3}", "1/3 = 0.333"],
    ["\\frac{1}{3}", "x = \\frac26 = \\frac13 = 0.333"],
    ["24", "x+y=24"],
    ["7", "3+5=7"],
    ["4", "\\sqrt{16} = 4"],
    ["\\frac13 \\approx 0.333", "\\frac13"],
  ],
  "options and ordinals": [
    ["12", "\\textbf{(D)}\\ 12"],
    ["12", "\\text{(D) } 12"],
    ["12", "\\textbf{(D) }12"],
    ["\\sqrt{2}", "\\textbf{(D) } \\sqrt2"],
    ["12", "\\textbf{(D) 12}"],
    ["D", "\\textbf{(D)}\\ 12"],
    ["\\text{(D)}", "\\text{(D) } 12"],
    ["\\textbf{(D)}\\ 12", "12"],
    ["\\textbf{(D)}\\ 12", "D"],
    ["12", "12^\\text{th}"],
    ["12", "12^{\\mathrm{th}}"],
    ["12", "12^{th}"],
  ],
  "unions of inequalities": [
    ["(-\\infty,2)\\cup(3,\\infty)", "x<2 \\text{ or } x>3"],
    ["x<2 \\text{ or } x>3", "(-\\infty,2)\\cup(3,\\infty)"],
    ["(-\\infty,-\\sqrt4]\\cup[3,\\infty)", "x \\ge 3, x\\le -2"],
  ],
  "number words": [
    ["7", "seven"],
    ["24", "\\text{twenty-four}"],
  ],
};

const BOXES_WRONG: Record<string, Pairs> = {
  "named values": [
    ["x=1, y=2", "x=3,y=2"],
    ["a=1,b=2,c=3", "a=5,b=9,c=3"],
    ["x=-2,x=1", "1"],
    ["2", "x=1 \\text{ or } x=2"],
    ["x=1, y=2", "x=2, y=1"],
    ["x=1, y=2", "y=1, x=2"],
    ["x=1, y=2", "2, 1"],
    ["(1, 2)", "x=2, y=1"],
    ["(1, 2)", "y=1, x=2"],
    ["x=y", "x=-y"],
    ["x=1", "2=x"],
    ["x=2y", "y=2x"],
  ],
  remarks: [["12", "24 (12 + 12)"]],
  "words and products of letters": [
    ["BAC", "CAB"],
    ["AB", "BA"],
    ["\\text{no}", "\\text{on}"],
    ["\\text{Monday}", "\\text{Monday and Tuesday}"],
    ["\\text{Monday}", "\\text{Monday, Tuesday}"],
    ["\\text{red}", "\\text{der}"],
    ["red", "\\text{der}"],
    ["no", "on"],
    ["\\text{no, no}", "\\text{no, on}"],
    ["(\\text{no}, 1)", "(\\text{on}, 1)"],
  ],
  repeats: [
    ["2,2,3", "2,3,3"],
    ["1,1,2", "1,2"],
  ],
  "bars and functions": [
    ["z", "\\overline{z}"],
    ["\\bar{z}", "z"],
    ["f(2)", "2f"],
    ["A^TA", "AA^T"],
    ["A^{\\top}A", "AA^{\\top}"],
    ["A^{-1}B", "BA^{-1}"],
    ["\\frac{3}{10}", "0.\\overline{3}"],
  ],
  degrees: [
    ["\\sin 30", "\\sin 30^\\circ"],
    ["\\frac12", "\\sin 30"],
  ],
  "chains of = and ≈": [
    ["8", "3+5=7"],
    ["\\frac13", "\\frac13 = 0.25"],
    ["\\frac{3}{55}", "\\frac{3}{56}\\approx 0.0536"],
    ["x", "x \\approx 5"],
  ],
  "options and ordinals": [
    ["12", "\\textbf{(D)}\\ 13"],
    ["C", "\\textbf{(D)}\\ 12"],
    ["\\textbf{(D)}\\ 12", "C"],
  ],
  "unions of inequalities": [
    ["(-\\infty,2)\\cup(3,\\infty)", "x<2 \\text{ or } x\\ge 3"],
    ["(-\\infty,2)\\cup(3,\\infty)", "x<2 \\text{ or } y>3"],
  ],
  "number words and scales": [
    ["8", "seven"],
    ["1", "one half"],
    ["2", "two thirds"],
    ["25", "25k"],
  ],
};

const TEXTS_RIGHT: Pairs = [
  // A number and its explanation
  ["24", "The answer is 24 (12 + 12)."],
  ["24", "The answer is 24 (12 × 2)."],
  ["24", "The answer is $24 ($12 + $12)."],
  ["24", "**Answer: 24 (12 + 12)**"],
  ["18", "The answer is 18 (20 - 2)."],
  ["24", "The answer is (12)(2) = 24."],
  ["24", "The answer is (12 + 12) = 24."],
  ["60", "The answer is 3 (20) = 60."],
  ["60", "3 (20) = 60"],
  ["24", "The answer is 2(12)."],
  ["24", "The answer is (12 + 12)."],
  ["16", "The answer is 4² = 16."],
  // An approximation after the answer
  ["1/3", "The answer is 1/3 = 0.333."],
  ["1/3", "The answer is 1/3 ≈ 0.333."],
  ["0.333", "The answer is 1/3 ≈ 0.333."],
  // Dots, clauses, scales
  ["24", "The answer is...24."],
  ["24", "The answer is... 24."],
  ["24", "So we get ...24"],
  ["694", "So the total is $600 + $94 = $694, which is 10% less."],
  ["15", "We get 9 + 6 = 15, which is between 10 and 20."],
  ["6", "He runs 2 * 3 = 6 miles, which is 10 minutes faster."],
  ["2", "The trip takes 60 + 60 = 120 minutes, which is 2 hours."],
  ["25000", "The answer is 25k."],
  ["24000000", "The answer is 24 million."],
  // Languages
  ["18", "উত্তর হলো 18 টাকা 3 দিনে।"],
  ["57500", "Er verdient insgesamt 57.500 $ im Jahr."],
  ["57500", "57.500 Euro"],
  ["57500", "Die Antwort lautet 57.500 Euro."],
];

const TEXTS_WRONG: Pairs = [
  ["25", "The answer is 25k."],
  ["24", "The answer is 24 million."],
  ["57500", "He earns 57.500 in all."],
  ["57500", "The answer is 57.500."],
  ["57500", "The answer is $57.500$ metres."],
  ["0.24", "The answer is...24."],
  ["12", "The answer is 24 (12 + 12)."],
  ["8", "The answer is 3 + 5 = 7."],
];

describe.each(Object.entries(BOXES_RIGHT))("in a box, %s", (_, pairs) => {
  it.each(pairs)("%s is %s", async (gold, given) => {
    expect(await scoreOf(gold, `Thus the answer is $\\boxed{${given}}$.`)).toBe(1);
  });
});

describe.each(Object.entries(BOXES_WRONG))("in a box, %s", (_, pairs) => {
  it.each(pairs)("%s is not %s", async (gold, given) => {
    expect(await scoreOf(gold, `Thus the answer is $\\boxed{${given}}$.`)).toBe(0);
  });
});

describe("in a text", () => {
  it.each(TEXTS_RIGHT)("%s is the answer of %j", async (gold, response) => {
    expect(await scoreOf(gold, response)).toBe(1);
  });

  it.each(TEXTS_WRONG)("%s is not the answer of %j", async (gold, response) => {
    expect(await scoreOf(gold, response)).toBe(0);
  });
});
