import { describe, expect, it } from "vitest";
import { createPrice, estimateMaxCost } from "./price.js";

const PRICE = createPrice({ input_per_1k: 0.001, output_per_1k: 0.01 }, "test");
const LIMITS = { price: PRICE, maxCostUsd: 0.5, hardTimeoutMs: null };

describe("estimateMaxCost", () => {
  it("adds the prompt and the longest answer at their prices", () => {
    expect(estimateMaxCost({ ...LIMITS, maxOutputTokens: 100 }, { tokens: 2000, calls: 1 })).toEqual({
      usd: 0.003,
      by: "tokens",
    });
  });

  it("sends the whole conversation again with each further turn", () => {
    // 3 × 1000 tokens of the example, 100 + 200 of answers sent again, 3 × 100 of answers.
    const usd = (3000 + 300) * 1e-6 + 300 * 1e-5;
    expect(estimateMaxCost({ ...LIMITS, maxOutputTokens: 100 }, { tokens: 1000, calls: 3 })?.usd).toBeCloseTo(usd, 12);
  });

  it("is capped by the trial's limit, and uses the limit when the longest answer is unknown", () => {
    expect(estimateMaxCost({ ...LIMITS, maxOutputTokens: 1e6 }, { tokens: 10, calls: 1 })).toEqual({
      usd: 0.5,
      by: "limit",
    });
    expect(estimateMaxCost(LIMITS, { tokens: 10, calls: 1 })).toEqual({ usd: 0.5, by: "limit" });
    expect(estimateMaxCost({ ...LIMITS, price: null, maxOutputTokens: 5 }, { tokens: 10, calls: 1 })?.by).toBe("limit");
  });

  it("returns null when nothing is known", () => {
    expect(estimateMaxCost(null, { tokens: 10, calls: 1 })).toBeNull();
    expect(estimateMaxCost({ ...LIMITS, maxCostUsd: 0 }, { tokens: 10, calls: 1 })).toBeNull();
    const unlimited = { ...LIMITS, maxCostUsd: 0, maxOutputTokens: 1000 };
    expect(estimateMaxCost(unlimited, { tokens: 0, calls: 1 })).toEqual({ usd: 0.01, by: "tokens" });
  });
});
