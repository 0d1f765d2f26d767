import { describe, expect, it } from "vitest";
import { type EvalRow, makeRow } from "../core/row.js";
import { MemoryEfficiency } from "./memory-efficiency.js";

function row(exampleId: number, f1: number, metadata: Record<string, unknown>, more: Partial<EvalRow> = {}): EvalRow {
  return makeRow({ system: "m", exampleId, outcome: "pass", scores: { f1 }, primaryField: "f1", metadata, ...more });
}

describe("MemoryEfficiency", () => {
  it("computes means, shares, scores per thousand tokens, and quantiles of seconds", () => {
    const rows = [
      row(1, 1, { contextTokens: 100, historyTokens: 1000, queryMs: 500, ingestMs: 4000 }),
      row(2, 0.5, { contextTokens: 300, historyTokens: 1000, queryMs: 1500 }),
      row(3, 0, { contextTokens: 200, historyTokens: 2000, queryMs: 1000, ingestMs: 2000 }),
    ];
    const values = new MemoryEfficiency().compute(rows);
    expect(values).toEqual({
      mean_context_tokens: 200,
      context_share: expect.closeTo(0.15, 12),
      score_per_1k_context_tokens: expect.closeTo(0.5 / 0.2, 12),
      ingest_seconds_p50: 3,
      ingest_seconds_p95: expect.closeTo(3.9, 12),
      query_seconds_p50: 1,
      query_seconds_p95: expect.closeTo(1.45, 12),
    });
    expect(Object.keys(values)).toEqual(new MemoryEfficiency().keys());
  });

  it("averages the trials of a task first, with an interval over tasks", () => {
    const rows = [
      row(1, 1, { contextTokens: 100 }),
      row(1, 0, { contextTokens: 300 }, { trial: 1 }),
      row(2, 1, { contextTokens: 100 }),
    ];
    const { mean_context_tokens: tokens, score_per_1k_context_tokens: score } = new MemoryEfficiency().estimate(rows);
    expect(tokens).toMatchObject({ value: 150, interval: { n: 2 } });
    expect(score.value).toBeCloseTo(0.75 / 0.15, 12);
    expect(score.interval?.n).toBe(2);
    const { low, high } = score.interval ?? { low: null, high: null };
    if (low === null) throw new Error("no interval");
    expect(low).toBeLessThan(score.value ?? 0);
    expect(high ?? Number.POSITIVE_INFINITY).toBeGreaterThan(score.value ?? 0);
  });

  it("gives a reason if nothing was measured, and ignores rows without an output", () => {
    const failed = row(1, 0, { contextTokens: 9, queryMs: 9 }, { outcome: "error" });
    for (const { value, reason } of Object.values(new MemoryEfficiency().estimate([failed]))) {
      expect(value).toBeNull();
      expect(reason).toBe("not measured in any trial");
    }
    const { score_per_1k_context_tokens } = new MemoryEfficiency().estimate([row(1, 1, { contextTokens: 0 })]);
    expect(score_per_1k_context_tokens).toEqual({ value: null, reason: "no context tokens" });
  });

  it("uses the given score field", () => {
    const rows = [row(1, 1, { contextTokens: 1000 }, { scores: { f1: 1, judge_score: 0.25 } })];
    const { score_per_1k_context_tokens } = new MemoryEfficiency({ scoreField: "judge_score" }).compute(rows);
    expect(score_per_1k_context_tokens).toBe(0.25);
  });
});
