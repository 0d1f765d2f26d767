import fc from "fast-check";
import { expect, it } from "vitest";
import { fenced, markFor } from "./fence.js";

it("computes a mark that is not in the text", () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { maxLength: 4 }), (texts) => {
      const mark = markFor(texts);
      expect(mark).toMatch(/^[0-9a-f]{16}$/);
      expect(texts.some((text) => text.includes(mark))).toBe(false);
      // Knowing the algorithm does not help an attacker: a text that contains the mark gets another one.
      expect(markFor([...texts, mark])).not.toBe(mark);
    }),
  );
});

it("computes the same mark for the same texts, and another for others", () => {
  expect(markFor(["a", "b"])).toBe(markFor(["a", "b"]));
  expect(markFor(["ab"])).not.toBe(markFor(["a", "b"]));
});

it("wraps a text in tags", () => {
  expect(fenced({ tag: "answer", text: "Paris" }, "3f")).toBe("<answer-3f>\nParis\n</answer-3f>");
});
