import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BudgetError } from "../core/errors.js";
import { quantile } from "../stats/index.js";
import { type Reservation, RunBudget } from "./index.js";

function admitted(answer: Reservation | "wait" | "refuse"): Reservation {
  if (typeof answer === "string") throw new Error(`expected a reservation, got "${answer}"`);
  return answer;
}

/** A budget with known trial costs. */
function experienced(maxCostUsd: number, costs: readonly number[]): RunBudget {
  const budget = new RunBudget({ maxCostUsd });
  for (const cost of costs) budget.settle(admitted(budget.reserve(null)), cost);
  return budget;
}

describe("RunBudget", () => {
  it("admits exactly up to the budget, and makes the next trial wait", () => {
    const budget = new RunBudget({ maxCostUsd: 0.3 });
    const held = [budget.reserve(0.1), budget.reserve(0.1), budget.reserve(0.1)].map(admitted);
    expect(held.map(({ reservedUsd }) => reservedUsd)).toEqual([0.1, 0.1, 0.1]);
    expect(budget.reserve(0.1)).toBe("wait");
    expect(budget.isRefusing).toBe(false);
  });

  it("reuses what a trial returned", () => {
    const budget = new RunBudget({ maxCostUsd: 0.3 });
    const first = admitted(budget.reserve(0.3));
    expect(budget.reserve(0.2)).toBe("wait");
    budget.settle(first, 0.1);
    expect(budget.spentUsd).toBe(0.1);
    admitted(budget.reserve(0.2));
  });

  it("refuses all trials once no running trial could return budget", () => {
    const budget = new RunBudget({ maxCostUsd: 0.3, spentUsd: 0.2 });
    expect(budget.reserve(0.2)).toBe("refuse");
    expect(budget.isRefusing).toBe(true);
    expect(budget.reserve(0.01)).toBe("refuse");
    expect(budget.reserve(null)).toBe("refuse");
  });

  it("refuses at once when a resumed run had spent everything", () => {
    expect(new RunBudget({ maxCostUsd: 1, spentUsd: 1 }).reserve(null)).toBe("refuse");
    expect(new RunBudget({ maxCostUsd: 1, spentUsd: 2 }).reserve(0.1)).toBe("refuse");
  });

  it.each([null, 0])("runs trials without a limit (%j) one at a time at first", (limit) => {
    const budget = new RunBudget({ maxCostUsd: 1 });
    for (let i = 0; i < 5; i++) {
      const probe = admitted(budget.reserve(limit));
      expect(budget.reserve(limit)).toBe("wait");
      budget.settle(probe, 0.01);
    }
    admitted(budget.reserve(limit));
    admitted(budget.reserve(limit));
  });

  it("reserves the largest known cost while they run one at a time", () => {
    const budget = experienced(1, [0.2, 0.3]);
    expect(admitted(budget.reserve(null)).reservedUsd).toBe(0.3);
    expect(experienced(0.7, [0.2, 0.3]).reserve(null)).toBe("refuse");
  });

  it("admits trials with a limit beside one without", () => {
    const budget = new RunBudget({ maxCostUsd: 1 });
    admitted(budget.reserve(null));
    admitted(budget.reserve(0.4));
    expect(budget.reserve(null)).toBe("wait");
  });

  it("reserves the largest known cost until there are enough", () => {
    const budget = experienced(100, [0.01, 0.02, 0.03, 0.04, 0.05, 0.5]);
    expect(admitted(budget.reserve(null)).reservedUsd).toBe(0.5);
    expect(typeof budget.reserve(null)).toBe("object");
  });

  it("reserves what a trial can cost, at most its limit", () => {
    const budget = new RunBudget({ maxCostUsd: 1 });
    expect(admitted(budget.reserve(0.5, "a", { canCostUsd: 0.02 })).reservedUsd).toBe(0.02);
    expect(admitted(budget.reserve(0.01, "a", { canCostUsd: 0.02 })).reservedUsd).toBe(0.01);
    expect(admitted(budget.reserve(null, "a", { canCostUsd: 0.02 })).reservedUsd).toBe(0.02);
    expect(budget.reservedFor("a")).toEqual({ firstUsd: 0.02, learntUsd: null });
  });

  it("reserves 1.5 × the 95th percentile once twenty costs are known, at most the limit", () => {
    const costs = Array.from({ length: 20 }, (_, i) => (i + 1) / 1000);
    const budget = experienced(100, costs);
    const usual = 1.5 * quantile(costs, 0.95);
    expect(admitted(budget.reserve(0.5)).reservedUsd).toBeCloseTo(usual, 11);
    expect(admitted(budget.reserve(null, "", { canCostUsd: 0.4 })).reservedUsd).toBeCloseTo(usual, 11);
    expect(admitted(budget.reserve(0.02)).reservedUsd).toBe(0.02);
    expect(budget.reservedFor("").learntUsd).toBe(0.02);
  });

  it("uses costs recorded by an earlier run", () => {
    const budget = new RunBudget({ maxCostUsd: 1 });
    for (let i = 0; i < 20; i++) budget.learn(0.001, "a");
    expect(budget.spentUsd).toBe(0);
    expect(admitted(budget.reserve(0.5, "a")).reservedUsd).toBe(0.0015);
  });

  it("bills a failed trial, but does not use its cost to predict others", () => {
    const budget = new RunBudget({ maxCostUsd: 1 });
    for (let i = 0; i < 9; i++) budget.settle(admitted(budget.reserve(null)), 0.001, { isTypical: false });
    expect(budget.spentUsd).toBe(0.009);
    admitted(budget.reserve(null));
    expect(budget.reserve(null)).toBe("wait");
  });

  it("counts an unknown cost as the whole reservation, and reports how many there are", () => {
    const budget = new RunBudget({ maxCostUsd: 1 });
    budget.settle(admitted(budget.reserve(0.25)), null);
    budget.settle(admitted(budget.reserve(0.25)), 0.05);
    expect(budget.spentUsd).toBe(0.3);
    expect(budget.unknownCosts).toBe(1);
  });

  it("bills more than was reserved when a trial cost more", () => {
    const budget = new RunBudget({ maxCostUsd: 1 });
    budget.settle(admitted(budget.reserve(0.25)), 1.5);
    expect(budget.spentUsd).toBe(1.5);
    expect(budget.reserve(0.01)).toBe("refuse");
  });

  it("is exact beyond safe integers of pico-dollars", () => {
    const budget = new RunBudget({ maxCostUsd: 100_000, spentUsd: 99_999.7 });
    for (let i = 0; i < 3; i++) budget.settle(admitted(budget.reserve(0.1)), 0.1);
    expect(budget.spentUsd).toBe(100_000);
    expect(budget.reserve(0.1)).toBe("refuse");
  });

  it("rejects settling twice, or a reservation of another budget", () => {
    const budget = new RunBudget({ maxCostUsd: 1 });
    const reservation = admitted(budget.reserve(0.5));
    budget.settle(reservation, 0.1);
    expect(() => budget.settle(reservation, 0.1)).toThrow(RangeError);
    expect(() => budget.settle({ reservedUsd: 0.5 }, 0.1)).toThrow(RangeError);
    expect(budget.spentUsd).toBe(0.1);
  });

  it("rejects invalid amounts and keeps the reservation", () => {
    expect(() => new RunBudget({ maxCostUsd: 0 })).toThrow(/above 0/);
    expect(() => new RunBudget({ maxCostUsd: -1 })).toThrow(BudgetError);
    expect(() => new RunBudget({ maxCostUsd: 1, spentUsd: Number.NaN })).toThrow(BudgetError);
    const budget = new RunBudget({ maxCostUsd: 1 });
    expect(() => budget.reserve(-1)).toThrow(BudgetError);
    const reservation = admitted(budget.reserve(0.5));
    expect(() => budget.settle(reservation, -0.1)).toThrow(/costUsd must not be negative/);
    budget.settle(reservation, 0.1);
  });

  it("never exceeds the budget while trials keep to their limits, in any order", () => {
    const trials = fc.array(
      fc.record({ limit: fc.integer({ min: 1, max: 100 }), share: fc.integer({ max: 100, min: 0 }) }),
      {
        maxLength: 60,
      },
    );
    fc.assert(
      fc.property(trials, fc.integer({ min: 1, max: 1000 }), fc.infiniteStream(fc.nat()), (queue, cents, picks) => {
        const budget = new RunBudget({ maxCostUsd: cents / 100 });
        const out: { reservation: Reservation; cost: number }[] = [];
        const settleOne = () => {
          const [one] = out.splice(picks.next().value % out.length, 1);
          if (one !== undefined) budget.settle(one.reservation, one.cost);
        };
        for (const { limit, share } of queue) {
          let answer = budget.reserve(limit / 100);
          while (answer === "wait") {
            settleOne();
            answer = budget.reserve(limit / 100);
          }
          if (answer === "refuse") break;
          out.push({ reservation: answer, cost: (limit * share) / 10_000 });
        }
        while (out.length > 0) settleOne();
        expect(budget.spentUsd).toBeLessThanOrEqual(budget.maxCostUsd);
      }),
    );
  });
});
