import { describe, expect, it } from "vitest";
import { normalQuantile, studentQuantile } from "./distributions.js";
import { meanInterval } from "./intervals.js";
import {
  nonInferiorityTest,
  type PairedCounts,
  requiredForDecision,
  tangoBounds,
  tangoStatistic,
} from "./non-inferiority.js";
import { createRandom, type Random } from "./random.js";

/** Maximizes the likelihood of the counts by search, given that B passes `delta` more tasks than A. */
function searchLostShare({ gained, lost, n }: PairedCounts, delta: number): number {
  const logLikelihood = (share: number) => {
    const parts = [
      [gained, share + delta],
      [lost, share],
      [n - gained - lost, 1 - 2 * share - delta],
    ] as const;
    return parts.reduce((total, [count, p]) => total + (count === 0 ? 0 : count * Math.log(Math.max(p, 1e-300))), 0);
  };
  let [low, high] = [Math.max(0, -delta), (1 - delta) / 2];
  for (let i = 0; i < 200; i++) {
    const [left, right] = [low + (high - low) / 3, high - (high - low) / 3];
    if (logLikelihood(left) < logLikelihood(right)) low = left;
    else high = right;
  }
  return (low + high) / 2;
}

/** The score statistic without the closed form. */
function searchStatistic(counts: PairedCounts, delta: number): number {
  const { gained, lost, n } = counts;
  const share = searchLostShare(counts, delta);
  return (gained - lost - n * delta) / Math.sqrt(n * (2 * share + delta - delta * delta));
}

describe("tangoBounds", () => {
  it("equals a published two-sided 95 % interval", () => {
    // Response before and after therapy (Cavo et al. 2012), in Fagerland, Lydersen, Laake: Statistical Analysis of
    // Contingency Tables (2017), chapter 8, and the tests of the R package contingencytables.
    const { difference, low, high } = tangoBounds({ gained: 6, lost: 16, n: 161 }, 0.975);
    expect(difference).toBeCloseTo(-0.0621, 4);
    expect(low).toBeCloseTo(-0.124, 4);
    expect(high).toBeCloseTo(-0.0054, 4);
  });

  it("equals another one, with few tasks", () => {
    // Airway hyper-responsiveness before and after treatment (Bentur et al. 2009), in Fagerland, Lydersen, Laake:
    // Recommended tests and confidence intervals for paired binomial proportions, Statistics in Medicine 33 (2014).
    const { low, high } = tangoBounds({ gained: 1, lost: 7, n: 21 }, 0.975);
    expect(low).toBeCloseTo(-0.517, 3);
    expect(high).toBeCloseTo(-0.026, 3);
  });

  it.each<PairedCounts>([
    { gained: 4, lost: 9, n: 100 },
    { gained: 1, lost: 7, n: 21 },
    { gained: 40, lost: 20, n: 160 },
    { gained: 0, lost: 1, n: 44 },
    { gained: 0, lost: 0, n: 30 },
    { gained: 5, lost: 0, n: 12 },
    { gained: 0, lost: 8, n: 8 },
  ])("is where the score statistic of the most likely shares, found by search, reaches z: %j", (counts) => {
    const z = normalQuantile(0.95);
    const { low, high } = tangoBounds(counts, 0.95);
    if (low === null || high === null) throw new Error("no bounds");
    for (const delta of [-0.3, -0.05, 0.02, 0.4])
      expect(tangoStatistic(counts, delta)).toBeCloseTo(searchStatistic(counts, delta), 4);
    if (low > -1) expect(searchStatistic(counts, low)).toBeCloseTo(z, 3);
    if (high < 1) expect(searchStatistic(counts, high)).toBeCloseTo(-z, 3);
  });

  it("is the bound of Wilson if no task changed", () => {
    const z2 = normalQuantile(0.95) ** 2;
    const { difference, low, high } = tangoBounds({ gained: 0, lost: 0, n: 100 });
    expect(difference).toBe(0);
    expect(low).toBeCloseTo(-z2 / (100 + z2), 9);
    expect(high).toBeCloseTo(z2 / (100 + z2), 9);
  });

  it("is mirrored if A and B change places", () => {
    const there = tangoBounds({ gained: 3, lost: 11, n: 60 });
    const back = tangoBounds({ gained: 11, lost: 3, n: 60 });
    expect(back.low).toBeCloseTo(-(there.high ?? 0), 9);
    expect(back.high).toBeCloseTo(-(there.low ?? 0), 9);
  });

  it("names an invalid argument, and has no bounds without tasks", () => {
    expect(tangoBounds({ gained: 0, lost: 0, n: 0 })).toEqual({ difference: 0, low: null, high: null });
    expect(() => tangoBounds({ gained: 3, lost: 8, n: 10 })).toThrow(/^lost must/);
    expect(() => tangoBounds({ gained: 1, lost: 1, n: 10 }, 1)).toThrow(/^level must/);
  });
});

