import { expect, test } from "vitest";
import { listBreakdowns, listSummaryColumns } from "./summary-columns.js";
import { formatKeyTitle, getKeyFormatter, parseSummaryMetrics } from "./summary-metrics.js";

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
  expect(listColumns({ latency_p95: 0, latency_p95_n: 0, pass_rate: 0, pass_rate_n: 3 }).map(({ key }) => key)).toEqual(
    ["pass_rate"],
  );
});

function listColumns(...summaries: Parameters<typeof parseSummaryMetrics>[0][]) {
  return listSummaryColumns(
    summaries.map((summary, place) => ({ system: String(place), metrics: parseSummaryMetrics(summary) })),
    "usd",
  );
}

test("groups columns, marks the best value, and leaves out what only repeats another column", () => {
  const columns = listColumns(
    { pass_rate: 0.5, mean_score: 0.5, pass_hat_1: 0.5, coverage: 1, cost_per_pass_usd: 0.02, pareto_rank: 2 },
    { pass_rate: 0.8, mean_score: 0.8, pass_hat_1: 0.8, coverage: 1, cost_per_pass_usd: 0.01, pareto_rank: 1 },
  );
  expect(columns.map(({ group, key, best }) => [group, key, best])).toEqual([
    ["Quality", "pass_rate", 0.8],
    ["Cost", "cost_per_pass_usd", 0.01],
    ["Cost", "pareto_rank", 1],
    ["Reliability", "coverage", null],
  ]);
  expect(columns.map(({ isFirst }) => isFirst)).toEqual([true, true, false, true]);
  expect(columns[2]?.format.unit).toBe("by $ per pass");
});

test("gives all costs one unit, and does not call the share of a single example the best", () => {
  const columns = listColumns(
    {
      mean_cost_usd: 0.039,
      p90_cost_per_success: 0.000048,
      pass_hat_3: 0.5,
      pass_hat_3_ci_low: 0.2,
      pass_hat_3_ci_high: 0.8,
    },
    {
      mean_cost_usd: 0.011,
      p90_cost_per_success: 0.022,
      pass_hat_3: 0.2,
      pass_hat_3_ci_low: 0.1,
      pass_hat_3_ci_high: 0.6,
    },
    { mean_cost_usd: 0.02, p90_cost_per_success: 0.0008, pass_hat_3: 1 },
  );
  const shown = columns.map(({ key, best, format: { unit, format } }) => [
    key,
    unit,
    best === null ? null : format(best),
  ]);
  expect(shown).toEqual([
    ["mean_cost_usd", "$ per 1,000", "11.000"],
    ["p90_cost_per_success", "$ per 1,000", "0.048"],
    ["pass_hat_3", "", "0.500"],
  ]);
});

test("shows the largest k, and tokens per pass where a price is missing", () => {
  const keys = listColumns(
    { pass_rate: 0.5, mean_score: 0.6, pass_hat_1: 0.5, pass_hat_3: 0.2, pass_at_3: 0.9, cost_of_pass: 12 },
    { pass_rate: 0.5, mean_score: 0.7, pass_hat_3: 0.1, pass_at_3: 0.8, cost_of_pass: 15, cost_per_pass_usd: 0.1 },
  ).map(({ key }) => key);
  expect(keys).toEqual(["mean_score", "pass_rate", "pass_at_3", "cost_per_pass_usd", "cost_of_pass", "pass_hat_3"]);
});

test("breaks scores down by dataset and by facet", () => {
  const metrics = parseSummaryMetrics({ "dataset:a": 1, "dataset:b": 0.5, "facet:topic=x": 1, "facet:topic=y": 0 });
  const found = listBreakdowns([{ system: "one", metrics }]).map(({ title, columns }) => [
    title,
    columns.map((c) => c.title),
  ]);
  expect(found).toEqual([
    ["dataset", ["a", "b"]],
    ["topic", ["x", "y"]],
  ]);
});

test("formats keys and their units", () => {
  expect(formatKeyTitle("pass_hat_3")).toBe("pass^3");
  expect(formatKeyTitle("pass_at_3")).toBe("pass@3");
  expect(formatKeyTitle("mean_cost_usd")).toBe("mean cost");
  expect(formatKeyTitle("pareto_rank")).toBe("pareto rank");
  expect(formatKeyTitle("pareto_rank", "usd")).toBe("Pareto rank (quality and dollars per pass)");
  expect(formatKeyTitle("pareto_rank", "tokens")).toBe("Pareto rank (quality and output tokens per pass)");
  expect(formatKeyTitle("dataset:my_set")).toBe("dataset:my_set");
  expect(getKeyFormatter("mean_cost_usd")(0.5)).toBe("$0.5000");
  expect(getKeyFormatter("median_time_to_success_ms")(1500)).toBe("1.50 s");
  expect(getKeyFormatter("num_pass")(12_345)).toBe("12,345");
  expect(getKeyFormatter("mean_score")(null)).toBe("–");
});
