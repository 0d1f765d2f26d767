import { describe, expect, it } from "vitest";
import { createChartSystem } from "./chart-system.fixture.js";
import { buildQualityCostChart } from "./quality-cost.js";

const CONFIG = { scoreField: "score", seed: 1 };

const measured = (name: string, { cost, scores, group }: { cost: number | null; scores: number[]; group?: string }) => {
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  return createChartSystem(name, {
    rows: scores.map((score) => ({ scores: { score }, costUsd: cost, group: group ?? null })),
    summary: {
      mean_score: mean,
      mean_score_ci_low: mean - 0.1,
      mean_score_ci_high: mean + 0.1,
      mean_score_n: scores.length,
      mean_cost_usd: cost,
    },
  });
};

interface Written {
  tokens: number;
  scores: number[];
  cost?: number | null;
}

describe("buildQualityCostChart", () => {
  it("has the front, the hull, and the dominating systems", () => {
    const chart = buildQualityCostChart(
      [
        measured("expensive", { cost: 4, scores: [1, 1, 1, 0.8] }),
        measured("free", { cost: 0, scores: [0, 0, 0, 0.4] }),
        measured("bad", { cost: 5, scores: [0, 0, 0, 0] }),
        measured("unpriced", { cost: null, scores: [1, 1, 1, 1] }),
      ],
      CONFIG,
    );
    expect(chart.front).toEqual(["free", "expensive"]);
    expect(chart.hull).toEqual(["free", "expensive"]);
    expect(chart.points.map(({ dominatedBy }) => dominatedBy)).toEqual([[], [], ["expensive", "free"], []]);
    expect(chart.points[0]).toMatchObject({ system: "expensive", cost: 4, n: 4 });
    expect(chart.points[0]?.quality).toBeCloseTo(0.95);
    expect(chart.points[3]).toMatchObject({ cost: null, quality: 1, membership: null });
  });

  it("uses output tokens when no cost is known, and dollars as soon as one is", () => {
    const written = (name: string, { tokens, scores, cost = null }: Written) =>
      createChartSystem(name, {
        rows: scores.map((score) => ({ scores: { score }, outputTokens: tokens, costUsd: cost })),
        summary: { mean_score: scores[0] ?? 0, mean_output_tokens: tokens, mean_cost_usd: cost },
      });
    const short = written("short", { tokens: 10, scores: [0.5, 0.5] });
    const long = written("long", { tokens: 900, scores: [0.4, 0.4] });
    const chart = buildQualityCostChart([short, long], CONFIG);
    expect(chart).toMatchObject({ costUnit: "tokens", front: ["short"], hull: ["short"] });
    expect(chart.points.map(({ cost, dominatedBy, membership }) => [cost, dominatedBy, membership])).toEqual([
      [10, [], 1],
      [900, ["short"], 0],
    ]);
    const priced = buildQualityCostChart([short, written("paid", { tokens: 1, scores: [1], cost: 2 })], CONFIG);
    expect(priced).toMatchObject({ costUnit: "usd", front: ["paid"] });
    expect(priced.points.map(({ cost }) => cost)).toEqual([null, 2]);
  });

  it("clamps intervals to the range of scores", () => {
    const { points } = buildQualityCostChart([measured("a", { cost: 1, scores: [1, 1] })], CONFIG);
    expect(points[0]).toMatchObject({ quality: 1, low: 0.9, high: 1 });
  });

  it("shows nothing for a system without data", () => {
    expect(buildQualityCostChart([createChartSystem("a")], CONFIG)).toEqual({
      costUnit: "usd",
      points: [
        {
          system: "a",
          harness: null,
          cost: null,
          quality: null,
          low: null,
          high: null,
          n: 0,
          dominatedBy: [],
          membership: null,
        },
      ],
      front: [],
      hull: [],
    });
  });
});

describe("front membership", () => {
  const share = (systems: Parameters<typeof buildQualityCostChart>[0]) =>
    buildQualityCostChart(systems, CONFIG).points.map(({ membership }) => membership);

  it("is certain for the cheapest system and for one that is better on every task", () => {
    const systems = [
      measured("best", { cost: 1, scores: [1, 0.9, 1, 0.8] }),
      measured("cheap", { cost: 0.5, scores: [0, 0.1, 0.2, 0] }),
      measured("never", { cost: 2, scores: [0.5, 0.5, 0.5, 0.5] }),
    ];
    expect(share(systems)).toEqual([1, 1, 0]);
  });

  it("is the probability that the more expensive system wins the resampled tasks", () => {
    // The more expensive one is better on one task of two and worse on the other: it is ahead in a quarter of all draws.
    const systems = [
      measured("cheap", { cost: 1, scores: [0, 1] }),
      measured("expensive", { cost: 2, scores: [1, 0] }),
    ];
    const [cheap, expensive] = share(systems);
    expect(cheap).toBe(1);
    expect(expensive).toBeGreaterThan(0.18);
    expect(expensive).toBeLessThan(0.32);
    expect(share(systems)).toEqual([cheap, expensive]);
  });

  it("resamples whole groups, and is null with a single task or group", () => {
    expect(share([measured("a", { cost: 1, scores: [1] })])).toEqual([null]);
    expect(share([measured("a", { cost: 1, scores: [1, 0, 1], group: "one passage" })])).toEqual([null]);
  });

  it("changes little when very many tasks are merged into fewer", () => {
    const scores = (n: number, odds: number) => Array.from({ length: n }, (_, i) => Number((i * 7919) % 1000 < odds));
    const systems = (n: number) => [
      measured("cheap", { cost: 1, scores: scores(n, 500) }),
      measured("expensive", { cost: 2, scores: scores(n, 500).toReversed() }),
    ];
    const [, expensive] = share(systems(20_000));
    expect(expensive).toBeGreaterThan(0.2);
    expect(expensive).toBeLessThan(0.8);
  });
});
