import fc from "fast-check";
import { expect, test } from "vitest";
import { formatJson } from "./pretty-json.js";

test("JSON is written as JSON.stringify would, line by line", () => {
  const lists = fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()));
  fc.assert(
    fc.property(lists, (value) => {
      expect(formatJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
    }),
  );
});

test("digits and escapes stay as they were written", () => {
  expect(formatJson('{ "id": 12345678901234567890, "s": "\\u00e9 {,}" , "e":{ } }')).toBe(
    '{\n  "id": 12345678901234567890,\n  "s": "\\u00e9 {,}",\n  "e": {}\n}',
  );
});

test("what is no object or list is left alone", () => {
  for (const text of ["", "12", '"text"', "{broken", "[1,", "plain words", " "]) expect(formatJson(text)).toBeNull();
  expect(formatJson(`["${"x".repeat(600_000)}"]`)).toBeNull();
});
