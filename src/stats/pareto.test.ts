import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ParetoPoint, paretoFronts } from "./pareto.js";
import { createRandom } from "./random.js";

function dominates(x: { quality: number; cost: number }, y: { quality: number; cost: number }): boolean {
  return x.quality >= y.quality && x.cost <= y.cost && (x.quality > y.quality || x.cost < y.cost);
}

function peel(points: readonly ParetoPoint[]): number[] {
  const ranks = Array.from({ length: points.length }, () => 0);
  let left = points.flatMap(({ quality, cost }, index) =>
    quality === null || cost === null ? [] : [{ quality, cost, index }],
  );
  let front = 0;
  while (left.length > 0) {
    front++;
    const best = left.filter((point) => !left.some((other) => dominates(other, point)));
    for (const { index } of best) ranks[index] = front;
    left = left.filter((point) => !best.includes(point));
  }
  return ranks.map((rank) => rank || front + 1);
}

describe("paretoFronts", () => {
  it("finds fronts by weak dominance, with ties together", () => {
    const points = [
      { quality: 0.9, cost: 5 },
      { quality: 0.8, cost: 9 },
      { quality: 0.7, cost: 1 },
      { quality: 0.9, cost: 5 },
      { quality: 0.9, cost: 6 },
      { quality: 0.7, cost: 10 },
    ];
    expect(paretoFronts(points)).toEqual([1, 3, 1, 1, 2, 4]);
  });

  it("ranks missing values last and an infinite cost as the worst", () => {
    const inf = Number.POSITIVE_INFINITY;
    expect(
      paretoFronts([
        { quality: null, cost: 1 },
        { quality: 0.9, cost: null },
        { quality: Number.NaN, cost: 1 },
        { quality: 0, cost: inf },
        { quality: 0.5, cost: inf },
        { quality: 0.2, cost: 3 },
      ]),
    ).toEqual([3, 3, 3, 2, 1, 1]);
    expect(paretoFronts([{ quality: null, cost: null }])).toEqual([1]);
    expect(paretoFronts([])).toEqual([]);
  });

  it("matches a comparison of every pair", () => {
    const coordinate = fc.oneof(
      fc.integer({ min: 0, max: 6 }),
      fc.constant(Number.POSITIVE_INFINITY),
      fc.constant(null),
    );
    fc.assert(
      fc.property(fc.array(fc.record({ quality: coordinate, cost: coordinate }), { maxLength: 40 }), (points) => {
        expect(paretoFronts(points)).toEqual(peel(points));
      }),
      { numRuns: 300 },
    );
  });

  it("ranks ten thousand points, even if each is its own front", () => {
    const random = createRandom("many");
    const cloud = Array.from({ length: 10_000 }, () => ({ quality: random.next(), cost: random.next() }));
    const chain = Array.from({ length: 10_000 }, (_, i) => ({ quality: -i, cost: i }));
    expect(Math.max(...paretoFronts(cloud))).toBeLessThan(400);
    expect(paretoFronts(chain)).toEqual(chain.map((_, i) => i + 1));
  });
});
