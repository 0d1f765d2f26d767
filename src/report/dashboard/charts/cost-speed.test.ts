import { describe, expect, it } from "vitest";
import { createChartSystem } from "./chart-system.fixture.js";
import { buildCostSpeedChart } from "./run-charts.js";
import { selectCostSpeed } from "./select.js";

const timed = (name: string, cost: number, seconds: number) =>
  createChartSystem(name, {
    summary: { cost_per_pass_usd: cost, seconds_per_pass: seconds, pass_rate: 0.5, num_pass: 2 },
  });

describe("buildCostSpeedChart", () => {
  it("puts systems on the front that no other beats in both cost and time", () => {
    const chart = buildCostSpeedChart([timed("slow", 1, 9), timed("fast", 4, 1.5), timed("neither", 5, 2)]);
    expect(chart.front).toEqual(["slow", "fast"]);
    expect(chart.points[2]).toEqual({
      system: "neither",
      harness: null,
      costPerPass: 5,
      secondsPerPass: 2,
      passRate: 0.5,
      dominatedBy: ["fast"],
      leftOut: null,
    });
  });

  it("explains why a system is missing", () => {
    const reasons = { cost_per_pass_usd: "trials with unknown cost: 3" };
    const chart = buildCostSpeedChart([
      createChartSystem("failing", { summary: { cost_per_pass_usd: Number.POSITIVE_INFINITY, num_pass: 0 } }),
      createChartSystem("unpriced", { summary: { seconds_per_pass: 5, num_pass: 1 }, reasons }),
      createChartSystem("untimed", { summary: { cost_per_pass_usd: 1, num_pass: 1 } }),
      createChartSystem("blank"),
    ]);
    expect(chart.front).toEqual([]);
    expect(chart.points.map(({ leftOut }) => leftOut)).toEqual([
      "nothing passed",
      "the cost per pass is unknown: trials with unknown cost: 3",
      "the time per pass is unknown: not measured",
      "the cost per pass is unknown: not measured",
    ]);
  });

  it("uses output tokens where no system has a price", () => {
    const bare = (name: string, tokens: number) =>
      createChartSystem(name, { summary: { cost_of_pass: tokens, seconds_per_pass: 2, num_pass: 1 } });
    const chart = buildCostSpeedChart([bare("short", 10), bare("long", 90)]);
    expect(chart).toMatchObject({ costUnit: "tokens", front: ["short"] });
    expect(chart.points[1]).toMatchObject({ costPerPass: 90, dominatedBy: ["short"], leftOut: null });
  });

  it("finds the front among selected systems", () => {
    const chart = buildCostSpeedChart([timed("slow", 1, 9), timed("fast", 4, 1.5), timed("neither", 5, 2)]);
    const selected = selectCostSpeed(chart, (name) => name !== "fast");
    expect(selected.front).toEqual(["slow", "neither"]);
    expect(selected.points.map(({ dominatedBy }) => dominatedBy)).toEqual([[], []]);
  });
});
