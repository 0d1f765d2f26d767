import { describe, expect, it } from "vitest";
import { makeRow } from "../../core/row.js";
import { standardMetrics, summarize } from "../../metrics/index.js";
import { makeConfig } from "../../testing/make-run.js";
import { buildRecommendation } from "../recommendation.js";
import { buildRunPicks } from "./picks.js";

interface Profile {
  /** The first of 40 examples that it fails. */
  right: number;
  cost: number;
  seconds: number;
  errors?: number;
}

function pick(profiles: Readonly<Record<string, Profile>>, trials = 1) {
  const rows = Object.entries(profiles).flatMap(([system, { right, cost, seconds, errors = 0 }]) =>
    Array.from({ length: 40 * trials }, (_, place) => {
      const example = place % 40;
      const isPass = example < right;
      if (place < errors) return makeRow({ system, exampleId: example, outcome: "error", errorCategory: "api_error" });
      return makeRow({
        system,
        exampleId: example,
        trial: Math.floor(place / 40),
        outcome: isPass ? "pass" : "fail",
        passed: isPass,
        scores: { score: Number(isPass) },
        primaryField: "score",
        costUsd: cost,
        costSource: "priced",
        latency: seconds,
        outputTokens: 10,
      });
    }),
  );
  const config = makeConfig({ systems: Object.keys(profiles), trials });
  const { summary } = summarize(rows, standardMetrics(config.systems.length, trials), {
    scoreField: "score",
    threshold: 0.7,
    seed: 0,
  });
  const run = { rows, summary, config, runDir: null };
  return buildRunPicks({ summary, config, recommendation: buildRecommendation(run) });
}

describe("buildRunPicks", () => {
  const PROFILES = {
    large: { right: 39, cost: 0.1, seconds: 9 },
    swift: { right: 38, cost: 0.01, seconds: 2 },
    tiny: { right: 10, cost: 0.001, seconds: 0.5 },
  };

  it("names a system for quality, cost, speed and reliability, with the figure and a reason", () => {
    const { withheld, picks } = pick(PROFILES);
    expect(withheld).toBeNull();
    expect(picks.map(({ role, system, label, unit }) => [role, system, label, unit])).toEqual([
      ["quality", "large", "pass rate", "score"],
      ["cost", "swift", "per pass", "usd"],
      ["speed", "tiny", "median latency", "seconds"],
      ["reliability", "large", "coverage", "share"],
    ]);
    const [quality, cost, speed] = picks;
    expect(quality?.value).toBe(0.975);
    expect(quality?.reason).toMatch(/^Highest pass rate of 3 systems; swift is not significantly worse \(p = /);
    expect(cost?.reason).toMatch(/^Cheapest that is not significantly worse than large; large costs \$0\.10/);
    expect(speed?.reason).toBe("Lowest median latency, but a significantly lower pass rate; large takes 9.00 s.");
    for (const { value, low, high } of picks)
      if (low !== null && high !== null) {
        expect(low).toBeLessThanOrEqual(value);
        expect(high).toBeGreaterThanOrEqual(value);
      }
  });

  it("uses pass^k where examples had several trials", () => {
    const reliable = pick(PROFILES, 3).picks.find(({ role }) => role === "reliability");
    expect(reliable).toMatchObject({ system: "large", label: "pass^3" });
    expect(reliable?.reason).toBe("Most likely to pass all 3 trials of an example; no trial ended with an error.");
  });

  it("picks nothing when too few trials were scored, and says so", () => {
    const { withheld, picks } = pick({ ...PROFILES, tiny: { ...PROFILES.tiny, errors: 20 } });
    expect(withheld).toMatch(/95 %/);
    expect(picks).toEqual([]);
  });

  it("shows the figures of a single system without ranking it", () => {
    const { picks } = pick({ large: PROFILES.large });
    expect(picks.map(({ role }) => role)).toEqual(["quality", "cost", "speed", "reliability"]);
    expect(picks[0]?.reason).toBe("Nothing to compare it with in this run.");
  });

  it("gives no figures of a single system of which too few trials were scored", () => {
    expect(pick({ only: { right: 40, cost: 0.1, seconds: 1, errors: 30 } })).toEqual({
      withheld: "fewer than 95 % of the trials of only were scored",
      picks: [],
      notes: [],
    });
    expect(pick({ only: { right: 40, cost: 0.1, seconds: 1 } }).picks).not.toEqual([]);
  });
});
