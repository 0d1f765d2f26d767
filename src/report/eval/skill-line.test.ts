import { describe, expect, it } from "vitest";
import { makeTrialRow, makeTrialRows } from "../../testing/eval-result.js";
import { buildSkillLine } from "./eval-report.js";

describe("buildSkillLine", () => {
  it("averages over test cases, not over trials", () => {
    const groups = new Map([
      ["a", makeTrialRows("PPPP")],
      ["b", makeTrialRows("FF")],
    ]);
    expect(buildSkillLine("tidy", groups)).toMatchObject({
      skill: "tidy",
      score: 0.5,
      scored: 2,
      stimuli: 2,
      k: 2,
      passRate: 0.5,
    });
  });

  it("uses the weighted score, else the deciding field, else the verdict", () => {
    const score = (scores: Record<string, number>) =>
      buildSkillLine("tidy", new Map([["a", [makeTrialRow({ scores, primaryField: "f1" })]]])).score;
    expect(score({ weighted_score: 0.25, f1: 0.5 })).toBe(0.25);
    expect(score({ f1: 0.5 })).toBe(0.5);
    expect(score({})).toBe(1);
  });

  it("leaves out test cases without a verdict, and counts them", () => {
    const groups = new Map([
      ["a", makeTrialRows("PF")],
      ["b", makeTrialRows("EU")],
    ]);
    expect(buildSkillLine("tidy", groups)).toMatchObject({ score: 0.5, scored: 1, stimuli: 2, passAtK: 1 });
  });

  it("is null when nothing was scored", () => {
    const line = buildSkillLine("tidy", new Map([["a", makeTrialRows("SU")]]));
    expect(line).toMatchObject({ score: null, scored: 0, stimuli: 1, passAtK: null, passRate: null });
    expect(buildSkillLine("tidy", new Map())).toMatchObject({ score: null, stimuli: 0 });
  });
});
