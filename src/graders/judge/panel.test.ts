import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { combinePanelScores, computePanelAgreement } from "./judgement.js";

describe("combinePanelScores", () => {
  it.each([
    ["mean", [1, 0.5, 0], 0.5],
    ["median", [1, 0.25, 0], 0.25],
    ["min", [1, 0.25, 0.5], 0.25],
    ["majority", [1, 1, 0], 1],
    ["majority", [0, 1, 0], 0],
    ["majority", [0.75, 1, 0], 1],
    ["majority", [0.5, 0.5, 1], 0.5],
    ["majority", [1, 0], null],
    ["majority", [1, 0.5, 0], null],
  ] as const)("by %s of %j is %j", (rule, scores, expected) => {
    expect(combinePanelScores(scores, rule)).toBe(expected);
  });
});

describe("computePanelAgreement", () => {
  it("is the share of pairs that agree on the binary scale", () => {
    expect(computePanelAgreement([1, 1, 0])).toBeCloseTo(1 / 3, 12);
    expect(computePanelAgreement([1, 1, 1])).toBe(1);
    expect(computePanelAgreement([1, 0])).toBe(0);
    expect(computePanelAgreement([1])).toBeNull();
  });

  it("lies in [0, 1] for any scores in any order", () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 2, maxLength: 9 }), (scores) => {
        const agreement = computePanelAgreement(scores) ?? -1;
        expect(agreement).toBeGreaterThanOrEqual(0);
        expect(agreement).toBeLessThanOrEqual(1);
        expect(computePanelAgreement(scores.toReversed())).toBeCloseTo(agreement, 12);
      }),
    );
  });
});
