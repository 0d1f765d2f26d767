import { expect, test } from "vitest";
import { formatCountTick, formatDollarTick, formatSecondsTick, formatShareTick } from "./ticks.js";

test("dollars at an axis", () => {
  expect([1e-9, 2e-7, 0.001, 0.5, 20, 1e6].map(formatDollarTick)).toEqual([
    "$10⁻⁹",
    "$2·10⁻⁷",
    "$0.001",
    "$0.5",
    "$20",
    "$10⁶",
  ]);
});

test("seconds at an axis", () => {
  expect([0, 0.001, 0.25, 1, 100, 600, 7200].map(formatSecondsTick)).toEqual([
    "0 s",
    "1 ms",
    "250 ms",
    "1 s",
    "100 s",
    "10 min",
    "2 h",
  ]);
});

test("shares and counts at an axis", () => {
  expect([0, 0.25, 1].map(formatShareTick)).toEqual(["0 %", "25 %", "100 %"]);
  expect([0, 1500, 25_000, 2_500_000].map(formatCountTick)).toEqual(["0", "1500", "25 k", "2.5 M"]);
});
