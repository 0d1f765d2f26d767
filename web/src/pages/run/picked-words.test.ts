import { expect, test } from "vitest";
import { buildSelectionQuery } from "./picked-words.js";
import { parseRowFilter } from "./rows/row-filter.js";

test("what is picked in a chart becomes the filter of the rows behind it", () => {
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
