import { describe, expect, it } from "vitest";
import { computeSkillScore, computeStimulusScore, type StimulusScore } from "./scoring.js";

function stimulus(name: string, scores: readonly number[], hasGraders = true): StimulusScore {
  const trials = scores.map((score) => ({
    grade: { name: "fixture", kind: "code" as const, passed: score >= 0.5, score, evidence: "" },
    passed: score >= 0.5,
  }));
  return computeStimulusScore(name, trials, hasGraders);
}

describe("computeSkillScore", () => {
  it("averages test cases, not trials, and takes the smallest k", () => {
    const skill = computeSkillScore("s", [stimulus("a", [1, 1, 1, 1]), stimulus("b", [1, 0])], 0.7);
    expect(skill.overallScore).toBe(0.75);
    expect(skill.overallMultiTrial).toEqual({ perTrialPassRate: 0.75, passAtK: 1, passToTheK: 0.625, k: 2 });
    expect(skill.passed).toBe(true);
  });

  it("excludes unscored test cases", () => {
    const scored = stimulus("a", [0.6]);
    const skill = computeSkillScore("s", [scored, stimulus("none", []), stimulus("ungraded", [0], false)], 0.6);
    expect(skill).toMatchObject({ overallScore: 0.6, passed: true, overallMultiTrial: scored.multiTrial });
    expect(skill.stimulusScores).toHaveLength(3);
  });

  it("never passes without a scored test case, at any threshold", () => {
    for (const stimuli of [[], [stimulus("ungraded", [1], false)]]) {
      expect(computeSkillScore("s", stimuli, 0)).toMatchObject({
        overallScore: 0,
        passed: false,
        overallMultiTrial: { k: 0 },
      });
    }
  });

  it("passes at the threshold despite rounding, and not a visible digit below it", () => {
    const tenths = [0.1, 0.2, 0.3, 0.7, 0.8, 0.9].map((score, i) => stimulus(String(i), [score]));
    expect(computeSkillScore("s", tenths, 0.5).passed).toBe(true);
    expect(computeSkillScore("s", [stimulus("a", [0.1 + 0.7])], 0.8).passed).toBe(true);
    expect(computeSkillScore("s", [stimulus("a", [0.7999999])], 0.8).passed).toBe(false);
  });

  it("names a threshold that is not a number", () => {
    expect(() => computeSkillScore("s", [], Number.NaN)).toThrow(/^threshold must/);
  });
});
