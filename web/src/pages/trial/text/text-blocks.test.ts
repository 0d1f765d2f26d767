import fc from "fast-check";
import { expect, test } from "vitest";
import { splitIntoBlocks, takeBeginning } from "./text-blocks.js";

test("pieces make up the text, none is too long, and no character is cut in two", () => {
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

test("pieces end with a line where they can", () => {
  expect(splitIntoBlocks("one\ntwo\nthree", 9)).toEqual(["one\ntwo\n", "three"]);
  expect(splitIntoBlocks("", 9)).toEqual([]);
});

test("a beginning is short in characters and in lines", () => {
  expect(takeBeginning("a\nb\nc\nd", { characters: 100, lines: 2 })).toBe("a\nb");
  expect(takeBeginning("abcdef", { characters: 4, lines: 2 })).toBe("abcd");
  expect(takeBeginning("ab\n", { characters: 4, lines: 5 })).toBe("ab\n");
});