describe("nonInferiorityTest", () => {
  const scores = (passes: number, n: number) => Array.from({ length: n }, (_, i) => Number(i < passes));

  it("uses Tango for single pass/fail trials, and agrees with its bounds", () => {
    const found = nonInferiorityTest(scores(90, 100), scores(88, 100), { margin: 0.05, isBinary: true });
    expect(found).toMatchObject({ method: "tango", n: 100, difference: -0.02 });
    expect(found.variance).toBeCloseTo(0.02 - 0.02 ** 2, 12);
    expect((found.low ?? 0) > -0.05).toBe((found.pNonInferior ?? 1) < 0.05);
    expect((found.pNonInferior ?? 0) + (found.pInferior ?? 0)).toBeCloseTo(1, 12);
  });

  it("is the paired t otherwise, with the standard error of the hypothesis", () => {
    const random = createRandom("scores");
    const a = Array.from({ length: 400 }, () => random.next());
    const b = a.map((score) => score + 0.02 * (random.next() - 0.5));
    const { mean, se, df } = meanInterval(b.map((score, i) => score - (a[i] ?? 0)));
    const reach = studentQuantile(0.95, df) * (se ?? 0);
    const found = nonInferiorityTest(a, b, { margin: 0.1 });
    expect(found).toMatchObject({ method: "t", n: 400, difference: mean });
    // With many small differences the hypothesis hardly changes the standard error.
    expect(found.low).toBeCloseTo(mean - reach, 5);
    expect(found.high).toBeCloseTo(mean + reach, 5);
    expect(found.variance).toBeCloseTo((se ?? 0) ** 2 * 400, 12);
  });

  it("agrees with Tango for single trials, up to the degrees of freedom", () => {
    const [a, b] = [scores(90, 1000), scores(70, 1000)];
    const [tango, t] = [true, false].map((isBinary) => nonInferiorityTest(a, b, { margin: 0.03, isBinary }));
    expect(t?.low).toBeCloseTo(tango?.low ?? 0, 4);
    expect(t?.pNonInferior).toBeCloseTo(tango?.pNonInferior ?? 0, 3);
  });

  it("uses clusters as units, also for pass/fail trials", () => {
    const clusters = ["a", "a", "b", "b", "c", "c"];
    const found = nonInferiorityTest([1, 1, 0, 1, 1, 0], [1, 0, 0, 1, 0, 0], { margin: 0.1, clusters, isBinary: true });
    expect(found).toMatchObject({ method: "t", clusters: 3 });
  });

  it("has some width if no task changed, and no bounds below two tasks", () => {
    const same = nonInferiorityTest([0.5, 0.5, 0.5], [0.5, 0.5, 0.5], { margin: 0.02 });
    const t2 = studentQuantile(0.95, 2) ** 2;
    expect(same.low).toBeCloseTo(-t2 / (3 + t2), 9);
    expect(same.pNonInferior).toBeGreaterThan(0.05);
    expect(nonInferiorityTest([0.5], [0.5], { margin: 0.02 })).toMatchObject({ low: null, pNonInferior: null });
    expect(nonInferiorityTest([], [], { margin: 0.02, isBinary: true })).toMatchObject({ low: null, pInferior: null });
  });

  it("rejects a margin outside (0, 1)", () => {
    for (const margin of [0, 1, -0.1, Number.NaN])
      expect(() => nonInferiorityTest([1], [1], { margin })).toThrow(/^margin must/);
  });

  /** Tasks that only B and only A pass, at these rates, with the same result in every trial or not. */
  const drawTask = (random: Random, rates: { gained: number; lost: number }, trials: number): [number, number] => {
    let [a, b] = [0, 0];
    for (let trial = 0; trial < trials; trial++) {
      const u = random.next();
      if (u >= rates.gained) a += 1 / trials;
      if (u < rates.gained || u >= rates.gained + rates.lost) b += 1 / trials;
    }
    return [a, b];
  };

  it.each<[n: number, discordant: number, margin: number, trials: number]>([
    [100, 0.1, 0.05, 1],
    [300, 0.2, 0.05, 1],
    [300, 0.06, 0.02, 1],
    [100, 0.1, 0.05, 3],
  ])(
    "rarely calls a candidate at the margin non-inferior: %i tasks, %d discordant, margin %d, trials %i",
    (n, discordant, margin, trials) => {
      const random = createRandom(`${n} ${discordant}`);
      const rates = { gained: (discordant - margin) / 2, lost: (discordant + margin) / 2 };
      const experiments = 2000;
      let wrong = 0;
      for (let i = 0; i < experiments; i++) {
        const tasks = Array.from({ length: n }, () => drawTask(random, rates, trials));
        const [a, b] = [tasks.map((task) => task[0]), tasks.map((task) => task[1])];
        const { pNonInferior } = nonInferiorityTest(a, b, { margin, isBinary: trials === 1 });
        if ((pNonInferior ?? 1) < 0.05) wrong++;
      }
      expect(wrong / experiments).toBeLessThan(0.07);
      expect(wrong / experiments).toBeGreaterThan(0.02);
    },
  );
});

describe("requiredForDecision", () => {
  it("is the formula for the observed difference", () => {
    const z = normalQuantile(0.95) + normalQuantile(0.8);
    const design = { difference: -0.01, margin: 0.05, variance: 0.2 };
    expect(requiredForDecision(design)).toBe(Math.ceil((z ** 2 * 0.2) / 0.04 ** 2));
    expect(requiredForDecision({ ...design, difference: -0.09 })).toBe(requiredForDecision(design));
  });

  it("is at least the number with which no change at all would be non-inferior", () => {
    const n = requiredForDecision({ difference: 0, margin: 0.02, variance: 0 });
    expect(tangoBounds({ gained: 0, lost: 0, n }).low).toBeGreaterThanOrEqual(-0.02);
    expect(tangoBounds({ gained: 0, lost: 0, n: n - 1 }).low).toBeLessThan(-0.02);
  });

  it("is infinite exactly at the margin", () => {
    expect(requiredForDecision({ difference: -0.02, margin: 0.02, variance: 0.1 })).toBe(Number.POSITIVE_INFINITY);
  });
});
