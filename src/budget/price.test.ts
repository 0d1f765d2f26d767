import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BudgetError } from "../core/errors.js";
import type { Price } from "../core/price.js";
import type { Usage } from "../core/system.js";
import { computeCost, createPrice, toDollars } from "./price.js";

const PRICE: Price = { input: 3, output: 5, cacheRead: 7, cacheWrite: 11, cacheWrite1h: 13, source: "test" };

const usages = fc.record(
  {
    input: fc.nat(1e9),
    output: fc.nat(1e9),
    cacheRead: fc.nat(1e9),
    cacheWrite: fc.nat(1e9),
    reasoning: fc.nat(1e9),
  },
  { requiredKeys: ["input", "output"] },
);

function exact(price: Price, usage: Usage): bigint {
  const { input, output, cacheRead = 0, cacheWrite = 0, cacheWrite1h = 0 } = usage;
  return (
    BigInt(input) * BigInt(price.input) +
    BigInt(output) * BigInt(price.output) +
    BigInt(cacheRead) * BigInt(price.cacheRead) +
    BigInt(cacheWrite - cacheWrite1h) * BigInt(price.cacheWrite) +
    BigInt(cacheWrite1h) * BigInt(price.cacheWrite1h)
  );
}

describe("createPrice", () => {
  it.each([
    [0.0003, 300_000],
    [0.0000375, 37_500],
    [0.010625, 10_625_000],
    [0.075, 75_000_000],
    [0.000000001, 1],
    [0, 0],
  ])("converts $%f per 1,000 tokens to %i pico-dollars per token", (per1k, pico) => {
    expect(createPrice({ input_per_1k: per1k, output_per_1k: 0 }, "s").input).toBe(pico);
  });

  it("preserves every price with up to nine decimals", () => {
    fc.assert(
      fc.property(fc.nat(1e9), (pico) => {
        const text = `${Math.floor(pico / 1e9)}.${String(pico % 1e9).padStart(9, "0")}`;
        expect(createPrice({ input_per_1k: Number(text), output_per_1k: 0 }, "s").input).toBe(pico);
      }),
    );
  });

  it("falls back from the one-hour cache to the cache, and from the cache to the input price", () => {
    const plain = { input_per_1k: 0.002, output_per_1k: 0.004 };
    expect(createPrice(plain, "a file")).toEqual({
      input: 2_000_000,
      output: 4_000_000,
      cacheRead: 2_000_000,
      cacheWrite: 2_000_000,
      cacheWrite1h: 2_000_000,
      source: "a file",
    });
    const cached = createPrice({ ...plain, cache_read_per_1k: 0, cache_write_per_1k: 0.003 }, "s");
    expect([cached.cacheRead, cached.cacheWrite, cached.cacheWrite1h]).toEqual([0, 3_000_000, 3_000_000]);
    expect(createPrice({ ...plain, cache_write_1h_per_1k: 0.005 }, "s")).toMatchObject({
      cacheWrite: 2_000_000,
      cacheWrite1h: 5_000_000,
    });
  });

  it.each([
    [{ input_per_1k: -1, output_per_1k: 1 }, /pricing\.input_per_1k must not be negative/],
    [{ input_per_1k: 1 }, /pricing\.output_per_1k is missing/],
    [{ input_per_1k: 1, output_per_1k: Number.NaN }, /pricing\.output_per_1k must be a finite number/],
    [{ input_per_1k: 1, output_per_1k: "1" }, /pricing\.output_per_1k must be a number/],
    [{ input_per_1k: 1, output_per_1k: 1, cache_read_per_1k: -2 }, /pricing\.cache_read_per_1k must not be negative/],
    [{ input_per_1k: 1e-11, output_per_1k: 1 }, /pricing\.input_per_1k is too small/],
    [{ input_per_1k: 1e8, output_per_1k: 1 }, /pricing\.input_per_1k is too large/],
  ])("rejects %j", (pricing, message) => {
    const make = () => createPrice(pricing as never, "s");
    expect(make).toThrow(BudgetError);
    expect(make).toThrow(message);
  });
});

describe("computeCost", () => {
  it("bills each class at its own price, and reasoning as part of the output", () => {
    expect(computeCost(PRICE, { input: 1, output: 0 })).toBe(3);
    expect(computeCost(PRICE, { input: 0, output: 1, reasoning: 1 })).toBe(5);
    expect(computeCost(PRICE, { input: 0, output: 0, cacheRead: 1 })).toBe(7);
    expect(computeCost(PRICE, { input: 0, output: 0, cacheWrite: 3, cacheWrite1h: 1 })).toBe(2 * 11 + 13);
  });

  it("is exact, and the nearest number when the sum is too large", () => {
    const dear = { ...PRICE, input: 75_000_001, output: 999_999_937 };
    fc.assert(
      fc.property(fc.constantFrom(PRICE, dear), usages, (price, usage) => {
        expect(computeCost(price, usage)).toBe(Number(exact(price, usage)));
      }),
    );
  });

  it("rounds once when the terms cannot be added exactly", () => {
    const price = { ...PRICE, input: 1, output: 1, cacheRead: 1 };
    const usage = { input: Number.MAX_SAFE_INTEGER, output: 2, cacheRead: 2 };
    expect(usage.input + usage.output + usage.cacheRead).not.toBe(Number(exact(price, usage)));
    expect(computeCost(price, usage)).toBe(Number(exact(price, usage)));
  });

  it("uses a tier's price for prompts longer than its start", () => {
    const price: Price = {
      ...PRICE,
      tiers: [
        { ...PRICE, over: 100, input: 30 },
        { ...PRICE, over: 200, input: 300 },
      ],
    };
    const inputCost = (usage: Usage, promptTokens?: number) => computeCost(price, usage, promptTokens);
    expect(inputCost({ input: 100, output: 0 })).toBe(300);
    expect(inputCost({ input: 101, output: 0 })).toBe(101 * 30);
    expect(inputCost({ input: 201, output: 0 })).toBe(201 * 300);
    expect(inputCost({ input: 1, output: 0, cacheRead: 99, cacheWrite: 1 })).toBe(30 + 99 * 7 + 11);
    expect(inputCost({ input: 1, output: 0 }, 201)).toBe(300);
  });

  it.each(["input", "output", "cacheRead", "cacheWrite", "cacheWrite1h", "reasoning"])(
    "rejects a %s that is negative or not a whole number",
    (name) => {
      for (const count of [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
        const usage = { input: 1, output: 1, cacheWrite: 1, [name]: count };
        expect(() => computeCost(PRICE, usage)).toThrow(new RegExp(`^${name} must be a non-negative whole number`));
      }
    },
  );

  it("rejects more tokens in the one-hour cache than in the cache", () => {
    expect(() => computeCost(PRICE, { input: 0, output: 0, cacheWrite1h: 1 })).toThrow(RangeError);
  });
});

describe("toDollars", () => {
  it("returns the shortest decimal number", () => {
    expect([57_600_000_000, 104_960_000_000, 1, 0].map(toDollars)).toEqual([0.0576, 0.10496, 1e-12, 0]);
  });
});
