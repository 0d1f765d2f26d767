import { describe, expect, it } from "vitest";
import { ParetoRank } from "./pareto-rank.js";

describe("ParetoRank", () => {
  it("is a placeholder for a single system", () => {
    expect(new ParetoRank().compute()).toEqual({ pareto_rank: 0 });
  });

  it("ranks by quality and cost of pass", () => {
    expect(
      ParetoRank.rankSystems({
        best: { mean_score: 0.9, cost_of_pass: 20 },
        cheapest: { mean_score: 0.5, cost_of_pass: 5 },
        beaten: { mean_score: 0.8, cost_of_pass: 30 },
        worst: { mean_score: 0.4, cost_of_pass: 40 },
      }),
    ).toEqual({ best: 1, cheapest: 1, beaten: 2, worst: 3 });
  });

  it("puts ties on the same front, and lets one better field dominate", () => {
    expect(
      ParetoRank.rankSystems({
        a: { mean_score: 0.9, cost_of_pass: 10 },
        b: { mean_score: 0.9, cost_of_pass: 10 },
        c: { mean_score: 0.9, cost_of_pass: 11 },
        d: { mean_score: 0.8, cost_of_pass: 10 },
      }),
    ).toEqual({ a: 1, b: 1, c: 2, d: 2 });
  });

  it("ranks infinite costs by their quality", () => {
    expect(
      ParetoRank.rankSystems({
        a: { mean_score: 0.3, cost_of_pass: Infinity },
        b: { mean_score: 0.2, cost_of_pass: Infinity },
        c: { mean_score: 0.2, cost_of_pass: 7 },
      }),
    ).toEqual({ a: 1, b: 2, c: 1 });
  });

  it("ranks a missing or null field last", () => {
    expect(
      ParetoRank.rankSystems({
        noCost: { mean_score: 1, cost_of_pass: null },
        noQuality: { cost_of_pass: 0 },
        a: { mean_score: 0.5, cost_of_pass: 5 },
        b: { mean_score: 0.4, cost_of_pass: 6 },
      }),
    ).toEqual({ noCost: 3, noQuality: 3, a: 1, b: 2 });
  });

  it("uses other fields", () => {
    const summary = { a: { pass_rate: 1, mean_cost_usd: 2 }, b: { pass_rate: 0.5, mean_cost_usd: 3 } };
    const options = { qualityField: "pass_rate", costField: "mean_cost_usd" };
    expect(ParetoRank.rankSystems(summary, options)).toEqual({ a: 1, b: 2 });
    expect(ParetoRank.rankSystems({})).toEqual({});
    // Inherited properties are not summary values.
    expect(ParetoRank.rankSystems(summary, { costField: "constructor" })).toEqual(
      ParetoRank.rankSystems(summary, { costField: "absent" }),
    );
  });

  it("uses dollars if every system has a price, and reports it", () => {
    const priced = {
      wordy: { mean_score: 0.9, cost_of_pass: 900, cost_per_pass_usd: 0.01, cost_unknown_trials: 0 },
      expensive: { mean_score: 0.9, cost_of_pass: 10, cost_per_pass_usd: 2, cost_unknown_trials: 0 },
      "passed nothing": {
        mean_score: 0.1,
        cost_of_pass: Infinity,
        cost_per_pass_usd: Infinity,
        cost_unknown_trials: 0,
      },
      "never answered": { mean_score: 0, cost_of_pass: Infinity, cost_per_pass_usd: null, cost_unknown_trials: 0 },
    };
    const byDollars = { wordy: 1, expensive: 2, "passed nothing": 3, "never answered": 4 };
    expect(ParetoRank.rankSystems(priced)).toEqual(byDollars);
    expect(new ParetoRank().compare(priced)).toMatchObject({
      bySystem: { expensive: { pareto_rank: { value: 2 } } },
      labels: { pareto_basis: "usd" },
    });
    const mixed = {
      ...priced,
      local: { mean_score: 0.5, cost_of_pass: 5, cost_per_pass_usd: null, cost_unknown_trials: 3 },
    };
    expect(ParetoRank.rankSystems(mixed)).toMatchObject({ wordy: 2, expensive: 1, local: 1 });
    expect(new ParetoRank().compare(mixed).labels).toEqual({ pareto_basis: "tokens" });
    expect(new ParetoRank({ costField: "latency_mean" }).compare(mixed).labels).toEqual({
      pareto_basis: "latency_mean",
    });
  });
});
