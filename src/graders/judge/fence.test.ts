import fc from "fast-check";
import { expect, it } from "vitest";
import { computeMark, wrapMaterial } from "./material.js";

it("computes a mark that is not in the text", () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { maxLength: 4 }), (texts) => {
      const mark = computeMark(texts);
      expect(mark).toMatch(/^[0-9a-f]{16}$/);
      expect(texts.some((text) => text.includes(mark))).toBe(false);
      // Knowing the algorithm does not help an attacker: a text that contains the mark gets another one.
      expect(computeMark([...texts, mark])).not.toBe(mark);
    }),
  );
});

it("computes the same mark for the same texts, and another for others", () => {
  expect(computeMark(["a", "b"])).toBe(computeMark(["a", "b"]));
  expect(computeMark(["ab"])).not.toBe(computeMark(["a", "b"]));
});

it("wraps a text in tags", () => {
  expect(wrapMaterial({ tag: "answer", text: "Paris" }, "3f")).toBe("<answer-3f>\nParis\n</answer-3f>");
});
