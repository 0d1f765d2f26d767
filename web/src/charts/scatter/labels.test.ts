import fc from "fast-check";
import { expect, test } from "vitest";
import { estimateTextWidth } from "../names.js";
import { placeLabels } from "./labels.js";

const area = { left: 0, right: 600, top: 0, bottom: 300 };
const named = fc.record({
  name: fc.string({ minLength: 1, maxLength: 40 }),
  x: fc.double({ min: 0, max: 600, noNaN: true }),
  y: fc.double({ min: 0, max: 300, noNaN: true }),
  size: fc.constant(6),
  note: fc.constantFrom("(dominated by b)", "(dominated by another system and 11 more)"),
});

test("a single mark has its name to the right, a little higher", () => {
  expect(placeLabels([{ name: "a", x: 100, y: 100, size: 6 }], area)).toEqual([
    { name: "a", text: "a", x: 106, y: 96 },
  ]);
});

test("at the right edge the name stands to the left", () => {
  const [label] = placeLabels([{ name: "system", x: 595, y: 100, size: 4 }], area);
  expect(label?.x).toBeLessThan(560);
});

test("a note stands after the name where there is room, and takes none from another name", () => {
  const noted = { name: "a", x: 100, y: 100, size: 6, note: "(dominated by b)" };
  const textsOf = (...marks: Parameters<typeof placeLabels>[0]) => placeLabels(marks, area).map(({ text }) => text);
  expect(textsOf(noted)).toEqual(["a (dominated by b)"]);
  expect(textsOf({ ...noted, x: 590 })).toEqual(["a (dominated by b)"]);
  expect(textsOf(noted, { name: "b", x: 150, y: 96, size: 6 })).toEqual(["a", "b"]);
});

test("labels never run into each other and stay inside", () => {
  fc.assert(
    fc.property(fc.array(named, { maxLength: 40 }), (marks) => {
      const labels = placeLabels(marks, area);
      for (const [index, a] of labels.entries()) {
        expect(a.x).toBeGreaterThanOrEqual(0);
        expect(a.x + estimateTextWidth(a.text)).toBeLessThanOrEqual(600.001);
        for (const b of labels.slice(index + 1)) {
          const isApart =
            Math.abs(a.y - b.y) >= 13.999 ||
            a.x + estimateTextWidth(a.text) <= b.x + 0.001 ||
            b.x + estimateTextWidth(b.text) <= a.x + 0.001;
          expect(isApart).toBe(true);
        }
      }
    }),
    { numRuns: 50 },
  );
});
