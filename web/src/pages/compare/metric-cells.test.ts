import { expect, test } from "vitest";
import {
  formatChangeInterval,
  formatMetricChange,
  formatMetricTitle,
  formatMetricValue,
  formatPCell,
} from "./metric-cells.js";

const passRate = { metric: "pass_rate", kind: "quality" } as const;
const cost = { metric: "mean_cost_usd", kind: "economy" } as const;

test("gives the scores of a column the same number of digits", () => {
  expect([0.9, 1, 0, 0.897].map((value) => formatMetricValue(passRate, value))).toEqual([
    "0.900",
    "1.000",
    "0.000",
    "0.897",
  ]);
  expect([0.15, -0.05, 0].map((value) => formatMetricChange(passRate, value))).toEqual(["+0.150", "−0.050", "0.000"]);
  expect(formatChangeInterval({ ...passRate, low: -0.1, high: 0.05 })).toBe("[−0.100, +0.050]");
  expect(formatChangeInterval({ ...passRate, low: null, high: null })).toBe("–");
});

test("does not write a tiny difference as zero, nor pad costs and large figures", () => {
  expect(formatMetricChange(passRate, -0.00048)).toBe("−0.00048");
  expect(formatMetricChange(passRate, 1234.5)).toBe("+1235");
  expect(formatMetricChange(cost, -0.0166)).toBe("−$0.0166");
  expect(formatMetricValue(cost, null)).toBe("–");
});

test("gives the p-values of a column the same number of digits", () => {
  expect([1, 0.5, 0.0078125, 0.001, 0.0009, null].map(formatPCell)).toEqual([
    "1.000",
    "0.500",
    "0.008",
    "0.001",
    "<0.001",
    "–",
  ]);
});

test("names the usual metrics in words, and score fields by their own name", () => {
  expect(formatMetricTitle(passRate)).toBe("pass rate");
  expect(formatMetricTitle({ metric: "field:f1", kind: "quality" })).toBe("f1");
});
