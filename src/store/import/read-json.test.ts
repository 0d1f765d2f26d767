import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseLenientJson } from "./file-content.js";

describe("parseLenientJson", () => {
  it("reads Python's NaN and Infinity as null, and skips a byte order mark", () => {
    expect(parseLenientJson('\ufeff{"a": NaN, "b": [Infinity, -Infinity, 1]}')).toEqual({
      a: null,
      b: [null, null, 1],
    });
    expect(() => parseLenientJson('{"a": nan}')).toThrow(SyntaxError);
    expect(() => parseLenientJson('{"a": NaN')).toThrow(SyntaxError);
  });

  it("changes nothing inside texts", () => {
    const text = fc.string({ unit: fc.constantFrom('"', "\\", "NaN", "-Infinity", " ", "x", "\n", "é") });
    fc.assert(
      fc.property(fc.array(text), (texts) => {
        const json = JSON.stringify({ texts, last: "LAST" }).replace(/"LAST"\}$/, "NaN}");
        expect(parseLenientJson(json)).toEqual({ texts, last: null });
      }),
    );
  });

  it("handles a text of megabytes beside a NaN", () => {
    const long = `\\"${"NaN ".repeat(1_000_000)}`;
    expect(parseLenientJson(`{"long": ${JSON.stringify(long)}, "n": Infinity}`)).toEqual({ long, n: null });
  });
});
