import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { paretoFronts } from "../../../../src/stats/pareto.js";
import { dominators, frontOf, hullOf, type Placed } from "./dominance.js";

const figure = fc.option(fc.integer({ min: 0, max: 6 }));
const points = fc
  .array(fc.record({ x: figure, y: figure }), { maxLength: 12 })
  .map((list): Placed[] => list.map((point, place) => ({ name: `s${place}`, ...point })));

describe("who is beaten by whom", () => {
  test("names those that are as good in both and better in one; ties beat nobody", () => {
    const given = [
      { name: "a", x: 1, y: 0.5 },
      { name: "tie", x: 1, y: 0.5 },
      { name: "b", x: 2, y: 0.5 },
      { name: "unknown", x: null, y: 0.9 },
    ];
    expect(dominators(given, "high")).toEqual([[], [], ["a", "tie"], []]);
    expect(dominators(given, "low")).toEqual([[], [], ["a", "tie"], []]);
  });

  test("leaves the same front as the ranks of reports", () => {
    fc.assert(
      fc.property(points, (given) => {
        const ranks = paretoFronts(given.map(({ x, y }) => ({ quality: y, cost: x })));
        const first = given.filter(({ x, y }, place) => x !== null && y !== null && ranks[place] === 1);
        expect(new Set(frontOf(given, "high"))).toEqual(new Set(first.map(({ name }) => name)));
      }),
    );
  });

  test("for times, small is good", () => {
    const given = [
      { name: "slow", x: 1, y: 9 },
      { name: "fast", x: 2, y: 1 },
      { name: "beaten", x: 3, y: 2 },
    ];
    expect(frontOf(given, "low")).toEqual(["slow", "fast"]);
  });
});

describe("the convex hull", () => {
  test("leaves out who is under a mixture of two others", () => {
    const given = [
      { name: "right", x: 4, y: 0.8 },
      { name: "under", x: 2, y: 0.3 },
      { name: "left", x: 0, y: 0.2 },
    ];
    expect(frontOf(given, "high")).toEqual(["left", "under", "right"]);
    expect(hullOf(given)).toEqual(["left", "right"]);
    const twins = [...given, { name: "twin", x: 2, y: 0.3 }, { name: "right twin", x: 4, y: 0.8 }];
    expect(hullOf(twins)).toEqual(["left", "right", "right twin"]);
  });

  test("is part of the front, with its ends, and nobody is above it", () => {
    fc.assert(
      fc.property(points, (given) => {
        const [front, hull] = [frontOf(given, "high"), hullOf(given)];
        expect(front).toEqual(expect.arrayContaining(hull));
        expect(hull).toEqual(expect.arrayContaining([...front.slice(0, 1), ...front.slice(-1)]));
        expect(slopes(given, hull)).toEqual([...slopes(given, hull)].sort((a, b) => b - a));
      }),
    );
  });
});

function slopes(given: readonly Placed[], names: readonly string[]): number[] {
  const known = names.map((name) => given.find((point) => point.name === name));
  return known.slice(1).flatMap((point, place) => {
    const before = known[place];
    const run = (point?.x ?? 0) - (before?.x ?? 0);
    return run === 0 ? [] : [((point?.y ?? 0) - (before?.y ?? 0)) / run];
  });
}
