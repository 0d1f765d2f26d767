import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pairedDifference } from "./paired.js";
import { detectableDifference, requiredTasks } from "./power.js";
import { createRandom, sampleNormal } from "./random.js";

describe("power", () => {
  it("follows N = (z_a/2 + z_b)² · variance / difference²", () => {
    const z = 1.959963984540054 + 0.8416212335729143;
    expect(detectableDifference({ n: 200, trialsA: 3 })).toBeCloseTo(
      z * Math.sqrt((1 / 9 + 1 / 18 + 1 / 18) / 200),
      12,
    );
    expect(requiredTasks({ difference: 0.03, omega2: 1 / 9, sigmaA2: 0, sigmaB2: 0 })).toBe(969);
    expect(
      detectableDifference({
        n: 50,
        trialsA: 2,
        trialsB: 5,
        omega2: 0.1,
        sigmaA2: 0.2,
        sigmaB2: 0.3,
        alpha: 0.05,
        power: 0.8,
      }),
    ).toBeCloseTo(z * Math.sqrt((0.1 + 0.1 + 0.06) / 50), 12);
  });

  it("inverts requiredTasks and detectableDifference", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 1, max: 20 }), (n, trialsA) => {
        expect(requiredTasks({ difference: detectableDifference({ n, trialsA }), trialsA })).toBe(n);
      }),
    );
  });

  it("detects that difference with 80 % power", () => {
    const n = 60;
    const difference = detectableDifference({ n, omega2: 1, sigmaA2: 0.5, sigmaB2: 0.5 });
    const random = createRandom("power");
    let found = 0;
    for (let i = 0; i < 600; i++) {
      const a = Array.from(
        { length: n },
        () => difference + sampleNormal(random) + Math.SQRT1_2 * sampleNormal(random),
      );
      const b = Array.from({ length: n }, () => Math.SQRT1_2 * sampleNormal(random));
      if ((pairedDifference(a, b, { seed: i, permutations: 1 }).p ?? 1) < 0.05) found++;
    }
    expect(found / 600).toBeGreaterThan(0.74);
    expect(found / 600).toBeLessThan(0.85);
  });

  it("names an invalid argument", () => {
    expect(() => detectableDifference({ n: 0 })).toThrow(/^n must/);
    expect(() => detectableDifference({ n: 5, trialsA: 0 })).toThrow(/^trialsA must/);
    expect(() => detectableDifference({ n: 5, omega2: -1 })).toThrow(/^omega2 must/);
    expect(() => requiredTasks({ difference: 0 })).toThrow(/^difference must/);
    expect(() => requiredTasks({ difference: 0.1, power: 1 })).toThrow(/^power must/);
  });
});
