import { expect, it } from "vitest";
import { makeFiller } from "./compose.js";

it("has the requested length", () => {
  for (const chars of [-1, 0, 1, 7, 100, 12_345]) expect(makeFiller(chars)).toHaveLength(Math.max(0, chars));
});

it("repeats no sentence", () => {
  const sentences = makeFiller(200_000).split(". ").slice(0, -1);
  expect(new Set(sentences).size).toBe(sentences.length);
});

/** Like the loop detection of agents: pieces of fifty characters that repeat close together. */
it("repeats no piece", () => {
  const text = makeFiller(80_000);
  const seen = new Map<string, number>();
  for (let at = 0; at + 50 <= text.length; at++) {
    const piece = text.slice(at, at + 50);
    seen.set(piece, (seen.get(piece) ?? 0) + 1);
  }
  expect(Math.max(...seen.values())).toBe(1);
});
