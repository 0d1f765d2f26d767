import fc from "fast-check";
import { expect, test } from "vitest";
import { joinValues, splitValues } from "./word-list.js";

test("words come back, whatever is in them", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1, unit: fc.constantFrom(",", "\\", "a", "=", " ") })), (words) => {
      expect(splitValues(joinValues(words))).toEqual(words);
    }),
  );
});

test("what is missing or empty is no word", () => {
  expect(splitValues(undefined)).toEqual([]);
  expect(splitValues("")).toEqual([]);
  expect(splitValues("pass,fail")).toEqual(["pass", "fail"]);
});
