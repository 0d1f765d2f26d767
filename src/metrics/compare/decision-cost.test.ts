import { describe, expect, it } from "vitest";
import { type EvalRow, makeRow } from "../../core/index.js";
import { createRandom } from "../../stats/index.js";
import { compareRows } from "./compare-rows.js";
import { computeComparisonCost, computeDecisionCost } from "./decision-cost.js";

/** Rows of a system with this pass rate, at a cent each. */
function makeRows(system: string, rate: number, { n = 400, costUsd = 0.01 as number | null } = {}): EvalRow[] {
  const random = createRandom(system);
  return Array.from({ length: n }, (_, exampleId) => {
    const passed = random.next() < rate;
    const outcome = passed ? ("pass" as const) : ("fail" as const);
    return makeRow({ system, exampleId, outcome, passed, scores: { em: Number(passed) }, primaryField: "em", costUsd });
  });
}

const toSide = (rows: EvalRow[]) => ({ key: rows[0]?.system ?? "", rows });
const toPair = (a: EvalRow[], b: EvalRow[]) => ({ comparison: compareRows(a, b), a: toSide(a), b: toSide(b) });

describe("the cost of a decision", () => {
  it("is what both systems cost, and less when stopped early", () => {
    const found = computeComparisonCost([toPair(makeRows("a", 0.5), makeRows("b", 0.8))]);
    expect(found).toMatchObject({ asked: 1, decided: 1, tasks: 400, fixedTasks: 400 });
    expect(found.spentUsd).toBeCloseTo(8, 10);
    expect(found.usdPerDecision).toBeCloseTo(8, 10);
    expect(found.fixedUsd).toBeCloseTo(8, 10);
    expect(found.earlyTasks).toBeGreaterThan(5);
    expect(found.earlyTasks).toBeLessThan(120);
    expect(found.earlyUsd).toBeCloseTo(((found.earlyTasks ?? 0) / 400) * 8, 6);
  });

  it("counts judging, and is unknown if the cost of a trial is", () => {
    const a = makeRows("a", 0.5).map((row) => ({ ...row, judgeCostUsd: 0.005 }));
    expect(computeComparisonCost([toPair(a, makeRows("b", 0.8))]).spentUsd).toBeCloseTo(10, 10);
    const free = makeRows("b", 0.8, { costUsd: null });
    expect(computeComparisonCost([toPair(a, free)])).toMatchObject({
      spentUsd: null,
      usdPerDecision: null,
      fixedUsd: null,
      earlyUsd: null,
      decided: 1,
      reason: "the cost of 400 trials is unknown",
    });
  });

  it("says what a run costs that is large enough to decide, if this one is not", () => {
    // Five tasks gained, three lost.
    const score = (rows: EvalRow[], passes: (id: number) => boolean) =>
      rows.map((row) => ({ ...row, outcome: passes(Number(row.exampleId)) ? ("pass" as const) : ("fail" as const) }));
    const a = score(makeRows("a", 0.6, { n: 80 }), (id) => id < 50);
    const b = score(makeRows("b", 0.6, { n: 80 }), (id) => id >= 3 && id < 55);
    const pair = toPair(a, b);
    const found = computeComparisonCost([pair]);
    expect(found).toMatchObject({ asked: 1, decided: 0, usdPerDecision: null, earlyTasks: null, earlyUsd: null });
    const [{ difference, se } = { difference: null, se: null }] = pair.comparison.metrics;
    // By hand: (1.96 + 0.84)² times the variance of a difference, over the squared difference.
    const needed = ((1.959964 + 0.841621) ** 2 * (se ?? 0) ** 2 * 80) / (difference ?? 1) ** 2;
    expect(found.fixedTasks).toBe(Math.ceil(needed));
    expect(found.fixedUsd).toBeCloseTo((Math.ceil(needed) / 80) * 1.6, 6);
  });

  it("pays for a shared baseline once, as long as any pair needs it", () => {
    const [a, b, c] = [makeRows("a", 0.5), makeRows("b", 0.9), makeRows("c", 0.7)];
    const alone = computeComparisonCost([toPair(a, b)]);
    const both = computeComparisonCost([toPair(a, b), toPair(a, c)]);
    expect(both).toMatchObject({ asked: 2, decided: 2 });
    expect(both.spentUsd).toBeCloseTo(12, 10);
    expect(both.usdPerDecision).toBeCloseTo(6, 10);
    expect(both.earlyTasks).toBeGreaterThan(alone.earlyTasks ?? 400);
    expect(both.earlyUsd).toBeLessThan(12 * ((both.earlyTasks ?? 0) / 400));
  });

  it("takes whole groups, and asks for non-inferiority too", () => {
    const group = (rows: EvalRow[]) => rows.map((row) => ({ ...row, group: Math.floor(Number(row.exampleId) / 5) }));
    const [a, b] = [group(makeRows("a", 0.8)), group(makeRows("b", 0.85))];
    const pair = { a: toSide(a), b: toSide(b), isDecided: true, moreTasks: null };
    const found = computeDecisionCost([pair], { question: { kind: "non-inferiority", margin: 0.2 } });
    expect((found.earlyTasks ?? 0) % 5).toBe(0);
    expect(found.earlyTasks).toBeLessThan(400);
    expect(computeDecisionCost([], { question: { kind: "difference" } })).toMatchObject({
      asked: 0,
      spentUsd: 0,
      tasks: 0,
    });
  });
});
