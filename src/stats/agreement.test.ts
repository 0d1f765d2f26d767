import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cohenKappa, crossTable, quadraticKappa, rankValues, spearman } from "./agreement.js";

const pairs = (categories: number) =>
  fc.array(fc.tuple(fc.nat(categories - 1), fc.nat(categories - 1)), { minLength: 1, maxLength: 40 });

describe("cohenKappa", () => {
  it.each([
    // By hand: pₒ = 35/50, pₑ = .5·.6 + .5·.4 = .5, so .2/.5.
    [
      [
        [20, 5],
        [10, 15],
      ],
      0.4,
    ],
    // pₒ = 60/100, pₑ = .6·.7 + .4·.3 = .54, so .06/.46.
    [
      [
        [45, 15],
        [25, 15],
      ],
      0.06 / 0.46,
    ],
    // The same pₒ with other margins: pₑ = .6·.3 + .4·.7 = .46, so .14/.54.
    [
      [
        [25, 35],
        [5, 35],
      ],
      0.14 / 0.54,
    ],
    [
      [
        [0, 10],
        [10, 0],
      ],
      -1,
    ],
  ])("matches values computed by hand", (table, kappa) => {
    expect(cohenKappa(table)).toBeCloseTo(kappa, 12);
  });

  it("returns null without items and with one category, and 0 if one rater is constant", () => {
    expect(cohenKappa([])).toBeNull();
    expect(cohenKappa(crossTable([], [], 2))).toBeNull();
    expect(cohenKappa(crossTable([1, 1], [1, 1], 2))).toBeNull();
    expect(cohenKappa(crossTable([1, 1, 1], [1, 0, 1], 2))).toBe(0);
  });

  it("lies in [-1, 1], is symmetric, and is 1 for full agreement", () => {
    fc.assert(
      fc.property(pairs(4), (items) => {
        const [first, second] = [items.map(([a]) => a), items.map(([, b]) => b)];
        const kappa = cohenKappa(crossTable(first, second, 4));
        expect(kappa).toBe(cohenKappa(crossTable(second, first, 4)));
        expect(kappa === null || (kappa >= -1 && kappa <= 1)).toBe(true);
        expect(cohenKappa(crossTable(first, first, 4))).toBe(new Set(first).size === 1 ? null : 1);
      }),
    );
  });
});

describe("quadraticKappa", () => {
  it("matches values computed by hand", () => {
    // Two items are one category off, so Σ(i−j)²·nᵢⱼ = 2. Rows hold 2, 1, 2 items and columns 1, 3, 1, so by chance
    // (0,1): 6, (0,2): 8, (1,0): 1, (1,2): 1, (2,0): 8, (2,1): 6, together 30.
    const table = [
      [1, 1, 0],
      [0, 1, 0],
      [0, 1, 1],
    ];
    expect(quadraticKappa(table)).toBeCloseTo(1 - (5 * 2) / 30, 12);
  });

  it("equals Cohen's kappa for two categories, and is null where that is", () => {
    fc.assert(
      fc.property(pairs(2), (items) => {
        const table = crossTable(
          items.map(([a]) => a),
          items.map(([, b]) => b),
          2,
        );
        const [plain, weighted] = [cohenKappa(table), quadraticKappa(table)];
        if (plain === null || weighted === null) expect(weighted).toBe(plain);
        else expect(weighted).toBeCloseTo(plain, 10);
      }),
    );
  });

  it("penalizes distant categories more than neighbors", () => {
    const near = quadraticKappa(crossTable([0, 1, 2, 3, 4], [1, 2, 3, 4, 4], 5)) ?? 0;
    const far = quadraticKappa(crossTable([0, 1, 2, 3, 4], [4, 1, 2, 3, 0], 5)) ?? 0;
    expect(near).toBeGreaterThan(far);
  });
});

describe("spearman", () => {
  it("matches values computed by hand, with ties", () => {
    expect([...rankValues([10, 20, 20, 5])]).toEqual([2, 3.5, 3.5, 1]);
    // Without ties it is 1 − 6Σd²/(n(n²−1)): d = 0,1,−1,0,0 → 1 − 12/120.
    expect(spearman([1, 2, 3, 4, 5], [1, 3, 2, 4, 5])).toBeCloseTo(0.9, 12);
  });

  it("returns null for one item and for constant values", () => {
    expect(spearman([], [])).toBeNull();
    expect(spearman([1], [2])).toBeNull();
    expect(spearman([1, 2, 3], [7, 7, 7])).toBeNull();
  });

  it("is invariant under monotone transformations", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: -9, max: 9 }), fc.integer({ min: -9, max: 9 }))), (items) => {
        const [x, y] = [items.map(([a]) => a), items.map(([, b]) => b)];
        const rho = spearman(x, y);
        const stretched = spearman(
          x.map((value) => value ** 3),
          y,
        );
        expect(stretched).toBe(rho);
        expect(rho === null || Math.abs(rho) <= 1).toBe(true);
      }),
    );
  });
});

it("rejects categories out of range", () => {
  expect(() => crossTable([2], [0], 2)).toThrow(/category must be an integer from 0 to 1, got 2/);
  expect(() => crossTable([0, 1], [0], 2)).toThrow(/same length/);
});
