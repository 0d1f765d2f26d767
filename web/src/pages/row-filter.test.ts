import fc from "fast-check";
import { expect, test } from "vitest";
import { buildSelectionQuery, joinValues, parseRowFilter, splitValues } from "./row-filter.js";

test("joined values can be split again, whatever they contain", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1, unit: fc.constantFrom(",", "\\", "a", "=", " ") })), (words) => {
      expect(splitValues(joinValues(words))).toEqual(words);
    }),
  );
});

test("splits a missing or empty text into no values", () => {
  expect(splitValues(undefined)).toEqual([]);
  expect(splitValues("")).toEqual([]);
  expect(splitValues("pass,fail")).toEqual(["pass", "fail"]);
});

test("turns a chart selection into the filter of its rows", () => {
  const filter = parseRowFilter(
    buildSelectionQuery({ system: "a,b", facets: { depth: 0.5, length: 4096 }, latency: { from: 0, to: 2 } }),
  );
  expect(filter).toMatchObject({ systems: ["a,b"], tags: ["depth=0.5", "length=4096"], latencyFrom: 0, latencyTo: 2 });
  expect(parseRowFilter(buildSelectionQuery({ category: "cost_killed", dataset: "needle" }))).toMatchObject({
    systems: [],
    datasets: ["needle"],
    categories: ["cost_killed"],
  });
});
