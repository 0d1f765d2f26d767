import { expect, test } from "vitest";
import type { RunCard } from "../../../../src/report/dashboard/contract.js";
import { buildComparisonQuery, describeAbsentRuns, parseCompareChoice } from "./choice.js";

function run(id: string, ...systems: string[]): RunCard {
  return { id, systems: systems.map((system) => ({ system })) } as unknown as RunCard;
}

const RUNS = [run("r1", "x", "y"), run("r2", "x", "z"), run("r3", "w"), run("r4", "v")];

function parse(query: Record<string, string>, runs = RUNS) {
  return buildComparisonQuery(parseCompareChoice(query, runs));
}

test("compares two runs by systems of the same name, by their only systems, or by the named ones", () => {
  expect(parse({ a: "r1", b: "r2" })).toEqual({ a: "r1", b: "r2" });
  expect(parse({ a: "r3", b: "r4" })).toEqual({ a: "r3", b: "r4" });
  expect(parse({ a: "r1", b: "r3", systemA: "y" })).toEqual({ a: "r1", b: "r3", systemA: "y" });
  expect(parse({ a: "r1", b: "r2", systemA: "x" })).toEqual({ a: "r1", b: "r2", systemA: "x" });
});

test("compares the only run with itself", () => {
  expect(parse({}, RUNS.slice(0, 1))).toEqual({ a: "r1", b: "r1", systemA: "x", systemB: "y" });
  expect(parse({ a: "r1", b: "r1" })).toEqual({ a: "r1", b: "r1", systemA: "x", systemB: "y" });
});

test("says what still has to be chosen", () => {
  expect(parse({})).toMatch(/Choose two runs/);
  expect(parse({ a: "r1", b: "gone" })).toMatch(/Choose two runs/);
  expect(parse({ a: "r1", b: "r1", systemA: "x", systemB: "x" })).toMatch(/two of its systems/);
  expect(parse({ a: "r3", b: "r3" })).toMatch(/one system\. Choose another run/);
  expect(parse({ a: "r1", b: "r3" })).toMatch(/no system of the same name/);
  expect(parse({ a: "r1", b: "r2", systemA: "y" })).toMatch(/no system of the same name/);
});

test("names a run of the address that is gone or damaged", () => {
  const damaged = { ...run("bad"), status: "damaged", problem: "Its rows cannot be read." } as RunCard;
  expect(describeAbsentRuns({ a: "r1", b: "r2" }, RUNS)).toEqual([]);
  expect(describeAbsentRuns({ a: "", b: undefined }, RUNS)).toEqual([]);
  expect(describeAbsentRuns({ a: "gone", b: "gone" }, RUNS)).toEqual([
    expect.stringContaining("There is no run gone here"),
  ]);
  expect(describeAbsentRuns({ a: "r1", b: "bad" }, [...RUNS, damaged])).toEqual([
    "The run bad is damaged: Its rows cannot be read.",
  ]);
});
