import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InvalidUtf8Error, Utf8StreamDecoder } from "./utf8.js";

function pieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  const edges = [0, ...places, bytes.length];
  return edges.slice(1).map((end, at) => bytes.subarray(edges[at], end));
}

function decodeAll(parts: readonly Buffer[]): string {
  const decoder = new Utf8StreamDecoder();
  const text = parts.map((part) => decoder.decode(part)).join("");
  decoder.end();
  return text;
}

const CUTS = fc.array(fc.nat(200), { maxLength: 8 });

describe("Utf8StreamDecoder", () => {
  it("returns the text for any chunk boundaries", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), CUTS, (text, cuts) => {
        expect(decodeAll(pieces(Buffer.from(text), cuts))).toBe(text);
      }),
    );
  });

  it("accepts and rejects the same bytes as a fatal TextDecoder", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), CUTS, (array, cuts) => {
        const bytes = Buffer.from(array);
        const ours = outcome(() => decodeAll(pieces(bytes, cuts)));
        const theirs = outcome(() => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes));
        expect(ours).toEqual(theirs);
      }),
      { numRuns: 2000 },
    );
  });

  it("rejects an incomplete character at the end", () => {
    const decoder = new Utf8StreamDecoder();
    expect(decoder.decode(Buffer.from([0x61, 0xe2, 0x82]))).toBe("a");
    expect(() => decoder.end()).toThrow(InvalidUtf8Error);
  });
});

function outcome(decode: () => string): string | null {
  try {
    return decode();
  } catch {
    return null;
  }
}
