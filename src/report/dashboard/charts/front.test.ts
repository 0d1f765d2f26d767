import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type FrontPoint, findDominators, findFrontNames, findHullNames } from "./front.js";

const place = (name: string, cost: number, gain: number): FrontPoint => ({ name, cost, gain });

describe("findFrontNames and findHullNames", () => {
  it("sort by rising cost, keep ties and free systems, and leave out dominated ones", () => {
    const points = [
      place("expensive", 3, 0.9),
      place("free", 0, 0.2),
      place("worse", 3, 0.5),
      place("twin 1", 1, 0.6),
      place("twin 2", 1, 0.6),
    ];
    expect(findFrontNames(points)).toEqual(["free", "twin 1", "twin 2", "expensive"]);
    expect(findDominators(place("worse", 3, 0.5), points)).toEqual(["expensive", "twin 1", "twin 2"]);
    expect(findDominators(place("twin 1", 1, 0.6), points)).toEqual([]);
    expect(findFrontNames([])).toEqual([]);
  });

  it("leave points off the hull that a mixture of two others beats", () => {
    const points = [
      place("a", 0, 0),
      place("below", 1, 0.1),
      place("b", 2, 0.6),
      place("on", 3, 0.7),
      place("c", 4, 0.8),
    ];
    expect(findFrontNames(points)).toEqual(["a", "below", "b", "on", "c"]);
    expect(findHullNames(points)).toEqual(["a", "b", "on", "c"]);
  });

  it("leave out equal points under the hull, and keep those at its corners", () => {
    const points = [
      place("right", 4, 0.8),
      place("under", 2, 0.3),
      place("under twin", 2, 0.3),
      place("left", 0, 0.2),
      place("right twin", 4, 0.8),
    ];
    expect(findHullNames(points)).toEqual(["left", "right", "right twin"]);
  });

  it("keep points on the line of the hull despite rounding", () => {
    expect(findHullNames([0.1, 0.2, 0.3, 0.4].map((x) => place(String(x), x, x * 3)))).toHaveLength(4);
    expect(findHullNames([place("a", 1, 1), place("b", 1, 1)])).toEqual(["a", "b"]);
  });
});

const points = fc
  .array(fc.record({ cost: fc.integer({ min: 0, max: 20 }), gain: fc.integer({ min: 0, max: 20 }) }), { maxLength: 12 })
  .map((list) => list.map(({ cost, gain }, i) => place(`s${i}`, cost, gain)));

describe("of any points", () => {
  it("the front consists of the points that no other dominates", () => {
    fc.assert(
      fc.property(points, (all) => {
        const free = all.filter((point) => findDominators(point, all).length === 0).map(({ name }) => name);
        expect(findFrontNames(all).sort()).toEqual(free.sort());
      }),
    );
  });

  it("the hull consists of the front points that are under no line between two others", () => {
    fc.assert(
      fc.property(points, (all) => {
        const front = all.filter(({ name }) => findFrontNames(all).includes(name));
        const isUnder = (p: FrontPoint) =>
          front.some((a) =>
            front.some(
              (b) =>
                a.cost < p.cost &&
                p.cost < b.cost &&
                (p.gain - a.gain) * (b.cost - a.cost) < (b.gain - a.gain) * (p.cost - a.cost),
            ),
          );
        const expected = front.filter((point) => !isUnder(point)).map(({ name }) => name);
        expect(findHullNames(all).sort()).toEqual(expected.sort());
      }),
    );
  });
});
