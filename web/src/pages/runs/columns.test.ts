import { expect, test } from "vitest";
import { abbreviateNames } from "./columns.js";

test("names a few, and says how many more there are", () => {
  const names = [
    abbreviateNames([]),
    abbreviateNames(["a"]),
    abbreviateNames(["a", "b", "c"]),
    abbreviateNames(["a", "b", "c"], 2),
  ];
  expect(names).toEqual(["", "a", "a +2", "a, b +1"]);
});
