import { expect, test } from "vitest";
import { formatRateRange } from "./columns.js";

test("shows the lowest and the highest pass rate of a run", () => {
  const ranges = [
    formatRateRange([]),
    formatRateRange([null]),
    formatRateRange([0.9, null, 0.5, 0.7]),
    formatRateRange([1, 1]),
  ];
  expect(ranges).toEqual(["–", "–", "0.50–0.90", "1.00"]);
});
