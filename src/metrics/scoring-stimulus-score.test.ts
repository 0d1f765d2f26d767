import { describe, expect, it } from "vitest";
import { computeStimulusScore, type GraderResult, type TrialGrade } from "./scoring.js";

const grader = (name: string, score: number): GraderResult => ({
  name,
  kind: "code",
  passed: score === 1,
  score,
  evidence: "",
});
const trial = (score: number, passed: boolean): TrialGrade => ({ grade: grader("fixture", score), passed });

describe("computeStimulusScore", () => {
  it("averages the grades and marks a flaky test case", () => {
    const score = computeStimulusScore("s", [trial(1, true), trial(1, true), trial(0.4, false)], true);
    expect(score.aggregateScore).toBeCloseTo(0.8, 12);
    expect(score).toMatchObject({ stimulusName: "s", flaky: true, unscored: false });
    expect(score.flakinessPercent).toBeCloseTo(100 / 3, 12);
    expect(score.multiTrial.k).toBe(3);
  });

  it("shows the parts of a combined grade, else the grade itself", () => {
    const parts = [grader("a", 1), grader("b", 0)];
    const composed = { grade: { ...grader("all", 0.5), details: parts }, passed: false };
    const score = computeStimulusScore("s", [composed, trial(1, true)], true);
    expect(score.trialResults).toEqual([parts, [grader("fixture", 1)]]);
  });

  it("is unscored without graders or without trials", () => {
    expect(computeStimulusScore("s", [trial(1, true)], false).unscored).toBe(true);
    expect(computeStimulusScore("s", [], true)).toEqual({
      stimulusName: "s",
      trialResults: [],
      aggregateScore: 0,
      multiTrial: { perTrialPassRate: 0, passAtK: 0, passToTheK: 0, k: 0 },
      unscored: true,
      flaky: false,
      flakinessPercent: 0,
    });
  });
});
