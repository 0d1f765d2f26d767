import { expect, test } from "vitest";
import { createRunCard, createSystemCard } from "../../../../src/report/dashboard/card-testing.js";
import type { CardFigure } from "../../../../src/report/dashboard/contract.js";
import { buildLeaderboardEntries, groupRuns } from "../run-groups.js";
import { pickFromCards } from "./card-picks.js";

function pick(systems: Readonly<Record<string, Partial<Record<CardFigure, number>>>>) {
  // Each system in a run of its own.
  const runs = Object.entries(systems).map(([name, figures]) =>
    createRunCard(name, { systems: [createSystemCard(name, { coverage: 1, error_rate: 0, ...figures })] }),
  );
  return pickFromCards(groupRuns(runs).flatMap((group) => buildLeaderboardEntries(group, () => true)));
}

const LARGE = {
  mean_score: 0.95,
  mean_score_ci_low: 0.9,
  mean_score_ci_high: 0.98,
  cost_per_pass_usd: 0.1,
  latency_median: 9,
};
const SWIFT = {
  mean_score: 0.9,
  mean_score_ci_low: 0.85,
  mean_score_ci_high: 0.94,
  cost_per_pass_usd: 0.01,
  latency_median: 2,
};
const TINY = {
  mean_score: 0.5,
  mean_score_ci_low: 0.4,
  mean_score_ci_high: 0.6,
  cost_per_pass_usd: 0.001,
  latency_median: 1,
};

test("picks by intervals from lines of several runs, and says so", () => {
  const { withheld, picks } = pick({ large: LARGE, swift: SWIFT, tiny: TINY });
  expect(withheld).toBeNull();
  expect(picks.map(({ role, system }) => [role, system])).toEqual([
    ["quality", "large"],
    ["cost", "swift"],
    ["speed", "tiny"],
    ["reliability", "large"],
  ]);
  expect(picks[1]?.reason).toBe("Cheapest whose interval overlaps that of large ($0.1000).");
});

test("leaves out systems with too few scored trials", () => {
  const { picks, notes } = pick({ large: { ...LARGE, coverage: 0.3 }, swift: SWIFT });
  expect(picks[0]?.system).toBe("swift");
  expect(notes).toEqual(["1 with too few scored trials is left out"]);
  expect(pick({ large: { ...LARGE, coverage: 0.3 } }).withheld).toMatch(/too few/);
});

test("compares output tokens where no price is known", () => {
  const { cost_per_pass_usd: _large, ...large } = LARGE;
  const { cost_per_pass_usd: _swift, ...swift } = SWIFT;
  const { picks } = pick({ large: { ...large, cost_of_pass: 900 }, swift: { ...swift, cost_of_pass: 400.4 } });
  expect(picks[1]).toMatchObject({ role: "cost", system: "swift", unit: "tokens", label: "output tokens per pass" });
  expect(picks[1]?.reason).toBe("Cheapest whose interval overlaps that of large (900 tokens).");
});
