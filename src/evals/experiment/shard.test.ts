import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { inShard, parseShard } from "./merge-shards.js";

describe("--shard", () => {
  test("is read", () => {
    expect(parseShard("1/4")).toEqual({ index: 1, of: 4 });
    expect(parseShard("4/4")).toEqual({ index: 4, of: 4 });
  });

  test.each(["0/4", "5/4", "1", "1/0", "a/b", "1/4/2", "-1/4", ""])("%j is none", (text) => {
    expect(() => parseShard(text)).toThrow("--shard must look like 1/4");
  });
});

describe("shards", () => {
  const stimuli = fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 60 });

  test("are disjoint, together the whole, and as large as each other to within one", () => {
    fc.assert(
      fc.property(stimuli, fc.nat(), (names, seed) => {
        const of = 1 + (seed % names.length);
        const parts = Array.from({ length: of }, (_, i) => inShard(names, { index: i + 1, of }));
        expect(parts.flatMap((part) => [...part]).sort()).toEqual([...names].sort());
        const sizes = parts.map((part) => part.size);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
    );
  });

  test("do not depend on the order of stimuli", () => {
    const names = ["a", "b", "c", "d", "e"];
    expect(inShard(names, { index: 2, of: 2 })).toEqual(inShard(names.toReversed(), { index: 2, of: 2 }));
  });

  test("that would be empty are refused", () => {
    expect(() => inShard(["a", "b"], { index: 1, of: 3 })).toThrow("There are 2 stimuli, too few for 3 shards");
    expect(() => inShard(["a"], { index: 1, of: 2 })).toThrow("There is 1 stimulus, too few for 2 shards");
  });
});
