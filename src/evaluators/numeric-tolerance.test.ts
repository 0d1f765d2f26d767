import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ScoredWithEvidence } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import type { Output } from "../core/system.js";
import { startCpuTimer } from "../testing/cpu-time.js";
import { findWrittenNumbers, NumericTolerance, type NumericToleranceOptions } from "./numeric-tolerance.js";

function scored(answer: unknown, response: unknown, options?: NumericToleranceOptions): ScoredWithEvidence {
  const example = { id: 1, question: "q", answer } as unknown as Example;
  return new NumericTolerance(options).score(example, { response } as unknown as Output) as ScoredWithEvidence;
}

const score = (answer: unknown, response: unknown, options?: NumericToleranceOptions) =>
  scored(answer, response, options).scores.numeric_tolerance;

describe("findWrittenNumbers", () => {
  it.each<[string, number[]]>([
    ["1,234,567.5", [1234567.5]],
    ["1,2 and 1,2345", [1, 2, 1, 2345]],
    ["-5 − 3 and −7", [-5, 3, -7]],
    ["10-20, COVID-19, 2020-05", [10, 20, 19, 2020, 5]],
    ["-$5, $-6, -\\$7, (-8)", [-5, -6, -7, -8]],
    ["1.5e3 2E-2 3e", [1500, 0.02, 3]],
    ["1.5 × 10^6, 2 \\times 10^{-3}, 3x10^2", [1.5e6, 2e-3, 300]],
    ["3.5 million, 2 billion", [3.5e6, 2e9]],
    ["1/2, 3/0, 1/2/3", [0.5, 3, 0, 1, 2, 3]],
    [".5 and 5.", [0.5, 5]],
    ["10^2, 10², 2**10, 10^{-3}, 10⁻³, 5 m^2", [100, 100, 1024, 1e-3, 1e-3, 5]],
    ["**5** 3, x^2 + 7", [5, 3, 7]],
    ["\\frac{1}{2}, -\\frac{1}{4}, 1\\frac{1}{2}, \\frac12, \\frac{1}{0}", [0.5, -0.25, 1.5, 0.5, 1, 0]],
    ["1\u202f234 and 1'000 and 1_000", [1234, 1000, 1000]],
    ["none", []],
    ["1e9999", []],
  ])("reads %j as %j", (text, expected) => {
    const values = [...findWrittenNumbers(text)].map(({ value }) => value);
    expect(values.length).toBe(expected.length);
    for (const [i, value] of values.entries()) expect(value).toBeCloseTo(expected[i] ?? Number.NaN, 9);
  });

  it("recognizes percentages", () => {
    expect(
      [...findWrittenNumbers("5%, 6 percent, 7 \\%, 8 per cent, 9 persons")].map(({ isPercent }) => isPercent),
    ).toEqual([true, true, true, true, false]);
  });

  it("reads any finite number as JavaScript writes it", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const [found] = findWrittenNumbers(String(value));
        expect(Math.abs((found?.value ?? Number.NaN) - value)).toBeLessThanOrEqual(Math.abs(value) * 1e-12);
      }),
    );
  });
});

