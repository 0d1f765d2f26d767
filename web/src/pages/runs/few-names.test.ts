import { expect, test } from "vitest";
import { fewOf } from "./few-names.js";

test("names a few, and says how many more there are", () => {
  const names = [fewOf([]), fewOf(["a"]), fewOf(["a", "b", "c"]), fewOf(["a", "b", "c"], 2)];
  expect(names).toEqual(["", "a", "a +2", "a, b +1"]);
});
