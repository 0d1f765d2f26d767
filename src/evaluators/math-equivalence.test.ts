import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UsageError } from "../core/errors.js";
import type { ScoredWithEvidence } from "../core/evaluator.js";
import { startCpuTimer } from "../testing/cpu-time.js";
import { MathEquivalence } from "./math-equivalence.js";

const maths = new MathEquivalence({ limitMs: 20_000 });

/** The score of a pair that needs no symbolic work; a promise would have no scores. */
function scoreNow(answer: string, response: string): number | undefined {
  return (maths.score({ id: 1, answer }, { response }) as ScoredWithEvidence).scores?.math_equiv;
}

describe("MathEquivalence", () => {
  it("has its name and one field", () => {
    expect(maths.name).toBe("math_equivalence");
    expect(maths.fields).toEqual(["math_equiv"]);
    expect(maths.primaryFields).toEqual(["math_equiv"]);
    expect(maths.fingerprint()).toEqual({ evaluator: "math_equivalence", version: 3 });
  });

  it("reports what it found and compared", () => {
    const scored = maths.score({ id: 1, answer: "0.5" }, { response: "So it is \\boxed{\\frac12}." });
    expect(scored).toEqual({ scores: { math_equiv: 1 }, evidence: { math_equiv: "\\frac12 (box), gold 0.5" } });
    const long = maths.score(
      { id: 1, answer: "5" },
      { response: `\\boxed{${"9".repeat(1000)}}` },
    ) as ScoredWithEvidence;
    expect(long.evidence?.math_equiv?.length).toBeLessThan(100);
  });

  it("uses the best of several gold answers, including numbers", () => {
    const example = { id: 1, answers: ["7", 8, "x+1"] as string[] };
    expect(maths.score(example, { response: "The answer is 8." })).toMatchObject({ scores: { math_equiv: 1 } });
  });

  it("reads the answer of a gold solution", () => {
    expect(scoreNow("Half of 48 is <<48/2=24>>24.\n#### 24", "24")).toBe(1);
    expect(scoreNow("We have $x = 3$, hence $y = \\boxed{\\frac{3}{4}}$.", "0.75")).toBe(1);
  });

  it("is unscored without a gold answer, and without a response", () => {
    const unscored = (reason: string) => ({ scores: {}, unscored: { math_equiv: reason } });
    const noGold = "the example has no gold answer: it needs answer or answers";
    expect(maths.score({ id: 1 }, { response: "5" })).toEqual(unscored(noGold));
    expect(maths.score({ id: 1, answer: "  " }, { response: "5" })).toEqual(unscored(noGold));
    const contextOnly = maths.score({ id: 1, answer: "5" }, { context: "5" });
    expect(contextOnly).toEqual(unscored("the output has a context and no response"));
  });

  it("fails a response without an answer", () => {
    expect(scoreNow("5", "")).toBe(0);
    expect(scoreNow("5", "I cannot solve this.")).toBe(0);
    expect(maths.score({ id: 1, answer: "5" }, { response: null as never })).toMatchObject({
      scores: { math_equiv: 0 },
    });
    expect(maths.score({ id: 1, answer: "5" }, { response: 5 as never })).toMatchObject({ scores: { math_equiv: 1 } });
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, "2" as never])("rejects a limit of %s", (limitMs) => {
    expect(() => new MathEquivalence({ limitMs })).toThrow(UsageError);
  });
});

describe("endless symbolic work", () => {
  const longPower = "(x+\\sqrt{2})^{100000}";

  it("leaves the answer unscored within the limit, and scores the next one", async () => {
    const hasty = new MathEquivalence({ limitMs: 300 });
    await hasty.score({ id: 0, answer: "x+x" }, { response: "\\boxed{2x}" });
    const cpuMs = startCpuTimer();
    const scored = await hasty.score({ id: 1, answer: "x+\\sqrt{2}" }, { response: `\\boxed{${longPower}}` });
    expect(cpuMs()).toBeLessThan(10_000);
    const reason = "the symbolic comparison of the answers took longer than 300 ms";
    expect(scored).toEqual({ scores: {}, unscored: { math_equiv: reason } });
    const next = await maths.score({ id: 2, answer: "x^2-1" }, { response: "\\boxed{(x-1)(x+1)}" });
    expect(next).toMatchObject({ scores: { math_equiv: 1 } });
  });

  it("is skipped if another gold answer is equal", async () => {
    const scored = await maths.score({ id: 1, answers: ["x+1", longPower] }, { response: `\\boxed{${longPower}}` });
    expect(scored).toMatchObject({ scores: { math_equiv: 1 } });
  });

  it("stops with the trial", async () => {
    const signal = AbortSignal.abort(new Error("stopped"));
    const scored = maths.score({ id: 1, answer: "x+1" }, { response: "\\boxed{x+2-1}" }, { signal });
    await expect(scored).rejects.toThrow("stopped");
  });
});

