import { describe, expect, test } from "vitest";
import {
  formatCount,
  formatDollars,
  formatGrowth,
  formatInterval,
  formatMilliseconds,
  formatRunCost,
  formatScore,
  formatStep,
} from "./format.js";

describe("figures for people", () => {
  test("scores have the same number of digits, and a dash where there is none", () => {
    expect([0.8, 1, 0.8249, null].map((value) => formatScore(value))).toEqual(["0.80", "1.00", "0.82", "–"]);
  });

  test("a run with systems without a price has cost at least what the others have", () => {
    expect(formatRunCost({ costUsd: 3.13, unpricedSystems: 0 })).toBe("$3.13");
    expect(formatRunCost({ costUsd: 3.13, unpricedSystems: 1 })).toBe("≥ $3.13, 1 system without a price");
    expect(formatRunCost({ costUsd: null, unpricedSystems: 2 })).toBe("–");
  });

  test("an interval stands behind its value, and is left out when it is not known", () => {
    expect(formatInterval({ value: 0.82, low: 0.75, high: 0.88 })).toBe("0.82 [0.75, 0.88]");
    expect(formatInterval({ value: 0.82, low: null, high: 0.88 })).toBe("0.82");
    expect(formatInterval({ value: null, low: 0.75, high: 0.88 })).toBe("–");
    expect(formatInterval({ value: 2, low: 1, high: 3 }, formatDollars)).toBe("$2.00 [$1.00, $3.00]");
  });

  test("free is not a price with digits", () => {
    expect([0, 0.0012, null].map(formatDollars)).toEqual(["$0", "$0.0012", "–"]);
  });

  test("times and counts", () => {
    expect([950, 61_000, null].map(formatMilliseconds)).toEqual(["950 ms", "1 min 1 s", "–"]);
    expect([1234567, 0, null].map(formatCount)).toEqual(["1,234,567", "0", "–"]);
  });

  test("a step has the digits it takes to tell the two apart", () => {
    expect(formatStep(0.61, 0.74)).toBe("0.61 → 0.74");
    expect(formatStep(0.611, 0.614)).toBe("0.611 → 0.614");
    expect(formatStep(0.5, 0.5)).toBe("0.50");
  });

  test("growth is in percent of what was before", () => {
    expect([formatGrowth(2, 3), formatGrowth(4, 3), formatGrowth(0, 3)]).toEqual(["+50 %", "−25 %", "–"]);
  });
});