describe("NumericTolerance", () => {
  it.each<[unknown, unknown, number]>([
    ["42", "The answer is 42.", 1],
    ["42", "\\boxed{\\approx 42}", 1],
    ["42", "First 7, then 42", 1],
    ["42", "The answer is 42 out of 100 questions.", 1],
    ["42", "The answer is 42 out of 100.", 0],
    ["3 dozen", "The answer is 36.", 1],
    ["42", "42 of 100", 0],
    [42, 42, 1],
    ["42", "So the answer is 6 * 7 = 42, of course", 1],
    ["452", "The answer is 676 - 224, which is 452.", 1],
    ["29", "The answer (arabic numerals) is 29. It took 3 steps.", 1],
    ["1234.5", "$1,234.50", 1],
    ["$1,234.50", "1234.5", 1],
    ["-3", "minus three: −3", 1],
    ["3", "-3", 0],
    ["12%", "0.12", 1],
    ["0.12", "12%", 1],
    ["12", "12%", 1],
    ["12%", "13%", 0],
    ["1200000", "1.2 million", 1],
    ["0.5", "1/2", 1],
    ["3.5 kg", "3.5", 1],
    ["10", "**Answer:** \\boxed{10}\n\nThis took 3 steps.", 1],
    ["10", "<think>the answer is 99</think>10", 1],
    ["0", "0", 1],
    ["0", "0.000001", 0],
    ["1000000", "1000001", 1],
    ["1000000", "1000002", 0],
    ["5", "", 0],
    ["5", null, 0],
    ["5", "five", 1],
    ["5", "The answer is five.", 1],
    ["-21", "The answer is minus twenty-one degrees", 1],
    ["5", "fivefold", 0],
    ["1", "One can see that nothing here can be counted at all.", 0],
    ["0.5", "\\boxed{\\frac{1}{2}}", 1],
    ["0.5", "Thus the answer is $\\boxed{\\dfrac{1}{2}}$.", 1],
    ["-1.5", "The answer is $-1\\frac12$", 1],
    ["100", "The answer is 10^2", 1],
    ["100", "The answer is 10²", 1],
    ["100", "The answer is 10^{2}.", 1],
    ["10", "The answer is 10^2", 0],
    ["0.001", "10⁻³", 1],
    ["5 m^2", "The answer is 5 m^2.", 1],
    ["42", "The answer is 42. I hope this answer is helpful. It took 3 steps.", 1],
    ["42", "The answer is 42.\n\nQ: Another?\nA: The answer is 7.", 1],
    ["42", "<think>The answer is 42.", 1],
    ["1", "The answer is $x+1$.", 0],
    ["3", "The answer is (2, 3).", 0],
    ["5", "So we get $[1,5)$", 0],
    ["4", "The answer is $\\frac{\\pi}{4}$", 0],
    ["4", "The answer is x = 1 or x = 4.", 0],
    ["4", "Thus x = 1 or x = 4", 0],
    ["4", "**Answer:** ±4", 0],
    ["4", "\\boxed{x > 4}", 0],
    ["-10", "I cannot run func_3451(-10).", 0],
    ["3451", "I cannot run func_3451(-10).", 0],
    ["4", "The answer is 4 since x = 2.", 1],
    ["4", "The answer is $4$, where $x = 3$.", 1],
    ["4", "The answer is [4].", 1],
    ["6", "The answer is $2\\cdot 3$.", 1],
    ["156.25", "The answer is $\\frac{625}4$.", 1],
    ["1.75", "The answer is 1 3/4.", 1],
    ["4000", "The answer is $4{,}000$.", 1],
    ["18", "The answer is 9 eggs * $2/egg = $18.", 1],
  ])("gold %j, response %j: %d", (gold, response, expected) => {
    expect(score(gold, response)).toBe(expected);
  });

  it("applies the given tolerances", () => {
    expect(score("1", "1.01", { relative: 0.01 })).toBe(1);
    expect(score("1", "1.0101", { relative: 0.01 })).toBe(0);
    expect(score("100", "100.5", { absolute: 0.5 })).toBe(1);
    expect(score("100", "100.51", { absolute: 0.5 })).toBe(0);
    expect(score("1000", "1009", { absolute: 0.5, relative: 0.01 })).toBe(1);
    expect(score("100", "100.0001", { relative: 0 })).toBe(0);
  });

  it("finds the last number of a long text", () => {
    const long = "word ".repeat(2000);
    expect(score("42", `${long}42 ${long}`)).toBe(1);
    expect(score("42", `7 ${long} 42`)).toBe(1);
    expect(score("42", `42${"\u00a0"}${" ".repeat(1990)}.`)).toBe(1);
    expect(score("2", `1${"0".repeat(3000)}2`)).toBe(0);
  });

  it("accepts any of several golds", () => {
    const example = { id: 1, question: "q", answers: ["7", "eight", "9"] };
    expect(new NumericTolerance().score(example, { response: "9" })).toMatchObject({
      scores: { numeric_tolerance: 1 },
      evidence: { numeric_tolerance: "read 9, gold 7 or 9" },
    });
  });

  it.each([undefined, null, "", "many", "3 or 4", "x + 1", "x < 3", {}])("does not score a gold of %j", (gold) => {
    expect(scored(gold, "3")).toMatchObject({
      scores: {},
      unscored: { numeric_tolerance: expect.stringMatching(/no gold number \(answer/) },
    });
  });

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY])("rejects a tolerance of %d", (bad) => {
    expect(() => new NumericTolerance({ relative: bad })).toThrow(/relative must be a number of at least 0/);
    expect(() => new NumericTolerance({ absolute: bad })).toThrow(/absolute must be a number of at least 0/);
  });

  it("has its options in the fingerprint", () => {
    expect(new NumericTolerance({ absolute: 2 }).fingerprint()).toEqual({
      evaluator: "numeric_tolerance",
      version: 3,
      absolute: 2,
      relative: 0,
    });
  });

  it.each([
    "1",
    "1,",
    "1,111",
    " ",
    "\n",
    "-",
    "answer is ",
    "answer to ",
    "\\boxed{",
    "Q:\n",
    "=",
    ".",
    "10^",
    "\\frac{1}{",
  ])("stays quick on a megabyte of %j", (unit) => {
    const cpuMs = startCpuTimer();
    scored("1", unit.repeat(Math.ceil(1e6 / unit.length)));
    // Generous for a busy machine; a quadratic algorithm takes minutes.
    expect(cpuMs()).toBeLessThan(10_000);
  });
});
