import { describe, expect, it } from "vitest";
import { createFigureReader, readCardFigures } from "./cards.js";
import { CARD_FIGURES } from "./contract.js";

describe("createFigureReader", () => {
  it("reads flat figures and the nested ones of speed and efficiency", () => {
    const read = createFigureReader({ pass_rate: 0.5, efficiency: { median_time_to_success_ms: 900 } });
    expect([read("pass_rate"), read("median_time_to_success_ms")]).toEqual([0.5, 900]);
  });

  it("returns null for missing, infinite and non-numeric values", () => {
    const read = createFigureReader({ cost_of_pass: Number.POSITIVE_INFINITY, mean_score_reason: "none" as never });
    const keys = ["cost_of_pass", "mean_score_reason", "pass_rate", "constructor", "__proto__", "efficiency"];
    expect(keys.map(read)).toEqual(keys.map(() => null));
  });

  it("returns null for a mean over nothing, which summaries store as 0", () => {
    const read = createFigureReader({ mean_score: 0, mean_score_n: 0, pass_rate: 0, pass_rate_n: 3 });
    expect([read("mean_score"), read("mean_score_n"), read("pass_rate")]).toEqual([null, 0, 0]);
  });
});

describe("readCardFigures", () => {
  it("has every figure, null where a summary has none", () => {
    const { figures, k } = readCardFigures({}, 1);
    expect(Object.keys(figures)).toEqual([...CARD_FIGURES]);
    expect(new Set(Object.values(figures))).toEqual(new Set([null]));
    expect(k).toBe(1);
  });

  it("uses pass^k for the largest available k", () => {
    const summary = { pass_hat_1: 0.9, pass_hat_2: 0.8, pass_hat_2_ci_low: 0.7, pass_hat_2_ci_high: 0.85 };
    const { figures, k } = readCardFigures(summary, 5);
    expect(k).toBe(2);
    expect(figures).toMatchObject({ pass_hat: 0.8, pass_hat_ci_low: 0.7, pass_hat_ci_high: 0.85 });
    expect(readCardFigures({}, 5).k).toBe(5);
  });

  it("clamps score bounds and hides the rank of a single system", () => {
    const summary = { mean_score: 0.95, mean_score_ci_low: -0.1, mean_score_ci_high: 1.2, pareto_rank: 0 };
    expect(readCardFigures(summary, 1).figures).toMatchObject({
      mean_score_ci_low: 0,
      mean_score_ci_high: 1,
      pareto_rank: null,
    });
    expect(readCardFigures({ pareto_rank: 2 }, 1).figures.pareto_rank).toBe(2);
  });
});
