import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { collectThresholds } from "./flag-values.js";

describe("collectThresholds", () => {
  it.each([
    ["pass_rate=0.5", { pass_rate: 0.5 }],
    ["pass_rate=0.5, mean_score = 0.7", { pass_rate: 0.5, mean_score: 0.7 }],
    ["facet:subject=anatomy=0.5", { "facet:subject=anatomy": 0.5 }],
    ["facet:mmlu:subject=anatomy=0.5,pass_rate=1", { "facet:mmlu:subject=anatomy": 0.5, pass_rate: 1 }],
    ["facet:country=Korea, South=0.5", { "facet:country=Korea, South": 0.5 }],
    ["facet:rule=a=b=0.5", { "facet:rule=a=b": 0.5 }],
    ["cell:depth=0.5,length=1000=0.7", { "cell:depth=0.5,length=1000": 0.7 }],
    [
      "pass_rate=1,cell:needle:depth=0.5,length=1000=0.7,coverage=1",
      {
        pass_rate: 1,
        "cell:needle:depth=0.5,length=1000": 0.7,
        coverage: 1,
      },
    ],
    ["dataset:a=b=0.5", { "dataset:a=b": 0.5 }],
  ])("reads %s", (text, expected) => {
    expect(collectThresholds(text)).toEqual(expected);
  });

  it.each(["", "pass_rate", "=1", "pass_rate=", "pass_rate=high", "facet:subject=anatomy", "a=1,,b=2"])(
    "rejects %s",
    (text) => {
      expect(() => collectThresholds(text)).toThrow(/It must/);
    },
  );

  it("combines several flags, the last one of a name wins", () => {
    expect(collectThresholds("a=3", collectThresholds("a=1,b=2"))).toEqual({ a: 3, b: 2 });
  });

  it("round-trips any list of metrics and facets", () => {
    const name = fc.stringMatching(/^[a-z_]{1,8}$/);
    const value = fc.stringMatching(/^[a-z]{1,5}(, [a-z]{1,5})?$/);
    const key = fc.oneof(
      name,
      fc.tuple(name, value).map(([field, text]) => `facet:${field}=${text}`),
      fc.tuple(fc.nat(), fc.nat()).map(([depth, length]) => `cell:depth=${depth},length=${length}`),
    );
    fc.assert(
      fc.property(fc.dictionary(key, fc.nat(), { minKeys: 1, maxKeys: 5 }), (gates) => {
        const text = Object.entries(gates).map(([metric, least]) => `${metric}=${least}`);
        expect(collectThresholds(text.join(","))).toEqual({ ...gates });
      }),
    );
  });
});
