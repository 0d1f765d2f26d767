import fc from "fast-check";
import { expect, test } from "vitest";
import { RowTable } from "./row-table.js";
import { createSampleChunk, createSampleHead, createSampleTable } from "./rows-testing.js";

test("appends chunks, and finds a row by its key", () => {
  const table = new RowTable(createSampleHead(3));
  table.append(
    createSampleChunk([
      { id: 1, score: 0.5 },
      { id: "1", system: "alpha", trial: 2 },
    ]),
  );
  table.append(createSampleChunk([{ id: "x", dataset: "two", outcome: "error", category: "rate_limit" }], 2));
  expect(table.length).toBe(3);
  expect(table.getKey(1)).toEqual({ system: "alpha", dataset: "one", exampleId: "1", trial: 2 });
  expect(table.findRow({ system: "beta", dataset: "one", exampleId: 1, trial: 0 })).toBe(0);
  expect(table.findRow({ system: "alpha", dataset: "one", exampleId: "1", trial: 2 })).toBe(1);
  expect(table.findRow({ system: "alpha", dataset: "one", exampleId: 1, trial: 2 })).toBe(-1);
  expect([table.getOutcome(2), table.getCategory(2)]).toEqual(["error", "rate_limit"]);
});

test("stores missing values as NaN, and 0 as 0", () => {
  const { columns } = createSampleTable([{ id: 1, score: 0 }, { id: 2 }]);
  expect([...columns.score.subarray(0, 2)]).toEqual([0, Number.NaN]);
  expect(columns.scores[0]?.[1]).toBeNaN();
});

test("grows when more rows arrive than announced", () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.double({ noNaN: true }), { maxLength: 30 }), { maxLength: 6 }), (pieces) => {
      const table = new RowTable(createSampleHead(1));
      for (const piece of pieces)
        table.append(createSampleChunk(piece.map((score, id) => ({ id, score, f1: -score }))));
      const all = pieces.flat();
      expect(table.length).toBe(all.length);
      expect([...table.columns.score.subarray(0, all.length)]).toEqual(all);
      expect([...(table.columns.scores[0]?.subarray(0, all.length) ?? [])]).toEqual(all.map((score) => -score));
    }),
  );
});

test("stores each set of tags once", () => {
  const table = createSampleTable([
    { id: 1, tags: ["a=1", "b=2"] },
    { id: 2, tags: ["a=1"] },
    { id: 3, tags: ["a=1", "b=2"] },
  ]);
  expect(table.tags).toEqual(["a=1", "b=2"]);
  expect(table.getTags(2)).toEqual(["a=1", "b=2"]);
  expect(table.columns.tagSet[0]).toBe(table.columns.tagSet[2]);
  expect(table.matchTagSets(["b=2"])).toEqual([true, false]);
  expect(table.matchTagSets(["c=3"])).toEqual([false, false]);
});
