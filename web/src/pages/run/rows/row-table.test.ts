import fc from "fast-check";
import { expect, test } from "vitest";
import { fixtureChunk, fixtureHead, fixtureTable } from "./row-fixture.js";
import { RowTable } from "./row-table.js";

test("pieces follow each other, and a row is found again by its key", () => {
  const table = new RowTable(fixtureHead(3));
  table.append(
    fixtureChunk([
      { id: 1, score: 0.5 },
      { id: "1", system: "alpha", trial: 2 },
    ]),
  );
  table.append(fixtureChunk([{ id: "x", dataset: "two", outcome: "error", category: "rate_limit" }], 2));
  expect(table.length).toBe(3);
  expect(table.keyAt(1)).toEqual({ system: "alpha", dataset: "one", exampleId: "1", trial: 2 });
  expect(table.placeOf({ system: "beta", dataset: "one", exampleId: 1, trial: 0 })).toBe(0);
  expect(table.placeOf({ system: "alpha", dataset: "one", exampleId: "1", trial: 2 })).toBe(1);
  expect(table.placeOf({ system: "alpha", dataset: "one", exampleId: 1, trial: 2 })).toBe(-1);
  expect([table.outcomeAt(2), table.categoryAt(2)]).toEqual(["error", "rate_limit"]);
});

test("what was not measured is not a number, and 0 is one", () => {
  const { columns } = fixtureTable([{ id: 1, score: 0 }, { id: 2 }]);
  expect([...columns.score.subarray(0, 2)]).toEqual([0, Number.NaN]);
  expect(columns.scores[0]?.[1]).toBeNaN();
});

test("more rows than were announced find room", () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.double({ noNaN: true }), { maxLength: 30 }), { maxLength: 6 }), (pieces) => {
      const table = new RowTable(fixtureHead(1));
      for (const piece of pieces) table.append(fixtureChunk(piece.map((score, id) => ({ id, score, f1: -score }))));
      const all = pieces.flat();
      expect(table.length).toBe(all.length);
      expect([...table.columns.score.subarray(0, all.length)]).toEqual(all);
      expect([...(table.columns.scores[0]?.subarray(0, all.length) ?? [])]).toEqual(all.map((score) => -score));
    }),
  );
});

test("tags are kept once for each set of them", () => {
  const table = fixtureTable([
    { id: 1, tags: ["a=1", "b=2"] },
    { id: 2, tags: ["a=1"] },
    { id: 3, tags: ["a=1", "b=2"] },
  ]);
  expect(table.tags).toEqual(["a=1", "b=2"]);
  expect(table.tagsAt(2)).toEqual(["a=1", "b=2"]);
  expect(table.columns.tagSet[0]).toBe(table.columns.tagSet[2]);
  expect(table.tagSetsWith(["b=2"])).toEqual([true, false]);
  expect(table.tagSetsWith(["c=3"])).toEqual([false, false]);
});
