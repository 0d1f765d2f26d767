import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatOrder, parseOrder, sortByValue, toggleOrder } from "./order.js";

describe("the order of a table", () => {
  test("survives the URL", () => {
    const order = fc.record({ key: fc.stringMatching(/^[a-z][a-z_]*$/), isDescending: fc.boolean() });
    fc.assert(
      fc.property(order, (given) => {
        expect(parseOrder(formatOrder(given), { key: "other", isDescending: false })).toEqual(given);
      }),
    );
  });

  test("defaults to the page's order when the URL names none", () => {
    expect(parseOrder(undefined, { key: "when", isDescending: true })).toEqual({ key: "when", isDescending: true });
  });

  test("is reversed on the same column, and starts anew on another", () => {
    const order = { key: "cost", isDescending: false };
    expect(toggleOrder(order, { key: "cost" })).toEqual({ key: "cost", isDescending: true });
    expect(toggleOrder(order, { key: "quality", startsDescending: true })).toEqual({
      key: "quality",
      isDescending: true,
    });
  });

  test("puts unknown values last in both directions", () => {
    const values = [3, null, 1, null, 2];
    expect(sortByValue(values, (value) => value, false)).toEqual([1, 2, 3, null, null]);
    expect(sortByValue(values, (value) => value, true)).toEqual([3, 2, 1, null, null]);
  });

  test("sorts names with numbers, ignoring case", () => {
    expect(sortByValue(["run 10", "Run 9", "run 2"], (name) => name, false)).toEqual(["run 2", "Run 9", "run 10"]);
  });

  test("is stable and loses no row", () => {
    const rows = fc.array(fc.record({ value: fc.option(fc.integer({ min: 0, max: 3 })), place: fc.integer() }));
    fc.assert(
      fc.property(rows, fc.boolean(), (given, isDescending) => {
        const numbered = given.map((row, place) => ({ ...row, place }));
        const sorted = sortByValue(numbered, ({ value }) => value, isDescending);
        expect(new Set(sorted)).toEqual(new Set(numbered));
        for (const [index, row] of sorted.entries()) {
          const next = sorted[index + 1];
          if (next !== undefined && next.value === row.value) expect(next.place).toBeGreaterThan(row.place);
        }
      }),
    );
  });
});
