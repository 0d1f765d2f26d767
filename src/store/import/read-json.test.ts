import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readJson } from "./file-content.js";

describe("parseLenientJson", () => {
  it("reads Python's NaN and Infinity as null, and skips a byte order mark", () => {
    expect(readJson('\ufeff{"a": NaN, "b": [Infinity, -Infinity, 1]}')).toEqual({ a: null, b: [null, null, 1] });
    expect(() => readJson('{"a": nan}')).toThrow(SyntaxError);
    expect(() => readJson('{"a": NaN')).toThrow(SyntaxError);
  });

  it("changes nothing inside texts", () => {
    const text = fc.string({ unit: fc.constantFrom('"', "\\", "NaN", "-Infinity", " ", "x", "\n", "é") });
    fc.assert(
      fc.property(fc.array(text), (texts) => {
        const json = JSON.stringify({ texts, last: "LAST" }).replace(/"LAST"\}$/, "NaN}");
        expect(readJson(json)).toEqual({ texts, last: null });
      }),
    );
  });

  it("handles a text of megabytes beside a NaN", () => {
    const long = `\\"${"NaN ".repeat(1_000_000)}`;
    expect(readJson(`{"long": ${JSON.stringify(long)}, "n": Infinity}`)).toEqual({ long, n: null });
  });
});
