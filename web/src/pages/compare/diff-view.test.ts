import fc from "fast-check";
import { expect, test } from "vitest";
import { diffTexts, listUnifiedLines, pairDiffLines } from "./diff-view.js";

test("diffs texts by words", () => {
  expect(diffTexts("the cat sat", "the dog sat", "words")).toEqual([
    { side: "both", text: "the " },
    { side: "a", text: "cat" },
    { side: "b", text: "dog" },
    { side: "both", text: " sat" },
  ]);
});

test("the pieces of each side add up to its text", () => {
  const texts = fc.string({ unit: fc.constantFrom("a", "b", " ", "\n"), maxLength: 40 });
  fc.assert(
    fc.property(texts, texts, fc.constantFrom("words" as const, "lines" as const), (a, b, unit) => {
      const pieces = diffTexts(a, b, unit) ?? [];
      const read = (other: string) =>
        pieces
          .filter(({ side }) => side !== other)
          .map(({ text }) => text)
          .join("");
      expect([read("b"), read("a")]).toEqual([a, b]);
    }),
  );
});

test("gives up quickly on texts with nothing in common", () => {
  const [a, b] = [1, 2].map((seed) => Array.from({ length: 40_000 }, (_, i) => (i * seed * 7919) % 99_991).join(" "));
  const began = performance.now();
  expect(diffTexts(a ?? "", b ?? "", "words")).toBeNull();
  expect(performance.now() - began).toBeLessThan(30_000);
});

test("pairs removed lines with the lines that replaced them", () => {
  const pieces = diffTexts("one\ntwo\nthree\n", "one\n2\nthree\nfour\n", "lines") ?? [];
  expect(pairDiffLines(pieces)).toEqual([
    { a: "one", b: "one", isSame: true },
    { a: "two", b: "2", isSame: false },
    { a: "three", b: "three", isSame: true },
    { a: null, b: "four", isSame: false },
  ]);
  expect(listUnifiedLines(pieces)).toEqual([" one", "-two", "+2", " three", "+four"]);
});
