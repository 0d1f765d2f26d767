import { describe, expect, it } from "vitest";
import { GraderEvaluator } from "./grader-evaluator.js";
import { checkGraders } from "./make-grader.js";
import { computeTrialVerdict } from "./verdict.js";

describe("an example without graders", () => {
  const example = { id: 1, question: "Do it.", graders: [] };

  it("is valid and is not scored", async () => {
    expect(() => checkGraders(example)).not.toThrow();
    expect(await new GraderEvaluator().score(example, { response: "done" })).toEqual({
      scores: {},
      unscored: { verdict: "there are no graders" },
    });
    expect(computeTrialVerdict([], 0.5)).toEqual({ score: null, passed: null });
  });

  it("still needs a valid threshold", () => {
    expect(() => checkGraders({ ...example, threshold: 7 })).toThrow("its threshold is the number 7");
  });
});
