import { expect, it } from "vitest";
import { RateMeter } from "./serve-run.js";

it("measures the rate over the last ten seconds", () => {
  const rate = new RateMeter();
  expect(rate.measure(0, 0)).toBe(0);
  expect(rate.measure(1000, 50)).toBe(50);
  expect(rate.measure(9000, 100)).toBe(11.1);
  // Older samples are dropped.
  expect(rate.measure(12_000, 100)).toBe(0);
});
