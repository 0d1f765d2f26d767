import { expect, test } from "vitest";
import { formatShownRange } from "./pager.js";

test("a range says which of how many items are shown", () => {
  expect(formatShownRange({ offset: 100, count: 100, total: 20_000 }, "run")).toBe("101–200 of 20,000 runs");
  expect(formatShownRange({ offset: 0, count: 1, total: 1 }, "run")).toBe("1–1 of 1 run");
  expect(formatShownRange({ offset: 0, count: 0, total: 0 }, "run")).toBe("0 of 0 runs");
});
