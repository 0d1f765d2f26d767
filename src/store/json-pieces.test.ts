import { expect, it } from "vitest";
import { encodePieces } from "./row-codec.js";

const LONG = (1 << 18) + 1;

it.each([
  ["short texts", { a: "x", b: [1, null, { c: "\u2028" }] }],
  ["a long text", "y".repeat(LONG)],
  [
    "long texts in lists and objects",
    { a: '"\\\n'.repeat(LONG), b: [{ c: "é€".repeat(LONG) }, "z".repeat(LONG)], d: 1 },
  ],
  ["characters of two halves at every place", ["😀".repeat(LONG), `x${"😀".repeat(LONG)}`]],
  ["halves of characters", `${"\ud83d".repeat(LONG)}\udc00`],
  ["what JSON leaves out", { a: undefined, b: () => 1, c: new Date(0), d: "w".repeat(LONG) }],
])("encodes %s like JSON.stringify", (_, value) => {
  const pieces = [...encodePieces(value)];
  expect(pieces.join("") === JSON.stringify(value)).toBe(true);
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(LONG * 6 + 2);
});

it("throws at once if JSON cannot hold the value", () => {
  expect(() => encodePieces({ a: 1n })).toThrow(TypeError);
});
