import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalize } from "./canonical.js";
import { compareAnswers, compareCheaply } from "./compare.js";

function compare(gold: string, given: string): string {
  return compareAnswers(canonicalize(gold), canonicalize(given), compareCheaply);
}

/** Pairs that are equal without symbolic work, both ways. */
const SAME: readonly (readonly [string, string])[] = [
  // Sets and lists
  ["100 and 200", "100, 200"],
  ["150 \\text{ or } 153", "153; 150"],
  ["\\mathbb{R}", "(-\\infty, \\infty)"],
  ["x \\in \\mathbb{R}", "(-\\infty, \\infty)"],
  ["\\{x \\mid x > 2\\}", "(2, \\infty)"],
  ["\\{x \\in \\mathbb{R} : -1 \\le x < 4\\}", "[-1, 4)"],
  ["\\langle 1, 2 \\rangle", "(1, 2)"],
  [
    "\\begin{cases} 1 & x > 0 \\\\ 0 & x \\le 0 \\end{cases}",
    "\\begin{cases} 1, & x > 0 \\\\ 0, & x \\le 0 \\end{cases}",
  ],
  ["\\frac{dy}{dx} = 3", "3"],
  ["2, 3", "\\lambda_1 = 2, \\lambda_2 = 3"],
  // Fractions
  ["\\frac{1}{2}", "\\dfrac12"],
  ["\\tfrac83", "\\frac{8}{3}"],
  ["\\frac1{72}", "1/72"],
  ["\\cfrac{1}{3}", "\\frac{1}{3}"],
  ["-\\frac{10}{9}", "-10/9"],
  ["\\frac{2}{4}", "0.5"],
  ["1\\frac{1}{2}", "1.5"],
  ["1 1/2", "\\frac{3}{2}"],
  ["-1\\frac{1}{2}", "-1.5"],
  ["{1 \\over 2}", "\\frac{1}{2}"],
  ["\\\\frac{1}{2}", "\\frac{1}{2}"],
  ["\\frac34i", "\\frac{3}{4}i"],
  // Decimals and separators
  [".1", "0.1"],
  ["007", "7"],
  ["+5", "5"],
  ["5.", "5"],
  ["1000.0", "1,000"],
  ["7425000", "7,425,000"],
  ["14{,}916", "14916"],
  ["16,\\!386.20", "16386.2"],
  ["1\\,234", "1 234"],
  ["10^3", "1000"],
  ["1.2 \\times 10^{5}", "120000"],
  ["1.2e5", "1.2 \\cdot 10^5"],
  ["2^{10}", "1024"],
  ["3+4", "7"],
  // An approximation with enough digits
  ["\\frac{1}{3}", "0.333333"],
  ["\\frac{1}{12}", "0.0833333333333333"],
  ["0.1", "0.10000000000000001"],
  // Units, money, percent, degrees
  ["10\\text{ units}", "10"],
  ["15\\mbox{ cm}^2", "15"],
  ["5 \\text{ cm}.", "5"],
  ["\\$10", "10"],
  ["10\\%", "10"],
  ["28 percent", "28\\%"],
  ["90^\\circ", "90"],
  ["90^{\\circ}", "90°"],
  ["40 miles per hour", "40"],
  ["3\\sqrt{2} cm", "3\\sqrt{2}"],
  ["12\\,\\mathrm{cm}", "12"],
  // Layout
  ["\\left(x-2\\right)\\left(x+2\\right)", "(x-2)(x+2)"],
  ["\\tfrac{1}{2} +\\! \\frac1{72}", "\\dfrac{1}{2} +\\frac{1}{72}"],
  ["10\\sqrt{3} + \\sqrt4", "10\\sqrt3 + \\sqrt{4}"],
  ["\\sqrt{2}+\\sqrt{5}", "√2 + √5"],
  ["\\frac{9}{4}\\pi", "\\frac94π"],
  ["$\\mathbf{v}$", "v"],
  ["x^{2}", "x^2"],
  ["x**2", "x^2"],
  // Names
  ["x = 5", "5"],
  ["f(x) = x+1", "x+1"],
  ["x = 5+5+1 = 11", "11"],
  ["(p,q,r) = (6,31,-1)", "(6,31,-1)"],
  ["x \\in [2,3)", "[2,3)"],
  ["\\angle ABC = 90^\\circ", "90"],
  ["\\text{Area} = 12", "12"],
  // Tuples, intervals, sets, lists
  ["(3, \\frac{\\pi}{2})", "\\left( 3, \\frac{\\pi}{2} \\right)"],
  ["(1,\\frac{9}{2})", "(1,4.5)"],
  ["[-1, -\\frac{1}{2}) \\cup (-\\frac{1}{2}, 0)", "[-1, -\\tfrac12) \\cup (-\\tfrac12, 0)"],
  ["(0,1) \\cup (2,3)", "(2,3) \\cup (0,1)"],
  ["(-\\infty, 3]", "(-∞,3]"],
  ["\\{1,2,3\\}", "\\{3, 1, 2\\}"],
  ["\\{1,2\\}", "2, 1"],
  ["-2,1", "1 and -2"],
  ["12 \\text{ and } 13", "12 and 13"],
  ["1, 2, \\text{ or } 3", "3, 2, 1"],
  ["(1,3)", "{1,3}"],
  ["1 \\pm \\sqrt{19}", "1-\\sqrt{19}, 1+\\sqrt{19}"],
  ["\\pm 3", "3, -3"],
  ["\\emptyset", "\\varnothing"],
  // Matrices
  ["\\begin{pmatrix} 0 & 3 \\\\ 0 & -1 \\end{pmatrix}", "\\begin{bmatrix}0&3\\\\0&-1\\end{bmatrix}"],
  ["\\begin{pmatrix} 1/2 \\\\ 2 \\end{pmatrix}", "\\begin{pmatrix} 0.5 \\\\ 2 \\\\ \\end{pmatrix}"],
  ["\\begin{pmatrix}1 & 2\\end{pmatrix}", "\\left[\\begin{array}{cc}1 & 2\\end{array}\\right]"],
  // Relations
  ["x \\leq 5", "5 \\geq x"],
  ["1 < x \\le 5", "5 \\ge x > 1"],
  ["x \\ne 3", "x != 3"],
  ["-2 \\le x \\le 7", "x \\in [-2,7]"],
  ["x > 5", "(5, \\infty)"],
  ["f(2) < f(1) < f(4)", "f(2)<f(1)<f(4)"],
  ["y = 2x+3", "2x+3"],
  // Bases and words
  ["204_5", "204_{5}"],
  ["\\text{Evelyn}", "evelyn"],
  ["\\text{(A)}", "A"],
  ["\\textbf{(C)}", "(C)"],
  ["\\text{even}", "Even."],
  ["", ""],
];

