import { expect, it } from "vitest";
import { Rate } from "./rate.js";

it("measures the rate over the last ten seconds", () => {
  const rate = new Rate();
  expect(rate.at(0, 0)).toBe(0);
  expect(rate.at(1000, 50)).toBe(50);
  expect(rate.at(9000, 100)).toBe(11.1);
  // Older samples are dropped.
  expect(rate.at(12_000, 100)).toBe(0);
});
