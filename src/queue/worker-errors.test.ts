import { expect, it } from "vitest";
import { WorkerErrors } from "./worker-dismissals.js";

/** Who is found while each of these workers delivers this many trials in turn, with these shares of errors. */
function found(shares: Readonly<Record<string, number>>, trials = 40): string[] {
  const errors = new WorkerErrors();
  return Array.from({ length: trials }).flatMap((_, i) =>
    Object.entries(shares).flatMap(([worker, share]) =>
      errors.count(worker, "s", ((7 * i) % 10) / 10 < share).map(({ worker: name, figures }) => `${name}: ${figures}`),
    ),
  );
}

it("finds a worker once that fails where others succeed", () => {
  expect(found({ a: 0, bad: 1, c: 0.1 })).toEqual(["bad: 10 of its last 10 trials of s are errors"]);
});

it("finds two that fail where a third succeeds", () => {
  const names = found({ bad: 1, good: 0, worse: 0.9 }).map((words) => words.split(":", 1)[0]);
  expect(names).toEqual(["bad", "worse"]);
});

it("finds a fast one when the slow ones have succeeded a few times, whoever delivers last", () => {
  const errors = new WorkerErrors();
  for (let i = 0; i < 500; i++) expect(errors.count("bad", "s", true)).toEqual([]);
  expect([errors.count("a", "s", false), errors.count("b", "s", false)]).toEqual([[], []]);
  expect(errors.count("a", "s", false)).toEqual([
    { worker: "bad", figures: "50 of its last 50 trials of s are errors" },
  ]);
  expect(errors.count("bad", "s", true)).toEqual([]);
});

it("finds one that fails with one of several systems", () => {
  const errors = new WorkerErrors();
  const names = Array.from({ length: 20 }).flatMap(() =>
    ["bad", "good"].flatMap((worker) =>
      ["x", "y", "z"].flatMap((system) => errors.count(worker, system, worker === "bad" && system === "y")),
    ),
  );
  expect(names.map(({ worker }) => worker)).toEqual(["bad"]);
});

it.each([
  ["all fail alike", { a: 1, b: 1, c: 1 }, 100],
  ["it fails a little more often than the others", { a: 0.4, b: 0.6 }, 100],
  ["it fails less than half of the time", { a: 0, b: 0.4 }, 100],
  ["it is alone", { a: 1 }, 100],
  ["there are too few trials", { a: 0, b: 1 }, 9],
])("finds none where %s", (_, shares, trials) => {
  expect(found(shares, trials)).toEqual([]);
});