describe("a pair that was decided before", () => {
  it("needs no symbolic work again from the same evaluator", async () => {
    const example = { id: 1, answer: "x^2-y^2" };
    const output = { response: "\\boxed{(x-y)(x+y)}" };
    const first = await maths.score(example, output);
    expect(first).toMatchObject({ scores: { math_equiv: 1 } });
    // Symbolic work is refused for a stopped trial, so this verdict must come from the cache.
    const signal = AbortSignal.abort(new Error("stopped"));
    expect(await maths.score(example, output, { signal })).toEqual(first);
    await expect(new MathEquivalence().score(example, output, { signal })).rejects.toThrow("stopped");
  });
});

describe("numbers", () => {
  const number = fc.oneof(
    fc.integer({ min: -1_000_000_000, max: 1_000_000_000 }).map(String),
    fc
      .tuple(fc.integer({ min: -99_999, max: 99_999 }), fc.integer({ min: 1, max: 99 }))
      .map(([whole, part]) => `${whole}.${part}`),
  );

  it("equal themselves in any wording", () => {
    fc.assert(
      fc.property(number, fc.constantFrom(...WAYS), (value, say) => {
        expect(scoreNow(value, say(value))).toBe(1);
      }),
    );
  });

  it("never equal another one in any wording", () => {
    fc.assert(
      fc.property(number, number, fc.constantFrom(...WAYS), (gold, given, say) => {
        fc.pre(Number(gold) !== Number(given));
        expect(scoreNow(gold, say(given))).toBe(0);
      }),
    );
  });

  it("are compared symmetrically", () => {
    const written = fc.oneof(
      number,
      fc.constantFrom("1/3", "0.333333", "\\frac{2}{4}", "0.5", "1{,}000", "1000.0", "10^3", "-\\frac12"),
    );
    fc.assert(
      fc.property(written, written, (a, b) => {
        expect(scoreNow(a, `\\boxed{${b}}`)).toBe(scoreNow(b, `\\boxed{${a}}`));
      }),
    );
  });
});

const WAYS: readonly ((value: string) => string)[] = [
  (value) => value,
  (value) => `The answer is ${value}.`,
  (value) => `We need 3 steps. #### ${value}`,
  (value) => `\\[ \\boxed{${value}} \\]`,
  (value) => `**Answer:** ${value}`,
  (value) => `Twice that is 2 * 7.\n\nHence x = ${value}`,
  (value) => `The answer is ${value} because 7 + 5 = 12.`,
  (value) => `Antwort: ${value}`,
];

describe("long and hostile responses", () => {
  // A quarter of a megabyte: quadratic work would take minutes.
  const LENGTH = 250_000;
  const pieces = [
    ..."{}()[]\\$*_#=-+.,:;1 9\n\tax<>|^~`\"'&%/।ক١答",
    "\\boxed{",
    "\\boxed ",
    "\\boxed{1}, ",
    "#### ",
    "#### 1. a\n",
    "answer ",
    "answer: ",
    "the answer is ",
    "Answer: 5 = ",
    "\nQ: ",
    "\nQuestion:\n",
    "is the answer ",
    "1,",
    "1,000,",
    "1 000 ",
    "1/",
    "1.",
    "-1",
    "H2O ",
    "\\frac",
    "\\frac{1}{",
    "$1$ ",
    "$a$ and ",
    "**1** ",
    "**a",
    "<<1=",
    "<<1=1>>",
    "\\text{",
    "(1",
    "x = ",
    "million ",
    "万1",
    "\\(",
    "\\[ ",
    "of the answer, which ",
    "1 = 1 ",
    "1≈",
    "x=1,",
    "x<1,",
    "\\sin 30^\\circ ",
    "\\overline{z}",
    "f(2)",
    "(D) ",
    "...",
    "1.500 Euro ",
  ];

  it.each(pieces)("%j repeated is handled quickly", async (piece) => {
    const response = piece.repeat(Math.ceil(LENGTH / piece.length));
    for (const answer of ["24", "x+1"]) {
      const cpuMs = startCpuTimer();
      for (const text of [response, `\\boxed{${response}}`, `The answer is ${response}`]) {
        const scored = await maths.score({ id: 1, answer }, { response: text });
        expect(scored).toMatchObject({ scores: { math_equiv: 0 } });
      }
      expect(cpuMs()).toBeLessThan(10_000);
    }
  });

  it("survives deep nesting on both sides", () => {
    for (const [open, close] of ["{}", "()", "[]"].map((pair) => [pair.charAt(0), pair.charAt(1)] as const)) {
      const deep = open.repeat(100_000) + close.repeat(100_000);
      expect(scoreNow("5", deep)).toBe(0);
      expect(scoreNow(deep, `\\boxed{${deep}}`)).toBe(1);
      const shallow = open.repeat(900) + 5 + close.repeat(900);
      expect(() => maths.score({ id: 1, answer: shallow }, { response: `\\boxed{${shallow}, 5}` })).not.toThrow();
    }
  });
});
