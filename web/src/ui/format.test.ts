import { describe, expect, test } from "vitest";
import {
  formatCount,
  formatDay,
  formatDollars,
  formatGrowth,
  formatInterval,
  formatMilliseconds,
  formatMoment,
  formatRunCost,
  formatScore,
  formatStep,
  formatTime,
  getLocalDay,
  isWithinDays,
} from "./format.js";

describe("formatted figures", () => {
  test("scores have a fixed number of digits, and a dash stands for none", () => {
    expect([0.8, 1, 0.8249, null].map((value) => formatScore(value))).toEqual(["0.80", "1.00", "0.82", "–"]);
  });

  test("the cost of a run with unpriced systems is a lower bound", () => {
    expect(formatRunCost({ costUsd: 3.13, unpricedSystems: 0 })).toBe("$3.13");
    expect(formatRunCost({ costUsd: 3.13, unpricedSystems: 1 })).toBe("≥ $3.13, 1 system without a price");
    expect(formatRunCost({ costUsd: null, unpricedSystems: 2 })).toBe("–");
  });

  test("an interval follows its value, and is left out when it is not known", () => {
    expect(formatInterval({ value: 0.82, low: 0.75, high: 0.88 })).toBe("0.82 [0.75, 0.88]");
    expect(formatInterval({ value: 0.82, low: null, high: 0.88 })).toBe("0.82");
    expect(formatInterval({ value: null, low: 0.75, high: 0.88 })).toBe("–");
    expect(formatInterval({ value: 2, low: 1, high: 3 }, formatDollars)).toBe("$2.00 [$1.00, $3.00]");
  });

  test("a cost of zero has no decimals", () => {
    expect([0, 0.0012, null].map(formatDollars)).toEqual(["$0", "$0.0012", "–"]);
  });

  test("formats times and counts", () => {
    expect([950, 61_000, null].map(formatMilliseconds)).toEqual(["950 ms", "1 min 1 s", "–"]);
    expect([1234567, 0, null].map(formatCount)).toEqual(["1,234,567", "0", "–"]);
  });

  test("a step has as many digits as needed to show a difference", () => {
    expect(formatStep(0.61, 0.74)).toBe("0.61 → 0.74");
    expect(formatStep(0.611, 0.614)).toBe("0.611 → 0.614");
    expect(formatStep(0.5, 0.5)).toBe("0.50");
  });

  test("growth is in percent of the previous value", () => {
    expect([formatGrowth(2, 3), formatGrowth(4, 3), formatGrowth(0, 3)]).toEqual(["+50 %", "−25 %", "–"]);
  });
});

const AT = "2026-11-14T16:05:09.000Z";

describe("formatted dates", () => {
  test("are the same in every locale", () => {
    expect(formatMoment(AT, "UTC")).toBe("14 Nov 2026, 16:05");
    expect(formatDay(AT, "UTC")).toBe("14 Nov 2026");
    expect(formatTime("2026-11-14T00:05:00Z", "UTC")).toBe("00:05");
  });

  test("are the input when it is not a date", () => {
    expect(formatMoment("yesterday")).toBe("yesterday");
    expect(getLocalDay("yesterday")).toBe("");
  });

  test("a range of days includes the first and the last", () => {
    const day = getLocalDay(AT);
    expect(day).toMatch(/^2026-11-1[45]$/);
    expect(isWithinDays(AT, { from: day, to: day })).toBe(true);
    expect(isWithinDays(AT, {})).toBe(true);
    expect(isWithinDays(AT, { from: "2026-11-16" })).toBe(false);
    expect(isWithinDays(AT, { to: "2026-11-12" })).toBe(false);
  });
});
