import { describe, expect, it } from "vitest";
import { type EvalRow, makeRow } from "../../core/row.js";
import { compareRows } from "./compare-rows.js";
import { classifyLift, type LiftOptions } from "./lift.js";

interface Side {
  /** The number of tasks that pass, from the first on. */
  passes: number;
  cost?: number | null;
}

function rows(tasks: number, { passes, cost = 1 }: Side): EvalRow[] {
  return Array.from({ length: tasks }, (_, i) => {
    const score = Number(i < passes);
    // Some variance, so that the interval of the cost has a width.
    const costUsd = cost === null ? null : cost + (i % 3) / 100;
    const outcome = score === 1 ? ("pass" as const) : ("fail" as const);
    return makeRow({ system: "s", exampleId: i, outcome, scores: { em: score }, primaryField: "em", costUsd });
  });
}

function lift(tasks: number, sides: { a: Side; b: Side }, options?: LiftOptions) {
  return classifyLift(compareRows(rows(tasks, sides.a), rows(tasks, sides.b)), options);
}

describe("classifyLift", () => {
  it("returns better or worse if the interval of quality excludes 0, at any cost", () => {
    expect(lift(40, { a: { passes: 10 }, b: { passes: 30, cost: 9 } })).toBe("better");
    expect(lift(40, { a: { passes: 30 }, b: { passes: 10, cost: 0.1 } })).toBe("worse");
  });

  it("returns same_but_cheaper or same_but_dearer if the interval excludes a change above the margin", () => {
    expect(lift(40, { a: { passes: 20 }, b: { passes: 20, cost: 0.5 } })).toBe("same_but_cheaper");
    expect(lift(40, { a: { passes: 20 }, b: { passes: 20, cost: 2 } })).toBe("same_but_dearer");
  });

  it("returns inconclusive if the cost does not differ or is unknown", () => {
    expect(lift(40, { a: { passes: 20 }, b: { passes: 20 } })).toBe("inconclusive");
    expect(lift(40, { a: { passes: 20, cost: null }, b: { passes: 20, cost: null } })).toBe("inconclusive");
  });

  it("returns inconclusive if a loss above the margin is possible, but not with a larger margin", () => {
    const sides = { a: { passes: 20 }, b: { passes: 18, cost: 0.5 } };
    expect(lift(40, sides)).toBe("inconclusive");
    expect(lift(40, sides, { margin: 0.2 })).toBe("same_but_cheaper");
  });

  it("returns inconclusive if too few tasks could show any difference", () => {
    expect(lift(5, { a: { passes: 0 }, b: { passes: 5 } })).toBe("inconclusive");
    expect(lift(5, { a: { passes: 5 }, b: { passes: 5, cost: 0.1 } })).toBe("inconclusive");
    expect(lift(6, { a: { passes: 0 }, b: { passes: 6 } })).toBe("better");
    expect(lift(0, { a: { passes: 0 }, b: { passes: 0 } })).toBe("inconclusive");
  });

  it("uses the given metric, and the score if the pass rate was not compared", () => {
    const [a, b] = [rows(40, { passes: 10 }), rows(40, { passes: 30 })];
    const onlyScore = compareRows(a, b, { metrics: ["mean_score"] });
    expect(classifyLift(onlyScore)).toBe("better");
    expect(classifyLift(onlyScore, { quality: "pass_rate" })).toBe("inconclusive");
    expect(classifyLift(compareRows(a, b, { metrics: ["mean_cost_usd"] }))).toBe("inconclusive");
  });
});
