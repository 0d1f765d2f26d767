import fc from "fast-check";
import { expect, test } from "vitest";
import type { TrialLabel } from "../../../../src/report/dashboard/contract.js";
import { buildRowFilterQuery, groupMatches, hasRowFilter, parseRowFilter } from "../row-filter.js";
import { createSampleTable, type SampleRow } from "./rows-testing.js";
import { compareIds, createRowComparator, mergeSort, PLANNED_ORDER, selectRows } from "./select-rows.js";

const ROWS: readonly SampleRow[] = [
  { id: "q1", outcome: "pass", score: 0.9, latency: 1, f1: 0.2, tags: ["subject=law"] },
  { id: "q2", outcome: "fail", score: 0.1, system: "alpha", latency: 2, tags: ["subject=law", "depth=1"] },
  { id: "Q10", outcome: "error", category: "timeout", score: null, dataset: "two", latency: null },
  { id: 7, outcome: "pass", score: 0.5, trial: 1, latency: 4, f1: 0.8 },
];

function idsFor(query: Record<string, string>, sort = "", found: Parameters<typeof groupMatches>[0] | null = null) {
  const table = createSampleTable(ROWS);
  const order = sort === "" ? PLANNED_ORDER : { key: sort.replace(/^-/, ""), isDescending: sort.startsWith("-") };
  const matches = found === null ? null : groupMatches(found);
  const key = { system: "beta", dataset: "one", trial: 0, note: "", tags: [], blind: true, at: "", labeler: null };
  const labels = groupMatches<TrialLabel>([
    { ...key, exampleId: "q1", verdict: "wrong" },
    { ...key, exampleId: "q2", system: "alpha", verdict: "wrong" },
    { ...key, exampleId: 7, trial: 1, verdict: "right" },
    { ...key, exampleId: "Q10", dataset: "two", verdict: null, note: "odd" },
  ]);
  const places = finish(selectRows(table, { filter: parseRowFilter(query), order, matches, labels }));
  return [...places].map((place) => table.ids[place]);
}

function finish<T>(work: Generator<void, T>): T {
  let step = work.next();
  while (!step.done) step = work.next();
  return step.value;
}

test("rows are selected by their label, and by whether it disagrees with the outcome", () => {
  expect(idsFor({ label: "right" })).toEqual([7]);
  expect(idsFor({ label: "wrong" })).toEqual(["q1", "q2"]);
  expect(idsFor({ label: "differs" })).toEqual(["q1"]);
  expect(idsFor({ label: "none" })).toEqual(["Q10"]);
});

test("each filter selects the rows that match it", () => {
  expect(idsFor({})).toEqual(["q1", "q2", "Q10", 7]);
  expect(idsFor({ outcome: "fail,error" })).toEqual(["q2", "Q10"]);
  expect(idsFor({ system: "alpha" })).toEqual(["q2"]);
  expect(idsFor({ dataset: "two" })).toEqual(["Q10"]);
  expect(idsFor({ category: "timeout" })).toEqual(["Q10"]);
  expect(idsFor({ tag: "subject=law,depth=1" })).toEqual(["q2"]);
  expect(idsFor({ tag: "nobody=has" })).toEqual([]);
  expect(idsFor({ outcome: "pass", min: "0.6" })).toEqual(["q1"]);
});

test("the name of a system alone finds its rows", () => {
  expect(idsFor({ text: "Alph" })).toEqual(["q2"]);
});

test("a range filters by the primary score or by a field, without rows that lack it", () => {
  expect(idsFor({ min: "0.1", max: "0.5" })).toEqual(["q2", 7]);
  expect(idsFor({ field: "f1", min: "0" })).toEqual(["q1", 7]);
  expect(idsFor({ field: "unknown", min: "0" })).toEqual([]);
  expect(idsFor({ latencyFrom: "2", latencyTo: "4" })).toEqual(["q2", 7]);
});

test("a text is searched in ids, ignoring case, and among the matches of the search", () => {
  expect(idsFor({ text: "q1" })).toEqual(["q1", "Q10"]);
  const found = [
    { system: "beta", dataset: "one", exampleId: 7, trial: 1 },
    { system: "beta", dataset: "one", exampleId: "q2", trial: 0 },
  ];
  expect(idsFor({ text: "nothing like it" }, "", found)).toEqual([7]);
});

test("rows are sorted by any column, missing values last in both directions", () => {
  expect(idsFor({}, "score")).toEqual(["q2", 7, "q1", "Q10"]);
  expect(idsFor({}, "-score")).toEqual(["q1", 7, "q2", "Q10"]);
  expect(idsFor({}, "-field:f1")).toEqual([7, "q1", "q2", "Q10"]);
  expect(idsFor({}, "example")).toEqual([7, "Q10", "q1", "q2"]);
  expect(idsFor({}, "system")).toEqual(["q2", "q1", "Q10", 7]);
  expect(idsFor({}, "category")).toEqual(["q1", "q2", 7, "Q10"]);
  expect(idsFor({}, "nonsense")).toEqual(["q1", "q2", "Q10", 7]);
});

test("sorts many rows as Array.sort does", () => {
  fc.assert(
    fc.property(
      fc.infiniteStream(fc.integer({ min: 0, max: 50 })),
      fc.integer({ min: 0, max: 20_000 }),
      (stream, n) => {
        const rows = Array.from({ length: n }, (_, id) => ({ id, score: stream.next().value ?? 0 }));
        const table = createSampleTable(rows);
        const compare = createRowComparator(table, { key: "score", isDescending: true });
        const places = finish(mergeSort(Uint32Array.from(rows.keys()), compare ?? (() => 0)));
        const expected = rows.toSorted((a, b) => b.score - a.score || a.id - b.id).map(({ id }) => id);
        expect([...places]).toEqual(expected);
      },
    ),
    { numRuns: 15 },
  );
});

test("a filter survives the address", () => {
  const filter = { ...parseRowFilter({}), outcomes: ["pass"], tags: ["a=1,2"], min: 0, max: 0.5, text: "x" };
  const words = buildRowFilterQuery(filter);
  expect(parseRowFilter(words)).toEqual(filter);
  expect(hasRowFilter(words)).toBe(true);
  expect(hasRowFilter({ sort: "score" })).toBe(false);
  expect(parseRowFilter({ min: "much" }).min).toBeNull();
});

const anyId = fc.oneof(fc.integer(), fc.string({ unit: fc.constantFrom("a", "b", "0", "1", "9", "-") }));

test("orders ids by the numbers in them", () => {
  expect(["q10", "b", "q2", 30, 4, "q2a"].sort(compareIds)).toEqual([4, 30, "b", "q2", "q2a", "q10"]);
  expect(compareIds("q01", "q1")).not.toBe(0);
  expect(compareIds("999999999999999999998", "999999999999999999999")).toBeLessThan(0);
});

test("the order of ids is consistent and transitive", () => {
  fc.assert(
    fc.property(anyId, anyId, anyId, (a, b, c) => {
      expect(Math.sign(compareIds(a, b))).toBe(-Math.sign(compareIds(b, a)) || 0);
      if (compareIds(a, b) === 0) expect(a).toBe(b);
      if (compareIds(a, b) < 0 && compareIds(b, c) < 0) expect(compareIds(a, c)).toBeLessThan(0);
    }),
  );
});
