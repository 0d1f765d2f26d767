import { expect, test } from "vitest";
import { computeBarRows, stackParts } from "./bars.js";

test("stacks parts one after the other, and leaves out empty ones", () => {
  expect(
    stackParts([
      ["a", 2],
      ["b", 0],
      ["c", 3],
    ]),
  ).toEqual([
    { name: "a", from: 0, to: 2 },
    { name: "c", from: 2, to: 5 },
  ]);
  expect(stackParts([])).toEqual([]);
});

test("puts names left of the bars, and above them in a narrow chart", () => {
  const wide = computeBarRows(["a", "b"], { width: 800, band: 20 });
  const narrow = computeBarRows(["a", "b"], { width: 380, band: 20 });
  expect(wide.rows[0]?.nameX).toBeLessThan(wide.left);
  expect(narrow.rows[0]?.nameY).toBeLessThan(narrow.rows[0]?.top ?? 0);
  expect(narrow.left).toBe(8);
  for (const { rows, bottom } of [wide, narrow]) expect((rows[1]?.top ?? 0) + 20).toBeLessThanOrEqual(bottom);
});
