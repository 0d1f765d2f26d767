import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { computeCost, createPrice, toDollars } from "../../../budget/index.js";
import type { Price } from "../../../core/price.js";
import type { Usage } from "../../../core/system.js";
import { createChartSystem } from "./chart-system.fixture.js";
import { buildTokenCosts } from "./token-costs.js";

/** Whole dollars for a token of each class. */
const PRICE: Price = {
  input: 1e12,
  output: 5e12,
  cacheRead: 1e11,
  cacheWrite: 2e12,
  cacheWrite1h: 4e12,
  source: "test",
};

const classes = (usages: Usage[], price: Price | undefined = PRICE) => {
  const rows = usages.map((usage) => ({ usage, costUsd: 1 }));
  const [found] = buildTokenCosts([createChartSystem("a", { rows, ...(price === undefined ? {} : { price }) })]);
  return Object.fromEntries((found?.classes ?? []).map(({ name, tokens, costUsd }) => [name, [tokens, costUsd]]));
};

describe("buildTokenCosts", () => {
  it("puts each token in one class", () => {
    const usage = { input: 10, output: 8, cacheRead: 20, cacheWrite: 6, cacheWrite1h: 2, reasoning: 3 };
    expect(classes([usage, { input: 1, output: 1 }])).toEqual({
      input: [11, 11],
      cacheRead: [20, 2],
      cacheWrite: [6, 16],
      output: [6, 30],
      reasoning: [3, 15],
    });
  });

  it("reports tokens where no price is known", () => {
    const [found] = buildTokenCosts([createChartSystem("a", { rows: [{ usage: { input: 3, output: 4 } }] })]);
    expect(found?.classes.find(({ name }) => name === "input")).toEqual({ name: "input", tokens: 3, costUsd: null });
    expect(found?.costUsd).toBeNull();
  });

  it("reports the bill without classes when no usage was reported", () => {
    expect(buildTokenCosts([createChartSystem("a", { rows: [{ costUsd: 2 }, { costUsd: 0.5 }] })])).toEqual([
      { system: "a", classes: [], costUsd: 2.5, unknownCosts: 0 },
    ]);
  });

  it("keeps the known part of a bill, and counts the rest; a trial without output may be free", () => {
    const bill = (...rows: object[]) => buildTokenCosts([createChartSystem("a", { rows })])[0];
    expect(bill({ costUsd: 2 }, {}, {})).toMatchObject({ costUsd: 2, unknownCosts: 2 });
    expect(bill({ costUsd: 2 }, { outcome: "error" })).toMatchObject({ costUsd: 2, unknownCosts: 0 });
    expect(bill({ costUsd: 0 })).toMatchObject({ costUsd: 0, unknownCosts: 0 });
    expect(bill({})).toMatchObject({ costUsd: null, unknownCosts: 1 });
  });

  it("uses the long-prompt price per call", () => {
    const price: Price = { ...PRICE, tiers: [{ ...PRICE, input: 2e12, over: 100 }] };
    const total = { input: 150, output: 0 };
    const calls = [{ input: 50, output: 0 }, null, { input: 100, output: 0 }];
    const cost = (metadata: Record<string, unknown> | null) =>
      buildTokenCosts([createChartSystem("a", { price, rows: [{ usage: total, metadata }] })])[0]?.classes[0]?.costUsd;
    expect(cost(null)).toBe(300);
    expect(cost({ turnUsage: calls })).toBe(150);
    expect(cost({ turnUsage: calls.slice(1) })).toBe(300);
  });

  it("adds up to what the meter would charge", () => {
    const price = createPrice({ input_per_1k: 0.003, output_per_1k: 0.015, cache_read_per_1k: 0.0003 }, "test");
    const count = fc.nat({ max: 1e6 });
    const usage = fc
      .record({ input: count, output: count, cacheRead: count, cacheWrite: count, reasoning: count })
      .map((one) => ({ ...one, reasoning: Math.min(one.reasoning, one.output) }));
    fc.assert(
      fc.property(fc.array(usage, { minLength: 1, maxLength: 5 }), (usages) => {
        const charged = usages.reduce((sum, one) => sum + computeCost(price, one), 0);
        const shown = Object.values(classes(usages, price)).reduce((sum, [, usd]) => sum + Number(usd), 0);
        expect(shown).toBeCloseTo(toDollars(charged), 9);
      }),
    );
  });
});
