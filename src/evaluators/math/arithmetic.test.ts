import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { computeExactValue, isSameNumber, parseDecimal } from "./arithmetic.js";

describe("computeExactValue", () => {
  it.each([
    ["12", 12n, 1n],
    ["-0.50", -1n, 2n],
    ["\\frac{6}{-4}", -3n, 2n],
    ["2\\frac{3}{4}", 11n, 4n],
    ["-2\\frac{3}{4}", -11n, 4n],
    ["2(3+4)", 14n, 1n],
    ["2*-3", -6n, 1n],
    ["2^{-3}", 1n, 8n],
    ["-2^2", -4n, 1n],
    ["(-2)^2", 4n, 1n],
    ["12/3/2", 2n, 1n],
    ["1.5e-3", 3n, 2000n],
    ["10^{100}-10^{100}+1", 1n, 1n],
  ])("%s", (text, top, bottom) => {
    expect(computeExactValue(text)).toMatchObject({ top, bottom });
  });

  it.each([
    "",
    "x",
    "1/0",
    "\\frac{1}{0}",
    "2^{0.5}",
    "9^{9^{9}}",
    "2^{100000}",
    "1.2.3",
    "(1",
    "1)",
    "1,2",
    "--",
    "\\frac{1}",
    "0^{-1}",
  ])("finds no number in %j", (text) => {
    expect(computeExactValue(text)).toBeNull();
  });

  it("returns null for deep nesting and for long input", () => {
    expect(computeExactValue(`${"(".repeat(60)}1${")".repeat(60)}`)).toBeNull();
    expect(computeExactValue("1".repeat(401))).toBeNull();
  });

  it("agrees with floating-point arithmetic on sums and products of small numbers", () => {
    const small = fc.integer({ min: -50, max: 50 });
    fc.assert(
      fc.property(small, small, fc.integer({ min: 1, max: 50 }), (a, b, c) => {
        const value = computeExactValue(`${a}*(${b})+\\frac{${a}}{${c}}`);
        expect(Number(value?.top) / Number(value?.bottom)).toBeCloseTo(a * b + a / c, 9);
      }),
    );
  });
});

describe("isSameNumber", () => {
  const same = (a: string, b: string) => {
    const [left, right] = [computeExactValue(a), computeExactValue(b)];
    return left !== null && right !== null && isSameNumber(left, right);
  };

  it("is exact, except for long decimals of periodic fractions and for floating-point error", () => {
    expect(same("0.5", "\\frac{1}{2}")).toBe(true);
    expect(same("0.666667", "\\frac{2}{3}")).toBe(true);
    expect(same("0.666666", "\\frac{2}{3}")).toBe(true);
    expect(same("0.66667", "\\frac{2}{3}")).toBe(false);
    expect(same("0.666668", "\\frac{2}{3}")).toBe(false);
    expect(same("0.30000000000000004", "0.3")).toBe(true);
    expect(same("0.3000001", "0.3")).toBe(false);
    expect(same("123456.8", "123456.7")).toBe(false);
  });

  it("never confuses a decimal with its neighbor", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 ** 9 }), fc.integer({ min: 0, max: 8 }), (digits, decimals) => {
        const [a, b] = [digits, digits + 1].map((number) => parseDecimal((number / 10 ** decimals).toFixed(decimals)));
        expect(a && b && isSameNumber(a, b)).toBe(false);
      }),
    );
  });
});
