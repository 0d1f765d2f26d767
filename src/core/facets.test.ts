import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { facetsOf } from "./facets.js";

describe("facetsOf", () => {
  it("takes text, numbers and truth values of the fields that are named", () => {
    const example = { id: 1, question: "?", subject: "anatomy", depth: 0, isHard: false, other: 1 };
    expect(facetsOf(example, ["isHard", "subject", "depth"])).toEqual({ isHard: false, subject: "anatomy", depth: 0 });
  });

  it("leaves out what an example lacks or cannot share with another", () => {
    const example = { id: 1, question: "?", a: null, b: "  ", c: Number.NaN, d: ["x"], e: {}, f: "kept" };
    expect(facetsOf(example, ["a", "b", "c", "d", "e", "f", "g", "constructor"])).toEqual({ f: "kept" });
  });

  it("is null when nothing is left", () => {
    expect(facetsOf({ id: 1, question: "?" }, ["subject"])).toBeNull();
    expect(facetsOf({ id: 1, question: "?" }, [])).toBeNull();
  });

  it("is the same after a way through JSON, whatever the examples hold", () => {
    const anything = fc.dictionary(fc.string(), fc.anything());
    fc.assert(
      fc.property(anything, (fields) => {
        const facets = facetsOf({ ...fields, id: 1 }, Object.keys(fields));
        // -0 and 0 are one value to JSON, and to whoever reads it.
        expect(JSON.stringify(JSON.parse(JSON.stringify(facets)))).toBe(JSON.stringify(facets));
        for (const value of Object.values(facets ?? {}))
          expect(["string", "number", "boolean"]).toContain(typeof value);
      }),
    );
  });
});
