import { expect, it } from "vitest";
import { computeMultiTrialMetrics } from "./scoring.js";

it("returns pass@k of 0 or 1 at k = n, and p^k", () => {
  const metrics = computeMultiTrialMetrics([true, true, false, true, true]);
  expect(metrics.perTrialPassRate).toBe(0.8);
  // A commonly printed 0.99 is wrong: five of five trials cannot all be the one that failed.
  expect(metrics.passAtK).toBe(1);
  expect(metrics.passToTheK).toBeCloseTo(0.32768, 12);
  expect(metrics.k).toBe(5);
});

it("returns zeros if nothing passed", () => {
  expect(computeMultiTrialMetrics([false, false])).toEqual({ perTrialPassRate: 0, passAtK: 0, passToTheK: 0, k: 2 });
});

it("rejects zero trials", () => {
  expect(() => computeMultiTrialMetrics([])).toThrow(RangeError);
});
