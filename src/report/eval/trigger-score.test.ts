import { describe, expect, it } from "vitest";
import { makeTrialRows } from "../../testing/eval-result.js";
import { computeTriggerScore } from "./eval-report.js";

const should = (letters: string) => makeTrialRows(letters, { facets: { trigger: "should" } });
const shouldNot = (letters: string) => makeTrialRows(letters, { facets: { trigger: "should_not" } });

describe("computeTriggerScore", () => {
  it("is null without trigger tests", () => {
    expect(computeTriggerScore(makeTrialRows("PPF"))).toBeNull();
    expect(computeTriggerScore(makeTrialRows("P", { facets: { trigger: "maybe" } }))).toBeNull();
  });

  it("counts true and false positives and negatives", () => {
    const rows = [...should("PPPF"), ...shouldNot("PPFF"), ...makeTrialRows("FFFF")];
    expect(computeTriggerScore(rows)).toEqual({
      truePositives: 3,
      falseNegatives: 1,
      trueNegatives: 2,
      falsePositives: 2,
      precision: 0.6,
      recall: 0.75,
      f1: 6 / 9,
    });
  });

  it("leaves out trials without a verdict", () => {
    expect(computeTriggerScore([...should("PEUS"), ...shouldNot("PEUS")])).toMatchObject({
      truePositives: 1,
      trueNegatives: 1,
      precision: 1,
      recall: 1,
      f1: 1,
    });
  });

  it("has no precision when the skill was never activated, and no recall when it never should be", () => {
    expect(computeTriggerScore(should("FF"))).toMatchObject({ precision: null, recall: 0, f1: 0 });
    expect(computeTriggerScore(shouldNot("PP"))).toMatchObject({ precision: null, recall: null, f1: null });
    expect(computeTriggerScore(should("U"))).toMatchObject({ precision: null, recall: null, f1: null });
  });
});
