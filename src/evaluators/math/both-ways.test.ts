import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MathEquivalence } from "../math-equivalence.js";

const maths = new MathEquivalence({ limitMs: 20_000 });

async function scoreOf(gold: string, given: string): Promise<number | undefined> {
  const scored = await maths.score({ id: 1, answer: gold }, { response: `\\boxed{${given}}` });
  return (scored as { scores: { math_equiv?: number } }).scores.math_equiv;
}

/** Small, so that equal pairs come up often. */
const whole = fc.integer({ min: -6, max: 6 });
const natural = fc.integer({ min: 1, max: 6 });
const rational = fc
  .tuple(whole, natural, fc.constantFrom("\\frac{a}{b}", "a/b", "\\dfrac{a}{b}"))
  .map(([top, bottom, form]) => form.replace("a", String(top)).replace("b", String(bottom)));
const decimal = fc
  .tuple(whole, fc.constantFrom("", ".0", ".5", ".50", ".25", ".333333"))
  .map(([number, part]) => `${number}${part}`);
const percent = fc.tuple(decimal, fc.constantFrom("%", "\\%", " percent")).map((parts) => parts.join(""));
const measured = fc
  .tuple(
    decimal,
    fc.constantFrom("\\text{ cm}", " cm", "^\\circ", "\\text{ apples}", "\\,\\mathrm{kg}", " \\text{ cm}^2"),
  )
  .map((parts) => parts.join(""));
const root = fc.tuple(natural, natural).map(([factor, under]) => `${factor}\\sqrt{${under}}`);
const value = fc.oneof(whole.map(String), rational, decimal, percent, measured, root);
const several = fc.array(fc.oneof(whole.map(String), rational, decimal), { minLength: 2, maxLength: 3 });
const list = fc
  .tuple(several, fc.constantFrom("a", "(a)", "[a)", "\\{a\\}", "\\left(a\\right)"))
  .map(([values, form]) => form.replace("a", values.join(", ")));
const named = several.map((values) => values.map((each, at) => `${"xyz".charAt(at)} = ${each}`).join(", "));

const RUNS = { numRuns: 200, seed: 4 };

describe("bare values", () => {
  it("equal themselves", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(value, list, named), async (answer) => {
        expect(await scoreOf(answer, answer)).toBe(1);
      }),
      RUNS,
    );
  });

  it.each([
    ["numbers", fc.tuple(value, value)],
    ["lists", fc.tuple(list, list)],
    ["values with names", fc.tuple(named, named)],
    ["numbers and lists", fc.tuple(value, list)],
  ])("%s are compared symmetrically", async (_, pair) => {
    await fc.assert(
      fc.asyncProperty(pair, async ([a, b]) => {
        expect(await scoreOf(a, b)).toBe(await scoreOf(b, a));
      }),
      RUNS,
    );
  });

  it("equal themselves with a number written differently", async () => {
    const twice = fc.tuple(whole, natural, natural).map(([top, bottom, by]) => ({
      short: `\\frac{${top}}{${bottom}}`,
      long: `\\frac{${top * by}}{${bottom * by}}`,
    }));
    await fc.assert(
      fc.asyncProperty(fc.array(twice, { minLength: 1, maxLength: 3 }), async (values) => {
        const [gold, given] = [values.map(({ short }) => short), values.map(({ long }) => long)];
        expect(await scoreOf(gold.join(", "), given.reverse().join(", "))).toBe(1);
      }),
      RUNS,
    );
  });
});
