import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { computeTrialVerdict, type WeightedGrade } from "./verdict.js";

function ok(passed: boolean, parts: Partial<WeightedGrade> = {}): WeightedGrade {
  return { passed, score: passed ? 1 : 0, status: "ok", weight: 1, required: false, ...parts };
}
function silent(parts: Partial<WeightedGrade> = {}): WeightedGrade {
  return ok(false, { status: "error", ...parts });
}

describe("computeTrialVerdict", () => {
  it.each([
    ["all passed", [ok(true), ok(true)], null, { score: 1, passed: true }],
    ["one failed", [ok(true), ok(false)], null, { score: 0.5, passed: false }],
    ["reaches the threshold", [ok(true), ok(false)], 0.5, { score: 0.5, passed: true }],
    ["misses the threshold", [ok(true), ok(false)], 0.6, { score: 0.5, passed: false }],
    ["a required one failed", [ok(true), ok(false, { required: true, weight: 0 })], 0.5, { score: 1, passed: false }],
    ["weight 0 is reported only", [ok(true), ok(false, { weight: 0 })], null, { score: 1, passed: true }],
    ["weights count", [ok(true, { weight: 3 }), ok(false)], 0.75, { score: 0.75, passed: true }],
    ["undecided", [ok(true), silent()], null, { score: 1, passed: null }],
    ["decided by a failure", [ok(false), silent()], null, { score: 0, passed: false }],
    ["decided by the others", [ok(true, { weight: 9 }), silent()], 0.7, { score: 1, passed: true }],
    ["silent but not counted", [ok(true), silent({ weight: 0 })], null, { score: 1, passed: true }],
    ["silent and required", [ok(true, { weight: 9 }), silent({ required: true })], 0.7, { score: 1, passed: null }],
    ["nobody could tell", [silent(), silent()], 0.5, { score: null, passed: null }],
    ["any score will do", [silent()], 0, { score: null, passed: true }],
  ] as const)("%s", (_, grades, threshold, expected) => {
    expect(computeTrialVerdict(grades, threshold)).toEqual(expected);
  });

  it("reaches a threshold that sums of weights miss by rounding", () => {
    const grades = [ok(true, { weight: 0.7 }), ok(true, { weight: 0.1 }), ok(false, { weight: 0.2 })];
    expect(computeTrialVerdict(grades, 0.8).passed).toBe(true);
  });

  it("is given only if every possible answer of graders in error agrees", () => {
    const quarter = fc.integer({ min: 0, max: 4 }).map((n) => n / 4);
    const grade: fc.Arbitrary<WeightedGrade> = fc.record({
      passed: fc.boolean(),
      score: quarter,
      status: fc.constantFrom("ok", "error"),
      weight: fc.constantFrom(0, 1, 2, 3),
      required: fc.boolean(),
    });
    const threshold = fc.option(quarter);
    const grades = fc.array(grade, { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(
        grades.filter((all) => all.some(({ weight }) => weight > 0)),
        threshold,
        (all, limit) => {
          const answers = new Set(completions(all).map((each) => definition(each, limit)));
          expect(computeTrialVerdict(all, limit).passed).toBe(answers.size === 1 ? [...answers][0] : null);
        },
      ),
      { numRuns: 1000 },
    );
  });
});

/** All possible answers of the graders in error. */
function completions([first, ...rest]: readonly WeightedGrade[]): WeightedGrade[][] {
  if (first === undefined) return [[]];
  const scores = [0, 0.25, 0.5, 0.75, 1];
  const firsts: WeightedGrade[] =
    first.status === "ok"
      ? [first]
      : [true, false].flatMap((passed) => scores.map((score) => ({ ...first, status: "ok" as const, passed, score })));
  return completions(rest).flatMap((others) => firsts.map((each) => [each, ...others]));
}

/** The rule as documented. */
function definition(grades: readonly WeightedGrade[], threshold: number | null): boolean {
  const required = grades.filter((grade) => grade.required).every((grade) => grade.passed);
  const counted = grades.filter(({ weight }) => weight > 0);
  const total = counted.reduce((sum, { weight }) => sum + weight, 0);
  const score = counted.reduce((sum, grade) => sum + grade.weight * grade.score, 0) / total;
  return required && (threshold === null ? counted.every(({ passed }) => passed) : score >= threshold);
}
