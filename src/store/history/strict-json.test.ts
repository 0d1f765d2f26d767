import fc from "fast-check";
import { expect, test } from "vitest";
import { stringifyStrict } from "./json-values.js";

test("equals JSON.stringify for values without lone surrogates", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(stringifyStrict(value)).toBe(JSON.stringify(value));
    }),
  );
});

test("replaces only lone surrogates, wherever they are", () => {
  expect(JSON.parse(stringifyStrict({ "k\udc00": ["a\ud83d", "\ud83d\ude00", "\\ud83d", "\\\ud83d"] }))).toEqual({
    "k\ufffd": ["a\ufffd", "\ud83d\ude00", "\\ud83d", "\\\ufffd"],
  });
});
