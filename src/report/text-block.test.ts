import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { indentHanging, measureColumns, wrapText } from "./text-block.js";

const FULL = { width: 20, maxLines: 1, isFull: true };

describe("wrapText", () => {
  it("wraps at spaces, and inside of a word only where there is none", () => {
    expect(wrapText("the quick brown fox jumps", FULL)).toEqual(["the quick brown fox", "jumps"]);
    expect(wrapText("a".repeat(45), FULL)).toEqual(["a".repeat(20), "a".repeat(20), "aaaaa"]);
  });

  it("keeps line breaks and indentation", () => {
    expect(wrapText("def f():\n\treturn 1\r\n\nf()\n\n", FULL)).toEqual(["def f():", "  return 1", "", "f()"]);
  });

  it("cuts long texts and reports their length", () => {
    const lines = wrapText("line\n".repeat(1000), { width: 20, maxLines: 2, isFull: false });
    expect(lines).toEqual(["line", "line", "… 5,000 characters in all: --full"]);
    expect(wrapText("a b\nc", { width: 20, maxLines: 2, isFull: false })).toEqual(["a b", "c"]);
  });

  it("counts wide characters as two columns, and combining marks as none", () => {
    expect(wrapText("漢".repeat(15), FULL)).toEqual(["漢".repeat(10), "漢".repeat(5)]);
    expect(wrapText("e\u0301".repeat(20), FULL)).toEqual(["e\u0301".repeat(20)]);
  });

  it("handles very long texts", () => {
    const long = "word ".repeat(4_000_000);
    expect(wrapText(long, { width: 79, maxLines: 6, isFull: false })).toHaveLength(7);
    expect(wrapText(long.slice(0, 1_000_000), { ...FULL, width: 79 }).length).toBeGreaterThan(10_000);
  });

  it("never prints control characters, never exceeds its width, and loses no word", () => {
    const text = fc.string({
      unit: fc.constantFrom("a", "b", " ", "\n", "\u001b", "\r", "\t", "漢", "😀", "\u202e", "\u009b"),
    });
    fc.assert(
      fc.property(text, fc.integer({ min: 2, max: 30 }), (given, width) => {
        const lines = wrapText(given, { width, maxLines: 1, isFull: true });
        expect(lines.every((line) => measureColumns(line) <= width)).toBe(true);
        expect(lines.join("")).not.toMatch(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
        const letters = (all: string) => all.replace(/[^ab漢😀]/gu, "");
        expect(letters(lines.join(""))).toBe(letters(given));
      }),
    );
  });
});

describe("indentHanging", () => {
  it("puts a prefix before a text", () => {
    expect(indentHanging("- ", ["one", "", "two"])).toEqual(["- one", "", "  two"]);
    expect(indentHanging("turn 1  ", [""])).toEqual(["turn 1"]);
  });
});
