import fc from "fast-check";
import { expect, test } from "vitest";
import { moveInGrid } from "./grid.js";

const SIZE = { rows: 100, columns: 5, page: 20 };

test("keys move by a cell, by a page, and to both ends", () => {
  const at = { row: 50, column: 2 };
  expect(moveInGrid("ArrowDown", at, SIZE)).toEqual({ row: 51, column: 2 });
  expect(moveInGrid("ArrowLeft", at, SIZE)).toEqual({ row: 50, column: 1 });
  expect(moveInGrid("PageDown", at, SIZE)).toEqual({ row: 70, column: 2 });
  expect(moveInGrid("PageUp", { row: 5, column: 2 }, SIZE)).toEqual({ row: 0, column: 2 });
  expect(moveInGrid("Home", at, SIZE)).toEqual({ row: 0, column: 2 });
  expect(moveInGrid("End", at, SIZE)).toEqual({ row: 99, column: 2 });
  expect(moveInGrid("ArrowUp", { row: 0, column: 0 }, SIZE)).toEqual({ row: -1, column: 0 });
  expect(moveInGrid("x", at, SIZE)).toBeNull();
});

test("no key leaves the grid, however small it is", () => {
  const keys = fc.constantFrom("ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "PageUp", "PageDown", "Home", "End");
  fc.assert(
    fc.property(keys, fc.integer({ min: 0, max: 3 }), fc.integer({ min: -1, max: 2 }), (key, rows, row) => {
      const moved = moveInGrid(key, { row: Math.min(row, rows - 1), column: 0 }, { rows, columns: 1, page: 10 });
      expect(moved?.column).toBe(0);
      expect(moved?.row).toBeGreaterThanOrEqual(-1);
      expect(moved?.row).toBeLessThan(Math.max(rows, 0));
    }),
  );
});
