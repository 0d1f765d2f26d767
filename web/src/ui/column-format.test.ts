import fc from "fast-check";
import { expect, test } from "vitest";
import { type ColumnKind, chooseColumnFormat, findBestValue } from "./column-format.js";

function formatAll(kind: ColumnKind, values: readonly (number | null)[]): string[] {
  const { unit, format } = chooseColumnFormat(kind, values);
  return [unit, ...values.map(format)];
}

test("gives all values of a column the same unit and precision", () => {
  expect(formatAll("seconds", [0.62, 1.573, null])).toEqual(["s", "0.62", "1.57", "–"]);
  expect(formatAll("seconds", [0.62, 41.29])).toEqual(["s", "0.6", "41.3"]);
  expect(formatAll("seconds", [98, 5394])).toEqual(["min", "1.6", "89.9"]);
  expect(formatAll("seconds", [60, 14_400])).toEqual(["h", "0.02", "4.00"]);
  expect(formatAll("seconds", [144, 660, 8860])).toEqual(["min", "2.4", "11.0", "147.7"]);
  expect(formatAll("ms", [120, 467.2])).toEqual(["ms", "120", "467"]);
  expect(formatAll("usd", [0.0528, 2.54])).toEqual(["$", "0.053", "2.540"]);
  expect(formatAll("usd", [0.000057, 0.00066])).toEqual(["$ per 1,000", "0.057", "0.660"]);
  expect(formatAll("share", [0.967, 1])).toEqual(["%", "96.7", "100.0"]);
  expect(formatAll("count", [12, 12_345])).toEqual(["", "12", "12,345"]);
});

test("does not write a tiny cost as zero", () => {
  expect(formatAll("usd", [0.0000001, 12])).toEqual(["$", "< 0.001", "12.000"]);
  expect(formatAll("usd", [0, 12])).toEqual(["$", "0.00", "12.00"]);
});

test("marks the best value unless most are equally good", () => {
  expect(findBestValue([0.9, 0.8, 0.9, 0.7], true)).toBe(0.9);
  expect(findBestValue([3, 1, 2], false)).toBe(1);
  expect(findBestValue([100, 100, 95], true)).toBeNull();
  expect(findBestValue([1, 1], true)).toBeNull();
  expect(findBestValue([1], true)).toBeNull();
  expect(findBestValue([], true)).toBeNull();
});

test("writes every value without NaN", () => {
  const kinds: ColumnKind[] = ["score", "share", "usd", "seconds", "ms", "count", "rank", "number"];
  fc.assert(
    fc.property(
      fc.constantFrom(...kinds),
      fc.array(fc.option(fc.double({ min: 0, max: 1e9, noNaN: true }), { nil: null })),
      (kind, values) => {
        for (const text of formatAll(kind, values)) expect(text).not.toMatch(/NaN|undefined|Infinity/);
      },
    ),
  );
});
