import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type EvalRow, makeRow } from "../core/row.js";
import { EFFICIENCY_KEYS, Efficiency } from "./efficiency.js";

const CASES = new URL("../../../shared/cases/budgets.json", import.meta.url);

function pass(known: Partial<EvalRow> = {}): EvalRow {
  return makeRow({ system: "s", exampleId: 1, outcome: "pass", passed: true, ...known });
}

function fail(known: Partial<EvalRow> = {}): EvalRow {
  return makeRow({ system: "s", exampleId: 1, outcome: "fail", passed: false, ...known });
}

const compute = (rows: EvalRow[]) => new Efficiency().compute(rows);

describe("Efficiency", () => {
  it("computes medians over passing trials that have the value", () => {
    const rows = [
      pass({ firstAttemptMs: 100, successAtMs: 1000, durationMs: 9000, turns: 2, tokensPerSec: 50, costUsd: 0.1 }),
      pass({ firstAttemptMs: 300, successAtMs: 3000, durationMs: 9000, turns: 4, tokensPerSec: 70, costUsd: 0.3 }),
      fail({ firstAttemptMs: 9, successAtMs: 9, turns: 99, tokensPerSec: 9999, costUsd: 99 }),
    ];
    expect(compute(rows)).toMatchObject({
      median_time_to_first_attempt_ms: 200,
      median_time_to_success_ms: 2000,
      time_to_success_fallback: 0,
      median_turns_to_success: 3,
      median_tokens_per_sec: 60,
      p90_cost_per_success_n: 2,
    });
    expect(compute(rows).p90_cost_per_success).toBeCloseTo(0.28, 12);
  });

  it("falls back to the time of the whole trial and counts how often", () => {
    const rows = [pass({ durationMs: 4000 }), pass({ successAtMs: 0, durationMs: 2000 }), pass({ successAtMs: 1000 })];
    expect(compute(rows)).toMatchObject({ median_time_to_success_ms: 2000, time_to_success_fallback: 2 });
  });

  it("treats zeros of older records as not measured", () => {
    const { median_time_to_first_attempt_ms, median_tokens_per_sec } = compute([
      pass({ firstAttemptMs: 0, tokensPerSec: 0 }),
    ]);
    expect([median_time_to_first_attempt_ms, median_tokens_per_sec]).toEqual([null, null]);
  });

  it("has no score without a time, and 0 if nothing passes", () => {
    expect(compute([pass()]).speed_efficiency_score).toBeNull();
    expect(compute([fail({ durationMs: 10 })]).speed_efficiency_score).toBe(0);
    expect(compute([]).speed_efficiency_score).toBeNull();
    expect(compute([pass({ durationMs: 42_000 })]).speed_efficiency_score).toBeCloseTo(1 / 1.7, 12);
  });

  it("counts trials stopped by the budget and slow trials, whatever their outcome", () => {
    const rows = [
      fail({ errorCategory: "cost_killed" }),
      pass({ errorCategory: "cost_killed", notes: ["slow: first token after 31 s, expected within 30 s"] }),
      fail({ errorCategory: "time_killed", notes: ["slowly but surely"] }),
    ];
    expect(compute(rows)).toMatchObject({ cost_killed_count: 2, slow_count: 1 });
  });

  it.skipIf(!existsSync(CASES))("matches the shared cases (skipped: ../shared is missing)", () => {
    const cases = JSON.parse(readFileSync(CASES, "utf8")) as {
      area: string;
      input: { success_rate: number; median_tts_ms: number };
      expected: { score: number };
    }[];
    const scores = cases.filter(({ area }) => area === "speed_efficiency_score");
    expect(scores.length).toBeGreaterThan(0);
    for (const { input, expected } of scores) {
      const passes = Math.round(input.success_rate * 10);
      const rows = Array.from({ length: 10 }, (_, i) =>
        i < passes ? pass({ successAtMs: input.median_tts_ms }) : fail(),
      );
      expect(compute(rows).speed_efficiency_score).toBeCloseTo(expected.score, 12);
    }
  });

  it("declares every key it produces", () => {
    expect([...new Efficiency().keys()].sort()).toEqual(Object.keys(compute([])).sort());
    expect(EFFICIENCY_KEYS).toHaveLength(7);
  });
});
