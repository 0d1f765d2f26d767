import fc from "fast-check";
import { expect, test } from "vitest";
import { joinWords, splitWords } from "./word-list.js";

test("words come back, whatever is in them", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1, unit: fc.constantFrom(",", "\\", "a", "=", " ") })), (words) => {
      expect(splitWords(joinWords(words))).toEqual(words);
    }),
  );
});

test("what is missing or empty is no word", () => {
  expect(splitWords(undefined)).toEqual([]);
  expect(splitWords("")).toEqual([]);
  expect(splitWords("pass,fail")).toEqual(["pass", "fail"]);
});
