import { expect, test } from "vitest";
import { abbreviateNames } from "./columns.js";

test("abbreviates a list of names with the number of the others", () => {
  const names = [
    abbreviateNames([]),
    abbreviateNames(["a"]),
    abbreviateNames(["a", "b", "c"]),
    abbreviateNames(["a", "b", "c"], 2),
  ];
  expect(names).toEqual(["", "a", "a +2", "a, b +1"]);
});
