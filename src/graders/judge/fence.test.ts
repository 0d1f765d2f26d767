import fc from "fast-check";
import { expect, it } from "vitest";
import { fenced, markFor } from "./fence.js";

it("marks a text with what is not in it, whatever is in it", () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { maxLength: 4 }), (texts) => {
      const mark = markFor(texts);
      expect(mark).toMatch(/^[0-9a-f]{16}$/);
      expect(texts.some((text) => text.includes(mark))).toBe(false);
      // Even one who knows how the mark is made cannot write it: with it in the text, it is another.
      expect(markFor([...texts, mark])).not.toBe(mark);
    }),
  );
});

it("is the same for the same texts, and another for others", () => {
  expect(markFor(["a", "b"])).toBe(markFor(["a", "b"]));
  expect(markFor(["ab"])).not.toBe(markFor(["a", "b"]));
});

it("puts a text between tags", () => {
  expect(fenced({ tag: "answer", text: "Paris" }, "3f")).toBe("<answer-3f>\nParis\n</answer-3f>");
});
