import fc from "fast-check";
import { expect, test } from "vitest";
import { formatJson, splitIntoBlocks, takeBeginning } from "./long-text.js";

test("blocks add up to the text, are not too long, and split no character", () => {
  const letter = fc.constantFrom("a", "\n", "😀", "é");
  fc.assert(
    fc.property(fc.string({ unit: letter, maxLength: 60 }), fc.integer({ min: 2, max: 10 }), (text, size) => {
      const blocks = splitIntoBlocks(text, size);
      expect(blocks.join("")).toBe(text);
      for (const block of blocks) {
        expect(block.length).toBeGreaterThan(0);
        expect(block.length).toBeLessThanOrEqual(size);
        expect(block).not.toMatch(/\p{Cs}/u);
      }
    }),
  );
});

test("blocks end at the end of a line where they can", () => {
  expect(splitIntoBlocks("one\ntwo\nthree", 9)).toEqual(["one\ntwo\n", "three"]);
  expect(splitIntoBlocks("", 9)).toEqual([]);
});

test("a beginning is limited in characters and in lines", () => {
  expect(takeBeginning("a\nb\nc\nd", { characters: 100, lines: 2 })).toBe("a\nb");
  expect(takeBeginning("abcdefgh", { characters: 4, lines: 2 })).toBe("abcd");
  expect(takeBeginning("ab\n", { characters: 4, lines: 5 })).toBe("ab\n");
});

test("formats JSON as JSON.stringify does", () => {
  const lists = fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue()));
  fc.assert(
    fc.property(lists, (value) => {
      expect(formatJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
    }),
  );
});

test("keeps digits and escapes as written", () => {
  expect(formatJson('{ "id": 12345678901234567890, "s": "\\u00e9 {,}" , "e":{ } }')).toBe(
    '{\n  "id": 12345678901234567890,\n  "s": "\\u00e9 {,}",\n  "e": {}\n}',
  );
});

test("leaves text alone that is not a JSON object or list", () => {
  for (const text of ["", "12", '"text"', "{broken", "[1,", "plain words", " "]) expect(formatJson(text)).toBeNull();
  expect(formatJson(`["${"x".repeat(600_000)}"]`)).toBeNull();
});

test("a text slightly over the limits is not cut", () => {
  expect(takeBeginning("abcdef", { characters: 4, lines: 2 })).toBe("abcdef");
  expect(takeBeginning("a\nb\nc", { characters: 100, lines: 2 })).toBe("a\nb\nc");
});
