import { describe, expect, it, vi } from "vitest";
import { MathEquivalence } from "../math-equivalence.js";
import { compareSymbolically } from "./task.js";

/** Pairs whose equality needs symbolic work, or looks as if it did. */
const EQUAL: readonly (readonly [gold: string, given: string])[] = [
  ["\\frac{x+2}{7}", "\\frac{x}{7}+\\frac{2}{7}"],
  ["\\tan^2(y)+1", "\\sec^2(y)"],
  ["(x-2)(x+2)", "x^2-4"],
  ["\\sqrt{12}", "2\\sqrt{3}"],
  ["\\frac{1}{\\sqrt{2}}", "\\frac{\\sqrt2}{2}"],
  ["2\\sin b\\cos a", "2\\cos(a)\\sin(b)"],
  ["e^{i\\pi}", "-1"],
  ["\\ln 8", "3\\ln 2"],
  ["\\binom{5}{2}", "10"],
  ["{5 \\choose 2}", "10"],
  ["\\binom{n}{2}", "\\frac{n(n-1)}{2}"],
  ["\\binom{n}{k}", "\\frac{n!}{k!(n-k)!}"],
  ["\\gcd(12, 18)", "6"],
  ["x_1 + x_2", "x_2 + x_1"],
  ["\\frac{y_2-y_1}{x_2-x_1}", "\\frac{y_1-y_2}{x_1-x_2}"],
  ["\\theta_1 + \\theta_2", "\\theta_2 + \\theta_1"],
  ["\\frac{GMm}{r^2}", "\\frac{mMG}{r^2}"],
  ["N_0e^{-\\lambda t}", "e^{-\\lambda t}N_0"],
  ["D(N+1)", "DN+D"],
  ["2^T", "2\\cdot 2^{T-1}"],
  ["\\sqrt[3]{-8}", "-2"],
  ["\\frac{\\sqrt{x}}{\\sqrt{y}}", "\\sqrt{\\frac{x}{y}}"],
  ["\\frac{x}{\\sqrt{1-x^2}}", "x(1-x^2)^{-1/2}"],
  ["a+bi", "bi+a"],
  ["(a+bi)(c+di)", "ac-bd+(ad+bc)i"],
  ["\\frac{3+4i}{1+2i}", "\\frac{11-2i}{5}"],
  ["\\frac{1}{1+xi}", "\\frac{1-xi}{1+x^2}"],
  ["e^{ix}", "\\cos x+i\\sin x"],
  ["120", "5!"],
  ["\\frac{dy}{dx}+1", "1+\\frac{dy}{dx}"],
  ["\\frac{x^2-49}{x-7}", "x+7"],
  ["3", "\\log_2 8"],
  ["x^2+2x+1", "(x+1)^2"],
  ["4", "\\sqrt{16}"],
  ["\\frac{n(n+1)}{2}", "\\frac{n^2+n}{2}"],
  ["2^{n+1}", "2 \\cdot 2^n"],
  ["\\frac{5\\sqrt{42}}{27}", "\\frac{10\\sqrt{10.5}}{27}"],
  ["\\pi", "3.14159265"],
  ["\\frac{9}{4}\\pi", "2.25\\pi"],
  ["6\\pi r^2", "2 \\cdot 3 \\pi r^2"],
  ["x\\sqrt{x}", "x^{3/2}"],
  ["\\frac{\\pi r}{h+r}", "\\frac{\\pi r}{r+h}"],
  ["2-2p", "2(1-p)"],
  ["\\sqrt[3]{8}", "2"],
  ["(\\sqrt{8}, 1)", "(2\\sqrt{2}, 1)"],
  ["[\\sqrt{4}, \\infty)", "[2,\\infty)"],
  ["\\{\\sqrt{9}, x^2-1\\}", "\\{(x-1)(x+1), 3\\}"],
  ["\\begin{pmatrix} \\sqrt{4} & 0 \\\\ 0 & x+x \\end{pmatrix}", "\\begin{bmatrix} 2 & 0 \\\\ 0 & 2x \\end{bmatrix}"],
  ["1 \\pm \\sqrt{12}", "1+2\\sqrt{3}, 1-2\\sqrt{3}"],
  ["34x+45y-20z+100=0", "-34x-45y+20z-100=0"],
  ["2x+4y-3=0", "y=-\\frac{1}{2}x+\\frac{3}{4}"],
  ["x^2/4 + y^2/3 = 1", "x^2/16 + y^2/12 = 1/4"],
  ["\\frac{\\sqrt{3}}{3}", "1/sqrt(3)"],
  ["\\cos 2x", "1-2\\sin^2 x"],
  ["a^2-b^2", "(a-b)(a+b)"],
  ["\\frac{1}{x}+\\frac{1}{y}", "\\frac{x+y}{xy}"],
  ["N(N-1)", "N^2-N"],
  ["3+4i", "4i+3"],
  ["2^{10}", "\\sqrt{1048576}"],
];

