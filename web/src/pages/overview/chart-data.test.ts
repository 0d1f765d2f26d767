import { describe, expect, test } from "vitest";
import { createRunCard, createSystemCard } from "../../../../src/report/dashboard/card-testing.js";
import type { CardFigure, SystemCard } from "../../../../src/report/dashboard/contract.js";
import type { LeaderboardEntry } from "../run-groups.js";
import { buildCostSpeedChart, buildQualityCostChart, buildRadarChart } from "./chart-data.js";

function line(
  name: string,
  figures: Partial<Record<CardFigure, number>>,
  other: Partial<SystemCard> = {},
): LeaderboardEntry {
  const card = createSystemCard(name, figures, other);
  return { key: name, name, run: createRunCard(name), card, previous: null, rank: null, doubt: null, passedOver: null };
}

describe("the charts of a leaderboard", () => {
  test("plot quality against mean cost, with the dominating systems", () => {
    const chart = buildQualityCostChart([
      line("free", {
        mean_cost_usd: 0,
        mean_score: 0.4,
        mean_score_ci_low: 0.3,
        mean_score_ci_high: 0.5,
        mean_score_n: 9,
      }),
      line("dear", { mean_cost_usd: 2, mean_score: 0.9 }),
      line("beaten", { mean_cost_usd: 3, mean_score: 0.9 }),
      line("unknown", { mean_score: 1 }),
    ]);
    expect(chart.front).toEqual(["free", "dear"]);
    expect(chart.points.map(({ dominatedBy }) => dominatedBy)).toEqual([[], [], ["dear"], []]);
    expect(chart.points[0]).toMatchObject({ cost: 0, low: 0.3, high: 0.5, n: 9, membership: null });
    expect(chart.points[3]?.cost).toBeNull();
    expect(chart.costUnit).toBe("usd");
  });

  test("plot quality against output tokens where no cost is known", () => {
    const chart = buildQualityCostChart([
      line("long", { mean_output_tokens: 900, mean_score: 0.9 }),
      line("short", { mean_output_tokens: 10, mean_score: 0.4 }),
      line("beaten", { mean_output_tokens: 950, mean_score: 0.9 }),
    ]);
    expect(chart).toMatchObject({ costUnit: "tokens", front: ["short", "long"], hull: ["short", "long"] });
    expect(chart.points.map(({ cost, dominatedBy }) => [cost, dominatedBy])).toEqual([
      [900, []],
      [10, []],
      [950, ["long"]],
    ]);
    expect(buildQualityCostChart([line("none", { mean_score: 1 })]).costUnit).toBe("usd");
  });

  test("leave out systems without a cost or a time, with the reason", () => {
    const both = { cost_per_pass_usd: 1, seconds_per_pass: 2, pass_rate: 0.5 };
    const chart = buildCostSpeedChart([
      line("shown", both),
      line("slower", { ...both, seconds_per_pass: 3 }),
      line("no pass", both, { outcomes: { pass: 0, fail: 3, error: 0, unscored: 0, skipped: 0 } }),
      line("no cost", { seconds_per_pass: 1 }),
      line("no time", { cost_per_pass_usd: 1 }),
    ]);
    expect(chart.front).toEqual(["shown"]);
    expect(chart.points.map(({ secondsPerPass, dominatedBy }) => [secondsPerPass, dominatedBy])[1]).toEqual([
      3,
      ["shown"],
    ]);
    expect(chart.points.map(({ leftOut }) => leftOut)).toEqual([
      null,
      null,
      "nothing passed",
      "the cost is unknown",
      "the time was not measured",
    ]);
  });

  test("clip the radar at five times the median", () => {
    const times = (seconds: number[]) =>
      buildRadarChart(seconds.map((value, place) => line(`s${place}`, { median_time_to_success_ms: value * 1000 })));
    expect(times([10, 10, 20, 200])).toMatchObject({ limitSeconds: 75 });
    expect(times([10, 10, 20, 200]).spokes.map(({ isClipped }) => isClipped)).toEqual([false, false, false, true]);
    expect(times([1, 2, 29])).toMatchObject({ limitSeconds: 10, spokes: [{}, {}, { isClipped: true }] });
    expect(buildRadarChart([line("none", {})])).toEqual({
      limitSeconds: null,
      spokes: [{ system: "none", seconds: null, isClipped: false }],
    });
  });
});
