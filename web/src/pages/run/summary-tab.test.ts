import { expect, test } from "vitest";
import { formatKeyTitle, getKeyFormatter, listSummaryKeys, parseSummaryMetrics } from "./summary-tab.js";

const SUMMARY = {
  num_pass: 3,
  cost_of_pass: null,
  cost_of_pass_reason: "no passes",
  cost_of_pass_ci_low: null,
  cost_of_pass_ci_low_reason: "no passes",
  mean_score: 0.5,
  mean_score_ci_low: 0.4,
  mean_score_ci_high: 0.6,
  mean_score_n: 10,
  odd_n: 2,
  pass_hat_2: 0.25,
  efficiency: { speed_efficiency_score: 0.3, median_time_to_success_ms: null },
};

test("attaches intervals, counts and reasons to their figure", () => {
  const metrics = parseSummaryMetrics(SUMMARY);
  expect([...metrics.keys()]).toEqual([
    "num_pass",
    "cost_of_pass",
    "mean_score",
    "odd_n",
    "pass_hat_2",
    "speed_efficiency_score",
    "median_time_to_success_ms",
  ]);
  expect(metrics.get("mean_score")).toMatchObject({ value: 0.5, low: 0.4, high: 0.6, n: 10, reason: null });
  expect(metrics.get("cost_of_pass")).toMatchObject({ value: null, reason: "no passes" });
});

test("a figure over no tasks was not measured", () => {
  const metrics = parseSummaryMetrics({ latency_p95: 0, latency_p95_n: 0, pass_rate: 0, pass_rate_n: 3 });
  expect(metrics.get("latency_p95")).toMatchObject({ value: null, n: 0 });
  expect(listSummaryKeys([metrics], false)).toEqual(["pass_rate"]);
});

test("lists important figures first, and unmeasured ones only with all figures", () => {
  const systems = [parseSummaryMetrics(SUMMARY), parseSummaryMetrics({ mean_score: 1, pass_rate: 1 })];
  expect(listSummaryKeys(systems, false)).toEqual(["mean_score", "pass_rate", "pass_hat_2", "speed_efficiency_score"]);
  const all = listSummaryKeys(systems, true);
  expect(all.slice(0, 2)).toEqual(["mean_score", "pass_rate"]);
  expect(all.toSorted()).toEqual([...new Set([...parseSummaryMetrics(SUMMARY).keys(), "pass_rate"])].toSorted());
});

test("formats keys and their units", () => {
  expect(formatKeyTitle("pass_hat_3")).toBe("pass^3");
  expect(formatKeyTitle("pass_at_3")).toBe("pass@3");
  expect(formatKeyTitle("mean_cost_usd")).toBe("mean cost");
  expect(formatKeyTitle("pareto_rank")).toBe("pareto rank");
  expect(formatKeyTitle("pareto_rank", "usd")).toBe("pareto rank (quality, dollars of a pass)");
  expect(formatKeyTitle("pareto_rank", "tokens")).toBe("pareto rank (quality, output tokens of a pass)");
  expect(formatKeyTitle("dataset:my_set")).toBe("dataset:my_set");
  expect(getKeyFormatter("mean_cost_usd")(0.5)).toBe("$0.5000");
  expect(getKeyFormatter("median_time_to_success_ms")(1500)).toBe("1.50 s");
  expect(getKeyFormatter("num_pass")(12_345)).toBe("12,345");
  expect(getKeyFormatter("mean_score")(null)).toBe("–");
});
