import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readFacets } from "./dataset.js";

describe("readFacets", () => {
  it("reads strings, numbers and booleans of the named fields", () => {
    const example = { id: 1, question: "?", subject: "anatomy", depth: 0, isHard: false, other: 1 };
    expect(readFacets(example, ["isHard", "subject", "depth"])).toEqual({
      isHard: false,
      subject: "anatomy",
      depth: 0,
    });
  });

  it("skips missing fields and values that cannot be shared", () => {
    const example = { id: 1, question: "?", a: null, b: "  ", c: Number.NaN, d: ["x"], e: {}, f: "kept" };
    expect(readFacets(example, ["a", "b", "c", "d", "e", "f", "g", "constructor"])).toEqual({ f: "kept" });
  });

  it("returns null if nothing is left", () => {
    expect(readFacets({ id: 1, question: "?" }, ["subject"])).toBeNull();
    expect(readFacets({ id: 1, question: "?" }, [])).toBeNull();
  });

  it("survives a JSON round trip for any example", () => {
    const anything = fc.dictionary(fc.string(), fc.anything());
    fc.assert(
      fc.property(anything, (fields) => {
        const facets = readFacets({ ...fields, id: 1 }, Object.keys(fields));
        // JSON does not distinguish -0 from 0.
        expect(JSON.stringify(JSON.parse(JSON.stringify(facets)))).toBe(JSON.stringify(facets));
        for (const value of Object.values(facets ?? {}))
          expect(["string", "number", "boolean"]).toContain(typeof value);
      }),
    );
  });
});
