import fc from "fast-check";
import { expect, test } from "vitest";
import { diffTexts, listUnifiedLines, pairDiffLines } from "./diff-view.js";

test("words that differ are told apart", () => {
  expect(diffTexts("the cat sat", "the dog sat", "words")).toEqual([
    { side: "both", text: "the " },
    { side: "a", text: "cat" },
    { side: "b", text: "dog" },
    { side: "both", text: " sat" },
  ]);
});

test("each side can be read out of a diff", () => {
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

test("texts with nothing in common are given up in a moment", () => {
  const [a, b] = [1, 2].map((seed) => Array.from({ length: 40_000 }, (_, i) => (i * seed * 7919) % 99_991).join(" "));
  const began = performance.now();
  expect(diffTexts(a ?? "", b ?? "", "words")).toBeNull();
  expect(performance.now() - began).toBeLessThan(30_000);
});

test("lines stand beside what replaced them", () => {
  const pieces = diffTexts("one\ntwo\nthree\n", "one\n2\nthree\nfour\n", "lines") ?? [];
  expect(pairDiffLines(pieces)).toEqual([
    { a: "one", b: "one", isSame: true },
    { a: "two", b: "2", isSame: false },
    { a: "three", b: "three", isSame: true },
    { a: null, b: "four", isSame: false },
  ]);
  expect(listUnifiedLines(pieces)).toEqual([" one", "-two", "+2", " three", "+four"]);
});
