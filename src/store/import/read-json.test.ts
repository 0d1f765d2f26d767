import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readJson } from "./file-content.js";

describe("readJson", () => {
  it("reads what Python writes for numbers that JSON has no words for as null, and passes over a byte order mark", () => {
    expect(readJson('\ufeff{"a": NaN, "b": [Infinity, -Infinity, 1]}')).toEqual({ a: null, b: [null, null, 1] });
    expect(() => readJson('{"a": nan}')).toThrow(SyntaxError);
    expect(() => readJson('{"a": NaN')).toThrow(SyntaxError);
  });

  it("changes nothing inside of texts, whatever they hold", () => {
    const text = fc.string({ unit: fc.constantFrom('"', "\\", "NaN", "-Infinity", " ", "x", "\n", "é") });
    fc.assert(
      fc.property(fc.array(text), (texts) => {
        const json = JSON.stringify({ texts, last: "LAST" }).replace(/"LAST"\}$/, "NaN}");
        expect(readJson(json)).toEqual({ texts, last: null });
      }),
    );
  });

  it("reads a text of megabytes beside such a number", () => {
    const long = `\\"${"NaN ".repeat(1_000_000)}`;
    expect(readJson(`{"long": ${JSON.stringify(long)}, "n": Infinity}`)).toEqual({ long, n: null });
  });
});
