import { expect, test } from "vitest";
import { shufflePlaces } from "./order-trials.js";
import { describeKappa } from "./page.js";
import { splitTags } from "./trial-label-panel.js";

test("the order holds every trial once, and the seed decides it", () => {
  const order = shufflePlaces(50, 1);
  expect(order.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, place) => place));
  expect(shufflePlaces(50, 1)).toEqual(order);
  expect(shufflePlaces(50, 2)).not.toEqual(order);
  expect(shufflePlaces(0, 1)).toEqual([]);
});

test("tags are split at commas, without blanks and repetitions", () => {
  expect(splitTags(" hard, ,odd,hard ")).toEqual(["hard", "odd"]);
  expect(splitTags("")).toEqual([]);
});

test("kappa is told with its interval, or why it is undefined", () => {
  expect(describeKappa({ value: 0.5, low: 0.25, high: 0.75, n: 9 })).toBe("Cohen’s kappa: 0.50 [0.25, 0.75].");
  expect(describeKappa({ value: null, low: null, high: null, n: 3 })).toMatch(/undefined while all labels/);
});
