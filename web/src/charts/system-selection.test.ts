import { expect, test } from "vitest";
import { formatSystemNames, parseSystemNames, selectSystems } from "./system-selection.js";

test("names with commas and percent signs survive the address", () => {
  for (const names of [[], ["a"], ["swift [pi, agent]", "100%", "%2C", "%252C"]])
    expect(parseSystemNames(formatSystemNames(names))).toEqual(names);
  expect(parseSystemNames(undefined)).toBeNull();
});

test("selects all systems unless the address names some of them", () => {
  const select = (systems?: string) => {
    const { isSelected } = selectSystems({ path: [], query: systems === undefined ? {} : { systems } }, ["a", "b"]);
    return ["a", "b"].filter(isSelected);
  };
  expect(select()).toEqual(["a", "b"]);
  expect(select("b")).toEqual(["b"]);
  expect(select("-")).toEqual([]);
  expect(select("of-another-page")).toEqual(["a", "b"]);
});
