import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseShard, selectShardStimuli } from "./record.js";

describe("--shard", () => {
  test("is parsed", () => {
    expect(parseShard("1/4")).toEqual({ index: 1, of: 4 });
    expect(parseShard("4/4")).toEqual({ index: 4, of: 4 });
  });

  test.each(["0/4", "5/4", "1", "1/0", "a/b", "1/4/2", "-1/4", ""])("rejects %j", (text) => {
    expect(() => parseShard(text)).toThrow("--shard expects a value like 1/4");
  });
});

describe("selectShardStimuli", () => {
  const stimuli = fc.uniqueArray(fc.string(), { minLength: 1, maxLength: 60 });

  test("returns disjoint shards that cover everything and differ in size by at most one", () => {
    fc.assert(
      fc.property(stimuli, fc.nat(), (names, seed) => {
        const of = 1 + (seed % names.length);
        const parts = Array.from({ length: of }, (_, i) => selectShardStimuli(names, { index: i + 1, of }));
        expect(parts.flatMap((part) => [...part]).sort()).toEqual([...names].sort());
        const sizes = parts.map((part) => part.size);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
    );
  });

  test("does not depend on the order of test cases", () => {
    const names = ["a", "b", "c", "d", "e"];
    expect(selectShardStimuli(names, { index: 2, of: 2 })).toEqual(
      selectShardStimuli(names.toReversed(), { index: 2, of: 2 }),
    );
  });

  test("rejects empty shards", () => {
    expect(() => selectShardStimuli(["a", "b"], { index: 1, of: 3 })).toThrow("3 shards are too many for 2 test cases");
    expect(() => selectShardStimuli(["a"], { index: 1, of: 2 })).toThrow("2 shards are too many for 1 test case");
  });
});
