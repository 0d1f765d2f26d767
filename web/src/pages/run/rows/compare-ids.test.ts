import fc from "fast-check";
import { expect, test } from "vitest";
import { compareIds } from "./compare-ids.js";

const anyId = fc.oneof(fc.integer(), fc.string({ unit: fc.constantFrom("a", "b", "0", "1", "9", "-") }));

test("ids are in the order in which people count", () => {
  expect(["q10", "b", "q2", 30, 4, "q2a"].sort(compareIds)).toEqual([4, 30, "b", "q2", "q2a", "q10"]);
  expect(compareIds("q01", "q1")).not.toBe(0);
  expect(compareIds("999999999999999999998", "999999999999999999999")).toBeLessThan(0);
});

test("it is an order: two ways agree, and none goes round in circles", () => {
  fc.assert(
    fc.property(anyId, anyId, anyId, (a, b, c) => {
      expect(Math.sign(compareIds(a, b))).toBe(-Math.sign(compareIds(b, a)) || 0);
      if (compareIds(a, b) === 0) expect(a).toBe(b);
      if (compareIds(a, b) < 0 && compareIds(b, c) < 0) expect(compareIds(a, c)).toBeLessThan(0);
    }),
  );
});
