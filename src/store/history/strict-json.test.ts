import fc from "fast-check";
import { expect, test } from "vitest";
import { strictJson } from "./json-values.js";

test("is the JSON of anything without half characters", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(strictJson(value)).toBe(JSON.stringify(value));
    }),
  );
});

test("half characters are replaced wherever they stand, and nothing else is", () => {
  expect(JSON.parse(strictJson({ "k\udc00": ["a\ud83d", "\ud83d\ude00", "\\ud83d", "\\\ud83d"] }))).toEqual({
    "k\ufffd": ["a\ufffd", "\ud83d\ude00", "\\ud83d", "\\\ufffd"],
  });
});
