import { expect, it } from "vitest";
import { WorkerErrors } from "./worker-errors.js";

/** What is said while each of these workers delivers so many trials, in turn, of which some share are errors. */
function said(shares: Readonly<Record<string, number>>, trials = 40): string[] {
  const errors = new WorkerErrors();
  return Array.from({ length: trials }).flatMap((_, i) =>
    Object.entries(shares).flatMap(([worker, share]) => errors.count(worker, ((7 * i) % 10) / 10 < share) ?? []),
  );
}

it("names a worker once that fails where others pass, and says what to do", () => {
  expect(said({ a: 0, bad: 1, c: 0.1 })).toEqual([
    expect.stringMatching(
      /^the worker bad fails where others pass: 10 of its last 10 trials .*--resume runs its errors/,
    ),
  ]);
});

it.each([
  ["all fail alike", { a: 1, b: 1 }, 40],
  ["it fails a little more often than the others", { a: 0.4, b: 0.6 }, 40],
  ["it fails less than half of the time", { a: 0, b: 0.4 }, 40],
  ["it is alone", { a: 1 }, 40],
  ["there are too few trials", { a: 0, b: 1 }, 9],
])("names none where %s", (_, shares, trials) => {
  expect(said(shares, trials)).toEqual([]);
});
