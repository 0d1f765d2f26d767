import { expect, test } from "vitest";
import { filterExamples, groupExamples } from "./group-examples.js";
import { createSampleTable } from "./rows-testing.js";

const TABLE = createSampleTable([
  { id: 1, system: "beta", trial: 0, outcome: "pass" },
  { id: 1, system: "beta", trial: 1, outcome: "fail" },
  { id: 1, system: "alpha", outcome: "pass" },
  { id: "1", system: "beta", outcome: "pass" },
  { id: 1, dataset: "two", system: "beta", outcome: "error" },
]);

function groupAll() {
  const work = groupExamples(TABLE);
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
  }
}

test("rows are grouped by dataset and id with its type, and the first failed trial is shown", () => {
  const groups = groupAll();
  expect(groups.map(({ dataset, id }) => [dataset, id])).toEqual([
    ["one", 1],
    ["one", "1"],
    ["two", 1],
  ]);
  expect(groups[0]?.cells.get(0)).toEqual({ place: 1, trials: 2, passed: 1, failed: 1 });
});

test("examples are filtered by failures and by differences between systems", () => {
  const groups = groupAll();
  expect(filterExamples(groups, "failed")).toEqual([groups[0], groups[2]]);
  expect(filterExamples(groups, "differ")).toEqual([groups[0]]);
  expect(filterExamples(groups, undefined)).toHaveLength(3);
});