const DIFFERENT: readonly (readonly [gold: string, given: string])[] = [
  ["|x-12|", "12-x"],
  ["\\max(100, x)", "100"],
  ["\\min(x, 50)", "x"],
  ["\\frac{x+2}{7}", "\\frac{x}{7}+2"],
  ["\\tan^2(y)+1", "\\sec(y)"],
  ["(x-2)(x+2)", "x^2+4"],
  ["\\sqrt{12}", "3\\sqrt{2}"],
  ["\\frac{1}{\\sqrt{2}}", "\\frac{\\sqrt2}{3}"],
  ["2\\sin b\\cos a", "2\\sin a\\cos b"],
  ["e^{i\\pi}", "1"],
  ["\\ln 8", "2\\ln 3"],
  ["\\binom{5}{2}", "\\binom{5}{1}"],
  ["120", "6!"],
  ["3", "\\log_2 9"],
  ["x^2+2x+1", "(x+2)^2"],
  ["4", "\\sqrt{8}"],
  ["2", "\\frac{1+\\sqrt{5}}{2}"],
  ["\\frac{n(n+1)}{2}", "\\frac{n(n-1)}{2}"],
  ["2^{n+1}", "2^n+1"],
  ["\\pi", "3.14"],
  ["\\pi", "\\frac{22}{7}"],
  ["\\frac{\\pi}{6}", "30"],
  ["|x|", "x"],
  ["x+2n+1", "x+1"],
  ["(a+5)(b+2)", "(+5)(b+2)"],
  ["1\\sqrt{19}", "1"],
  ["(\\sqrt{8}, 1)", "(1, 2\\sqrt{2})"],
  ["[\\sqrt{4}, \\infty)", "(2,\\infty)"],
  ["\\{\\sqrt{9}, x^2-1\\}", "\\{3, x^2+1\\}"],
  ["\\begin{pmatrix} \\sqrt{4} \\\\ x \\end{pmatrix}", "\\begin{pmatrix} x \\\\ 2 \\end{pmatrix}"],
  ["1 \\pm \\sqrt{12}", "1+2\\sqrt{3}"],
  ["5x - 7y + 11z + 4 = 0", "x + y - z + 2 = 0"],
  ["20!+\\sqrt{4}-2", "20!+1"],
  ["11a+c", "7 = 11a+d"],
  ["x^2", "x^3"],
  ["x", `${"\\sin".repeat(50)} x`],
  ["a+bi", "a"],
  ["a+bi", "a-bi"],
  ["1+xi", "1"],
  ["\\frac{2i}{3i}", "2"],
  ["\\frac{1}{3+4i}", "\\frac{3-4i}{5}"],
  ["\\frac{x+i}{x-i}", "\\frac{y+i}{y-i}"],
  ["\\frac{5}{0}", "\\frac{7}{0}"],
  ["x_1 + x_2", "x_1 - x_2"],
  ["G", "0.915965594177"],
  ["\\binom{n}{k}", "\\binom{k}{n}"],
  ["3+4i", "3-4i"],
  ["2^{100}", "2^{101}"],
  ["\\frac{1}{x}+\\frac{1}{y}", "\\frac{2}{x+y}"],
  ["10^{15}+\\sqrt{2}", "10^{15}+\\sqrt{3}"],
  ["170!+1+\\pi", "170!"],
  ["\\lfloor x \\rfloor", "\\lfloor x+0.01 \\rfloor"],
  ["\\vec a\\times\\vec b", "\\vec b\\times\\vec a"],
  ["\\mathbf{a}\\cdot\\mathbf{b}", "\\mathbf{a}\\times\\mathbf{b}"],
  ["\\frac{dy}{dx}", "\\frac{y}{x}"],
  ["\\zeta(2)", "2\\zeta"],
  ["\\frac{x}{0}", "\\frac{y}{0}"],
  ["|x|=3", "x=\\pm5"],
  ["x^2=9", "x=\\pm3+\\sqrt{2}"],
];

const maths = new MathEquivalence({ limitMs: 20_000 });

async function verdictOf(gold: string, given: string): Promise<unknown> {
  const scored = await maths.score({ id: 1, answer: gold }, { response: `So it is $\\boxed{${given}}$.` });
  return (scored as { scores: { math_equiv?: number } }).scores.math_equiv;
}

describe("symbolic equality, in the worker thread", () => {
  it.each(EQUAL)("%s is %s, both ways", async (gold, given) => {
    expect(await verdictOf(gold, given)).toBe(1);
    expect(await verdictOf(given, gold)).toBe(1);
  });

  it.each(DIFFERENT)("%s is not %s, both ways", async (gold, given) => {
    expect(await verdictOf(gold, given)).toBe(0);
    expect(await verdictOf(given, gold)).toBe(0);
  });

  it.each(["\\sum", "\\prod_{k}^{n}", "\\sum_{k=1}^{n}"])(
    "prints nothing about %s, which is not a formula",
    (empty) => {
      const print = vi.spyOn(console, "error").mockImplementation(() => undefined);
      expect(compareSymbolically("x+\\sqrt{2}", `${empty}+1`)).toBe("different");
      expect(compareSymbolically(empty, "x+\\sqrt{2}")).toBe("different");
      expect(print).not.toHaveBeenCalled();
      print.mockRestore();
    },
  );

  it("keeps no state between answers: letters may be a function in one and a number in the next", async () => {
    expect(await verdictOf("n(x)+\\sqrt{4}", "2+n(x)")).toBe(1);
    expect(await verdictOf("n!", "n(n-1)!")).toBe(1);
  });
});
