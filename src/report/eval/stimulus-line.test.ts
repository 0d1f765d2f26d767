import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { passAtK, passHatK } from "../../stats/index.js";
import { makeTrialRow, makeTrialRows } from "../../testing/eval-result.js";
import { buildStimulusLine, chooseHeadlineK, describeReason } from "./eval-report.js";

describe("buildStimulusLine", () => {
  it("reports pass rate, flakiness, cost and time", () => {
    const rows = makeTrialRows("PPFPP", {
      costUsd: 0.1,
      durationMs: 2000,
      scores: { verdict: 1, weighted_score: 0.5 },
    });
    const line = buildStimulusLine("add", rows, 3);
    expect(line).toMatchObject({
      stimulus: "add",
      trials: 5,
      outcomes: { pass: 4, fail: 1, error: 0, unscored: 0, skipped: 0 },
      passRate: 0.8,
      k: 3,
      passAtK: 1,
      flakyPercent: 20,
      meanScore: 0.5,
      meanSeconds: 2,
      why: null,
    });
    expect(line.passHatK).toBeCloseTo(4 / 10, 12);
    expect(line.meanCostUsd).toBeCloseTo(0.1, 12);
  });

  it("has the Wilson interval over the trials with a verdict", () => {
    const [low, high] = buildStimulusLine("add", makeTrialRows("PPPPPPPPFFEU"), 3).passRateInterval ?? [];
    expect(low).toBeCloseTo(0.490162, 6);
    expect(high).toBeCloseTo(0.943318, 6);
  });

  it("leaves trials without a verdict out of the rates, counts them and explains why", () => {
    const down = {
      attempts: [{ errorCategory: "api_error" as const, message: "the endpoint is down", durationMs: 1 }],
    };
    const rows = [
      ...makeTrialRows("PF"),
      makeTrialRow({ outcome: "error", trial: 2, ...down }),
      ...makeTrialRows("SU"),
    ];
    const line = buildStimulusLine("add", rows, 3);
    expect(line).toMatchObject({ trials: 5, passRate: 0.5, flakyPercent: 50, why: "the endpoint is down" });
    expect(line.outcomes).toEqual({ pass: 1, fail: 1, error: 1, unscored: 1, skipped: 1 });
    expect([line.passAtK, line.passHatK]).toEqual([null, null]);
  });

  it("is null for values that were not measured", () => {
    const line = buildStimulusLine("add", makeTrialRows("SS"), 2);
    expect(line).toMatchObject({ passRate: null, passRateInterval: null, passAtK: null, flakyPercent: null });
    expect(line).toMatchObject({ meanScore: null, meanCostUsd: null, meanSeconds: null, why: null });
  });

  it("averages known costs, without counting others as 0", () => {
    const rows = [makeTrialRow({ costUsd: 0.3 }), makeTrialRow({ trial: 1, costUsd: null })];
    expect(buildStimulusLine("add", rows, 1).meanCostUsd).toBe(0.3);
  });

  it("agrees with the formulas for any trials", () => {
    const letters = fc.array(fc.constantFrom("P", "F", "E", "U", "S"), { maxLength: 12 }).map((all) => all.join(""));
    fc.assert(
      fc.property(letters, fc.integer({ min: 1, max: 12 }), (text, k) => {
        const line = buildStimulusLine("x", makeTrialRows(text), k);
        const [passes, n] = [text.split("P").length - 1, text.replaceAll(/[EUS]/g, "").length];
        expect(Object.values(line.outcomes).reduce((total, count) => total + count, 0)).toBe(text.length);
        expect(line.passAtK).toBe(n < k ? null : passAtK(n, passes, k));
        expect(line.passHatK).toBe(n < k ? null : passHatK(n, passes, k));
        const [low, high] = line.passRateInterval ?? [0, 0];
        if (line.passRate !== null) expect(low <= line.passRate + 1e-9 && line.passRate <= high + 1e-9).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});

describe("chooseHeadlineK", () => {
  const gate = (metric: string) => ({ metric, op: ">=" as const, value: 1 });

  it("uses that of the first gate with one, else three, and never more than the trials", () => {
    const five = makeTrialRows("PPPPP");
    expect(chooseHeadlineK(five, [])).toBe(3);
    expect(chooseHeadlineK(five, [gate("pass_rate"), gate("pass_hat_5"), gate("pass_at_2")])).toBe(5);
    expect(chooseHeadlineK(five, [gate("pass_at_2")])).toBe(2);
    expect(chooseHeadlineK(makeTrialRows("PP"), [])).toBe(2);
    expect(chooseHeadlineK(makeTrialRows("PP"), [gate("pass_hat_5")])).toBe(2);
    expect(chooseHeadlineK([], [])).toBe(1);
    expect(chooseHeadlineK(five, [gate("pass_hat_2_ci_low")])).toBe(3);
  });
});

describe("describeReason", () => {
  it("uses the last failure, else the first note, else the category", () => {
    const attempt = (message: string) => ({ errorCategory: "timeout" as const, message, durationMs: 1 });
    const failed = { outcome: "error" as const, errorCategory: "timeout" as const };
    expect(
      describeReason(makeTrialRow({ ...failed, attempts: [attempt("first"), attempt("last")], notes: ["note"] })),
    ).toBe("last");
    expect(describeReason(makeTrialRow({ ...failed, notes: ["note", "other"] }))).toBe("note");
    expect(describeReason(makeTrialRow(failed))).toBe("timeout");
    const unscored = { outcome: "unscored" as const, errorCategory: "grader_error" as const };
    const notes = ["no model was called", "the judge is ill"];
    expect(describeReason(makeTrialRow({ ...unscored, attempts: [attempt("first")], notes }))).toBe("the judge is ill");
    expect(describeReason(makeTrialRow(unscored))).toBe("grader_error");
  });
});
