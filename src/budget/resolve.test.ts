import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BudgetError } from "../core/errors.js";
import { type Budgets, type Pricing, resolveBudgets } from "./index.js";

const CASES = resolve(import.meta.dirname, "../../../shared/cases/budgets.json");
const AREA = "budget.resolve_max_cost";

function priced(input: number, output: number): Pricing {
  return { input_per_1k: input, output_per_1k: output };
}

describe("resolveBudgets", () => {
  it.each([
    [0.0003, 0.0012, 0.0576, "formula"],
    [0.0006, 0.00208, 0.10496, "formula"],
    [0.00125, 0.01, 0.4, "formula"],
    [0.0025, 0.010625, 0.5, "formula"],
    [0.0025, 0.010626, 0.5, "ceiling"],
    [0.015, 0.075, 0.5, "ceiling"],
    [0, 0.001, 0.032, "formula"],
    [0, 0, 0, "free"],
  ])("%f and %f per 1,000 tokens give $%f by the rule %s", (input, output, maxCostUsd, rule) => {
    const enforced = maxCostUsd > 0;
    expect(resolveBudgets({ pricing: priced(input, output) })).toEqual({
      maxCostUsd,
      hardTimeoutSecs: 600,
      enforced,
      rule,
    });
  });

  it("uses a given limit, even above the ceiling and for a free model", () => {
    for (const pricing of [priced(0.0003, 0.0012), priced(0, 0)])
      expect(resolveBudgets({ pricing, budgets: { max_cost_usd: 3.25 } })).toMatchObject({
        maxCostUsd: 3.25,
        enforced: true,
        rule: "explicit",
      });
  });

  it("enforces nothing when the limit is 0, with and without a price", () => {
    for (const pricing of [priced(1, 1), null])
      expect(resolveBudgets({ pricing, budgets: { max_cost_usd: 0 } })).toMatchObject({
        maxCostUsd: 0,
        enforced: false,
        rule: "disabled",
      });
  });

  it("has no limit without a price, and rejects one that could never take effect", () => {
    const unpriced = { maxCostUsd: null, hardTimeoutSecs: 600, enforced: false, rule: "unpriced" };
    expect(resolveBudgets({})).toEqual(unpriced);
    expect(resolveBudgets({ pricing: null, budgets: null })).toEqual(unpriced);
    expect(resolveBudgets({ budgets: { max_tokens: 5 } })).toEqual(unpriced);
    expect(() => resolveBudgets({ budgets: { max_cost_usd: 0.3 } })).toThrow(/can never take effect/);
  });

  it("uses the given hard timeout", () => {
    expect(resolveBudgets({ budgets: { hard_timeout_secs: 0.5 } }).hardTimeoutSecs).toBe(0.5);
  });

  it.each([
    ["max_cost_usd", -1, /negative/],
    ["max_cost_usd", Number.NaN, /finite/],
    ["max_cost_usd", Number.POSITIVE_INFINITY, /finite/],
    ["max_cost_usd", "0.3", /must be a number, not the string "0.3"/],
    ["max_cost_usd", true, /must be a number/],
    ["max_cost_usd", 1e300, /at most/],
    ["hard_timeout_secs", 0, /above 0/],
    ["hard_timeout_secs", -5, /negative/],
    ["hard_timeout_secs", 3_000_000, /at most 2147483/],
    ["max_tokens", 0, /at least 1/],
    ["max_tokens", 1.5, /whole number/],
    ["max_tokens", -3, /negative/],
    ["expected_ttft_secs", -3, /negative/],
    ["expected_ttf_solution_secs", "soon", /must be a number/],
  ])("rejects %s: %j and names it", (key, value, message) => {
    const make = () => resolveBudgets({ pricing: priced(0.001, 0.005), budgets: { [key]: value } as Budgets });
    expect(make).toThrow(BudgetError);
    expect(make).toThrow(new RegExp(`budgets\\.${key} `));
    expect(make).toThrow(message);
  });

  it("never has a default above the ceiling, and enforces every limit above 0", () => {
    const price = fc.double({ min: 1e-6, max: 10, noNaN: true });
    fc.assert(
      fc.property(price, price, (input, output) => {
        const { maxCostUsd, enforced, rule } = resolveBudgets({ pricing: priced(input, output) });
        expect(maxCostUsd).toBeLessThanOrEqual(0.5);
        expect(maxCostUsd).toBeCloseTo(Math.min(0.5, input * 64 + output * 32), 6);
        expect(enforced).toBe(true);
        expect(["formula", "ceiling"]).toContain(rule);
      }),
    );
  });
});

interface Case {
  area: string;
  input: { model: string; pricing?: Pricing; budgets?: Budgets };
  expected: { max_cost_usd: number } | { error: string };
}

if (!existsSync(CASES)) console.info(`conformance cases skipped: ${CASES} is not there`);

describe.skipIf(!existsSync(CASES))("conformance cases", () => {
  const all = existsSync(CASES) ? (JSON.parse(readFileSync(CASES, "utf8")) as Case[]) : [];
  const cases = all.filter(({ area }) => area === AREA);

  it("has cases", () => {
    expect(cases.length).toBeGreaterThan(5);
  });

  it.each(cases.map((entry) => [entry.input.model, entry] as const))("%s", (_, { input, expected }) => {
    if ("error" in expected) expect(() => resolveBudgets(input)).toThrow(expected.error);
    else expect(resolveBudgets(input).maxCostUsd).toBe(expected.max_cost_usd);
  });
});