const DIFFERENT: readonly (readonly [string, string])[] = [
  ["12", "1,2"],
  ["100200", "100 and 200"],
  ["150153", "150 \\text{ or } 153"],
  ["1000", "1001"],
  ["10\\text{ units}", "100"],
  ["0.28", "28"],
  ["\\frac{28}{100}", "28"],
  ["\\frac{1}{3}", "0.333"],
  ["\\frac{1}{3}", "0.333334"],
  ["0.33", "0.333333"],
  ["100000", "100000.01"],
  ["5", "-5"],
  ["230", "2 \\text{ hours } 30 \\text{ minutes}"],
  ["[0,9)", "[0,1)"],
  ["(0,9)", "[0,9)"],
  ["(1,2)", "(2,1)"],
  ["(3,1)", "{1,3}"],
  ["\\{1,2\\}", "(1,2)"],
  ["\\{1,2\\}", "\\{1,2,3\\}"],
  ["1,2,3", "1,2"],
  ["1, 2, 3", "1, 2, 3, ..."],
  ["10, 4, 2", "4, 12, 2"],
  ["(100,200)", "100200"],
  ["\\begin{pmatrix}1 & 2\\end{pmatrix}", "\\begin{pmatrix}1 \\\\ 2\\end{pmatrix}"],
  ["\\begin{pmatrix}1 & 2 \\\\ 3 & 4\\end{pmatrix}", "\\begin{pmatrix}1 & 2 \\\\ 3 & 5\\end{pmatrix}"],
  ["\\begin{vmatrix}1 & 2\\end{vmatrix}", "\\begin{pmatrix}1 & 2\\end{pmatrix}"],
  ["x > 5", "x < 5"],
  ["x \\ge 5", "x > 5"],
  ["x > 5", "[5, \\infty)"],
  ["x = 5", "6"],
  ["\\text{Evelyn}", "\\text{Briana}"],
  ["\\text{(A)}", "B"],
  ["5", "no solution"],
  ["204_5", "204_6"],
  ["5", ""],
];

/** Only symbolic work decides: these go to the worker. */
const OPEN: readonly (readonly [string, string])[] = [
  ["\\sqrt{16}", "4"],
  ["x+1", "1+x"],
  ["(1, \\sqrt{4})", "(1, 2)"],
  ["\\{x+1, 2\\}", "\\{2, 1+x\\}"],
  ["x+y=1", "2x+2y=2"],
];

describe("answers compared without symbolic work", () => {
  it.each(SAME)("%s is %s", (a, b) => {
    expect([compare(a, b), compare(b, a)]).toEqual(["same", "same"]);
  });

  it.each(DIFFERENT)("%s is not %s", (a, b) => {
    expect([compare(a, b), compare(b, a)]).toEqual(["different", "different"]);
  });

  it.each(OPEN)("%s and %s are left open", (a, b) => {
    expect([compare(a, b), compare(b, a)]).toEqual(["open", "open"]);
  });

  it("finds every answer equal to itself, and is symmetric", () => {
    const piece = fc.constantFrom(
      ..."()[]{}\\,=<>^_+-*/ .x2",
      "\\frac",
      "\\{",
      "\\}",
      "\\cup",
      "\\pm",
      "\\text{",
      "&",
      "\\\\",
      "\\begin{pmatrix}",
      "\\end{pmatrix}",
      "1,000",
      "\\le ",
    );
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(compare(a, a)).toBe("same");
        // "x + y = 24" answers what x + y is, but 24 is not the answer "x + y = 24".
        fc.pre(!`${a}${b}`.includes("="));
        expect(compare(a, b)).toBe(compare(b, a));
      }),
      { numRuns: 500 },
    );
  });
});
