import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Choices, sumsOf } from "./sums.js";

/** Every choice, one by one. */
function enumerated({ weights, exclusions }: Choices): number[] {
  const sums = new Set<number>();
  for (let mask = 0; mask < 1 << weights.length; mask++) {
    const isTaken = (position: number) => ((mask >> position) & 1) === 1;
    if (exclusions.some(([a, b]) => isTaken(a) && isTaken(b))) continue;
    sums.add(weights.reduce((sum, weight, position) => sum + (isTaken(position) ? weight : 0), 0));
  }
  return [...sums].sort((a, b) => a - b);
}

describe("sumsOf", () => {
  it("gives what enumeration gives", () => {
    const choices = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 8 }).chain((weights) => {
      const position = fc.nat({ max: Math.max(0, weights.length - 1) });
      const pair = fc.tuple(position, position).filter(([a, b]) => a !== b);
      const exclusions = weights.length < 2 ? fc.constant([]) : fc.array(pair, { maxLength: 5 });
      return exclusions.map((given) => ({ weights, exclusions: given }));
    });
    fc.assert(
      fc.property(choices, (given) => {
        expect(sumsOf(given)).toEqual(enumerated(given));
      }),
    );
  });

  it("takes many equal weights, and gives up on too many different ones", () => {
    expect(sumsOf({ weights: Array<number>(60).fill(0.1), exclusions: [] })).toHaveLength(61);
    expect(sumsOf({ weights: Array.from({ length: 30 }, (_, i) => 2 ** i), exclusions: [] })).toBeNull();
  });
});
