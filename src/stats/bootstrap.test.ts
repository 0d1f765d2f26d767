import { describe, expect, it } from "vitest";
import { bootstrapInterval, planBootstrap } from "./bootstrap.js";
import { meanInterval } from "./intervals.js";
import { mean } from "./mean.js";
import { median } from "./quantile.js";
import { createRandom, sampleNormal } from "./random.js";
import { measureCoverage } from "./simulated-coverage.js";

function sample(seed: string, n: number): number[] {
  const random = createRandom(seed);
  return Array.from({ length: n }, () => sampleNormal(random));
}

describe("bootstrapInterval", () => {
  it("is deterministic for a seed", () => {
    const values = sample("repeat", 30);
    const first = bootstrapInterval(values, median, { seed: 5 });
    expect(bootstrapInterval(values, median, { seed: 5 })).toEqual(first);
    expect(bootstrapInterval(values, median, { seed: 6 })).not.toEqual(first);
    expect(first).toMatchObject({ n: 30, resamples: 2000 });
  });

  it("is close to the t interval for a mean of many tasks", () => {
    const values = sample("mean", 400);
    const t = meanInterval(values);
    const bootstrap = bootstrapInterval(values, mean, { seed: 1 });
    expect(Math.abs((bootstrap.low ?? 9) - (t.low ?? 0))).toBeLessThan(0.015);
    expect(Math.abs((bootstrap.high ?? 9) - (t.high ?? 0))).toBeLessThan(0.015);
  });

  it("keeps the trials of a task together", () => {
    const tasks = sample("tasks", 20).map((value) => ({ trials: [value, value, value, value] }));
    const pooled = (chosen: readonly { trials: number[] }[]) => mean(chosen.flatMap((task) => task.trials));
    const together = bootstrapInterval(tasks, pooled, { seed: 1 });
    const apart = bootstrapInterval(
      tasks.flatMap((task) => task.trials),
      mean,
      { seed: 1 },
    );
    const width = ({ low, high }: { low: number | null; high: number | null }) => (high ?? 0) - (low ?? 0);
    expect(width(together) / width(apart)).toBeCloseTo(2, 0);
  });

  it("skips resamples whose statistic is undefined", () => {
    const ratio = (xs: readonly number[]) => (xs.includes(1) ? mean(xs) : Number.NaN);
    const { low, resamples } = bootstrapInterval([0, 0, 1], ratio, { seed: 1, resamples: 500 });
    expect(resamples).toBeLessThan(500);
    expect(low).toBeGreaterThan(0);
    expect(bootstrapInterval([1, 2], () => Number.NaN, { seed: 1 })).toMatchObject({ low: null, resamples: 0 });
  });

  it("has no interval below two tasks", () => {
    expect(bootstrapInterval([3], mean, { seed: 1 })).toEqual({ low: null, high: null, n: 1, resamples: 0 });
    expect(bootstrapInterval([], mean, { seed: 1 })).toMatchObject({ low: null, n: 0 });
  });

  it("covers a median at about its level", () => {
    const coverage = measureCoverage(0, 400, (random) =>
      bootstrapInterval(
        Array.from({ length: 31 }, () => sampleNormal(random)),
        median,
        { seed: random.uint32(), resamples: 200 },
      ),
    );
    expect(coverage).toBeGreaterThan(0.91);
    expect(coverage).toBeLessThan(0.98);
  });

  it("draws fewer resamples for very many tasks, but at least 200 unless asked to", () => {
    expect(planBootstrap({ seed: 1 }, 100).resamples).toBe(2000);
    expect(planBootstrap({ seed: 1 }, 50_000).resamples).toBe(400);
    expect(planBootstrap({ seed: 1 }, 1e7).resamples).toBe(200);
    expect(planBootstrap({ seed: 1, resamples: 50 }, 1e7).resamples).toBe(50);
    expect(() => planBootstrap({ seed: 1, resamples: 0 }, 1)).toThrow(/^resamples must/);
  });
});
