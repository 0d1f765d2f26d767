import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BudgetError } from "../core/errors.js";
import type { Price } from "../core/price.js";
import type { Usage } from "../core/system.js";
import { CostBudget, computeCost, createPrice, toDollars } from "./index.js";

/** $1 and $2 per million tokens. */
const PRICING = { input_per_1k: 0.001, output_per_1k: 0.002 };
const PRICE = createPrice({ ...PRICING, cache_read_per_1k: 0.0001, cache_write_per_1k: 0.00125 }, "test");

const events = fc.array(
  fc
    .record(
      { input: fc.nat(5000), output: fc.nat(5000), cacheRead: fc.nat(5000), cacheWrite: fc.nat(5000) },
      { requiredKeys: ["input", "output"] },
    )
    .map((usage): Usage => usage),
  { maxLength: 40 },
);

describe("CostBudget", () => {
  it("is exceeded above the limit, not at the limit", () => {
    const budget = new CostBudget({ pricing: PRICING, maxCostUsd: 0.3 });
    expect(budget.add({ input: 300_000, output: 0 })).toEqual({ costUsd: 0.3, exceeded: false });
    expect(budget.costKilledAt).toBe(0);
    expect(budget.add({ input: 1, output: 0 })).toEqual({ costUsd: 0.300001, exceeded: true });
    expect(budget.costKilledAt).toBe(0.300001);
  });

  it("does not drift: a million small events add up to exactly the limit", () => {
    const budget = new CostBudget({ pricing: { input_per_1k: 0.0000375, output_per_1k: 0 }, maxCostUsd: 0.0375 });
    for (let i = 0; i < 1e6; i++) budget.add({ input: 1, output: 0 });
    expect(budget.bill).toEqual({ costUsd: 0.0375, exceeded: false });
    expect(budget.add({ input: 1, output: 0 }).exceeded).toBe(true);
  });

  it("stays exceeded, keeps the first cost above the limit, and keeps counting", () => {
    const budget = new CostBudget({ pricing: PRICING, maxCostUsd: 0.001 });
    budget.add({ input: 1001, output: 0 });
    expect(budget.add({ input: 1000, output: 0 })).toEqual({ costUsd: 0.002001, exceeded: true });
    expect(budget.costKilledAt).toBe(0.001001);
    expect(budget.usage.input).toBe(2001);
  });

  it.each([0, null, undefined])("only counts when the limit is %j", (maxCostUsd) => {
    const budget = new CostBudget({ pricing: PRICING, ...(maxCostUsd === undefined ? {} : { maxCostUsd }) });
    expect(budget.add({ input: 1e9, output: 1e9 })).toEqual({ costUsd: 3000, exceeded: false });
    expect(budget.estimate(1e9).exceeded).toBe(false);
    expect(budget.maxCostUsd).toBe(0);
  });

  it("counts without a price, but rejects a limit that could never take effect", () => {
    const budget = new CostBudget({ price: null });
    expect(budget.add({ input: 5, output: 7 })).toEqual({ costUsd: 0, exceeded: false });
    expect(budget.isPriced).toBe(false);
    expect(new CostBudget({ price: PRICE }).isPriced).toBe(true);
    expect(() => new CostBudget({ maxCostUsd: 0.1 })).toThrow(BudgetError);
    expect(() => new CostBudget({ price: PRICE, maxCostUsd: -1 })).toThrow(/maxCostUsd must not be negative/);
    expect(() => new CostBudget({ price: PRICE, maxCostUsd: Number.NaN })).toThrow(BudgetError);
    expect(() => new CostBudget({ maxTokens: 0 })).toThrow(/maxTokens/);
  });

  it("enforces a limit on tokens of all classes, with or without a price", () => {
    const budget = new CostBudget({ maxTokens: 10 });
    expect(budget.add({ input: 1, output: 2, cacheRead: 3, cacheWrite: 4, reasoning: 2 }).exceeded).toBe(false);
    expect(budget.estimate(1).exceeded).toBe(true);
    expect(budget.costKilledAt).toBe(0);
  });

  it("adds up every class", () => {
    const budget = new CostBudget({ price: PRICE });
    budget.add({ input: 1, output: 2, cacheRead: 3, cacheWrite: 4, cacheWrite1h: 1, reasoning: 2 });
    budget.add({ input: 10, output: 20 });
    expect(budget.usage).toEqual({
      input: 11,
      output: 22,
      cacheRead: 3,
      cacheWrite: 4,
      cacheWrite1h: 1,
      reasoning: 2,
    });
  });

  it("replaces an estimate with the next estimate and with the usage", () => {
    const budget = new CostBudget({ pricing: PRICING, maxCostUsd: 1 });
    budget.add({ input: 1000, output: 0 });
    expect(budget.estimate(100).costUsd).toBe(0.0012);
    expect(budget.estimate(300).costUsd).toBe(0.0016);
    expect(budget.isEstimated).toBe(true);
    expect(budget.usage.output).toBe(0);
    expect(budget.add({ input: 0, output: 50 }).costUsd).toBe(0.0011);
    expect(budget.isEstimated).toBe(false);
  });

  it("stays exceeded after an estimate above the limit", () => {
    const budget = new CostBudget({ pricing: PRICING, maxCostUsd: 0.001 });
    expect(budget.estimate(500).exceeded).toBe(false);
    expect(budget.estimate(501).exceeded).toBe(true);
    expect(budget.add({ input: 0, output: 1 })).toEqual({ costUsd: 0.000002, exceeded: true });
    expect(budget.costKilledAt).toBe(0.001002);
  });

  it("calls onExceeded once, at the moment the limit is exceeded", () => {
    const seen: number[] = [];
    const budget: CostBudget = new CostBudget({
      pricing: PRICING,
      maxCostUsd: 0.001,
      onExceeded: () => seen.push(budget.bill.costUsd),
    });
    for (let i = 0; i < 5; i++) budget.add({ input: 600, output: 0 });
    budget.estimate(1000);
    expect(seen).toEqual([0.0012]);
  });

  it("uses the price for the prompt's length, and for estimates that of the last prompt", () => {
    const price: Price = { ...PRICE, tiers: [{ ...PRICE, over: 100, output: 7_000_000 }] };
    const budget = new CostBudget({ price });
    budget.add({ input: 0, output: 1 }, 101);
    expect(budget.bill.costUsd).toBe(0.000007);
    expect(budget.estimate(1).costUsd).toBe(0.000014);
    budget.add({ input: 0, output: 1 }, 100);
    expect(budget.bill.costUsd).toBe(0.000009);
  });

  it.each(["input", "output", "cacheRead", "cacheWrite", "cacheWrite1h", "reasoning"])(
    "rejects a %s that is negative or not a whole number, and adds nothing of that event",
    (name) => {
      const budget = new CostBudget({ price: PRICE, maxCostUsd: 1 });
      budget.add({ input: 1, output: 1, cacheWrite: 1 });
      budget.estimate(3);
      const before = { usage: { ...budget.usage }, bill: { ...budget.bill } };
      for (const count of [-1, 1.5, Number.NaN]) {
        const add = () => budget.add({ input: 9, output: 9, cacheRead: 9, cacheWrite: 9, [name]: count });
        expect(add).toThrow(RangeError);
        expect(add).toThrow(new RegExp(`^${name} `));
      }
      expect({ usage: budget.usage, bill: budget.bill }).toEqual(before);
      expect(budget.isEstimated).toBe(true);
    },
  );

  it("rejects estimates and prompts that are not counts", () => {
    const budget = new CostBudget({ price: PRICE });
    expect(() => budget.estimate(-1)).toThrow(/^outputTokens/);
    expect(() => budget.add({ input: 1, output: 1 }, 0.5)).toThrow(/^promptTokens/);
    expect(budget.usage.input).toBe(0);
  });

  it("returns the same bill object every time", () => {
    const budget = new CostBudget({ price: PRICE });
    expect(budget.add({ input: 1, output: 1 })).toBe(budget.bill);
    expect(budget.estimate(1)).toBe(budget.bill);
  });

  it("bills at most the limit plus one event when the caller stops as told", () => {
    fc.assert(
      fc.property(events, fc.integer({ min: 1, max: 50_000 }), (stream, micros) => {
        const maxCostUsd = micros / 1e6;
        const budget = new CostBudget({ price: PRICE, maxCostUsd });
        let last = 0;
        for (const usage of stream) {
          last = computeCost(PRICE, usage);
          if (budget.add(usage).exceeded) break;
        }
        expect(budget.bill.costUsd * 1e12).toBeLessThanOrEqual(micros * 1e6 + last + 0.5);
        expect(budget.bill.exceeded).toBe(budget.bill.costUsd > maxCostUsd);
      }),
    );
  });

  it("has the exact sum in any order, with any estimates in between", () => {
    fc.assert(
      fc.property(events, fc.infiniteStream(fc.nat(1000)), (stream, guesses) => {
        const billed = (order: readonly Usage[]) => {
          const budget = new CostBudget({ price: PRICE });
          for (const usage of order) {
            budget.estimate(guesses.next().value);
            budget.add(usage);
          }
          return budget.bill.costUsd;
        };
        const sum = stream.reduce((total, usage) => total + BigInt(computeCost(PRICE, usage)), 0n);
        expect(billed(stream)).toBe(toDollars(Number(sum)));
        expect(billed(stream.toReversed())).toBe(toDollars(Number(sum)));
      }),
    );
  });
});
