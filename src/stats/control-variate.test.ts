import { describe, expect, it } from "vitest";
import { adjustByHistory, stratifiedMean } from "./control-variate.js";
import { meanInterval, scoreInterval } from "./intervals.js";
import { createRandom, type Random, shuffle } from "./random.js";
import { measureCoverage } from "./simulated-coverage.js";

const average = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** All ways to choose k of these. */
function listSubsets<T>(items: readonly T[], k: number): T[][] {
  if (k === 0) return [[]];
  return items.flatMap((item, i) => listSubsets(items.slice(i + 1), k - 1).map((rest) => [item, ...rest]));
}

function listOrders<T>(items: readonly T[]): T[][] {
  if (items.length === 0) return [[]];
  return items.flatMap((item, i) => listOrders(items.filter((_, j) => j !== i)).map((rest) => [item, ...rest]));
}

describe("adjustByHistory", () => {
  it("is unbiased exactly, over all samples of a frame, whatever history says", () => {
    const values = [0.1, 0.5, 0.3, 0.45, 0.6, 0.2, 0.55];
    // Wide bounds, so that no estimate is cut off.
    const options = { lower: -50, upper: 50, folds: 2, seed: 4 };
    for (const history of [
      [0, 0.9, 0.2, 0.7, 1, 0.1, 0.8],
      [1, 0, 0.9, 0.1, 0.3, 0.8, 0],
      [0.1, 0.5, 0.3, 0.45, 0.6, 0.2, 0.55],
    ]) {
      const tasks = values.map((value, i) => ({ value, history: history[i] ?? 0 }));
      const estimates = listSubsets(tasks, 4).flatMap((sample) =>
        // The order decides the folds, and is random too.
        listOrders(sample).map(
          (order) =>
            adjustByHistory(
              {
                values: order.map((task) => task.value),
                history: order.map((task) => task.history),
                rest: tasks.filter((task) => !sample.includes(task)).map((task) => task.history),
              },
              options,
            ).value,
        ),
      );
      expect(average(estimates)).toBeCloseTo(average(values), 10);
    }
  });

  it("stays unbiased if history lacks some tasks", () => {
    const options = { lower: -50, upper: 50, folds: 2, seed: 4 };
    const tasks = [0.1, 0.5, 0.3, 0.45, 0.6, 0.2, 0.55].map((value, i) => ({
      value,
      history: [Number.NaN, 0.9, 0.2, Number.NaN, 1, 0.1, 0.8][i] ?? 0,
    }));
    const estimates = listSubsets(tasks, 4).flatMap((sample) =>
      listOrders(sample).map((order) => {
        const rest = tasks.filter((task) => !sample.includes(task)).map((task) => task.history);
        const [values, history] = [order.map((task) => task.value), order.map((task) => task.history)];
        return adjustByHistory({ values, history, rest: rest.filter((each) => !Number.isNaN(each)) }, options);
      }),
    );
    expect(average(estimates.map(({ value }) => value))).toBeCloseTo(average(tasks.map(({ value }) => value)), 10);
    expect(estimates.every(({ matched }) => matched >= 2 && matched <= 4)).toBe(true);
    expect(estimates.some(({ value, plain }) => Math.abs(value - plain.value) > 0.01)).toBe(true);
  });

  it.each([0.3, 0.8])("covers the mean if history has %f of the tasks", (share) => {
    const coverage = measureCoverage(0.55, 800, (random) => {
      const { values, history, rest } = drawScores(random, 60, 300, 0);
      const known = history.map((each) => (random.next() < share ? each : Number.NaN));
      return adjustByHistory({ values, history: known, rest: rest.filter(() => random.next() < share) });
    });
    expect(coverage).toBeGreaterThan(0.925);
  });

  /** A sample of tasks whose pass rates are known up to noise. */
  const drawScores = (random: Random, n: number, rest: number, noise: number) => {
    const tasks = Array.from({ length: n + rest }, () => {
      const rate = random.next() < 0.5 ? 0.9 : 0.2;
      return { value: Number(random.next() < rate), history: noise === 1 ? random.next() : rate };
    });
    return {
      values: tasks.slice(0, n).map((task) => task.value),
      history: tasks.slice(0, n).map((task) => task.history),
      rest: tasks.slice(n).map((task) => task.history),
    };
  };

  it("removes the variance that history explains", () => {
    const random = createRandom("useful");
    const found = Array.from({ length: 300 }, () => adjustByHistory(drawScores(random, 80, 800, 0)));
    const spread = (values: number[]) => Math.sqrt(average(values.map((value) => (value - average(values)) ** 2)));
    const adjusted = spread(found.map(({ value }) => value));
    expect(adjusted).toBeLessThan(0.82 * spread(found.map(({ plain }) => plain.value)));
    // The standard error says what the spread is.
    expect(average(found.map(({ se }) => se ?? 0)) / adjusted).toBeCloseTo(1, 0.8);
    expect(average(found.map(({ varianceReduction }) => varianceReduction ?? 0))).toBeGreaterThan(0.35);
  });

  it.each([0, 1])("covers the mean with history of noise %i", (noise) => {
    const coverage = measureCoverage(0.55, 800, (random) => adjustByHistory(drawScores(random, 60, 300, noise)));
    expect(coverage).toBeGreaterThan(0.925);
  });

  it("changes nothing if all tasks were run, or history is constant", () => {
    const { values, history } = drawScores(createRandom(1), 50, 0, 0);
    const all = adjustByHistory({ values, history, rest: [] });
    expect(all.value).toBeCloseTo(average(values), 12);
    expect(all.plain).toMatchObject({ value: average(values), low: scoreInterval(values).low });
    const constant = adjustByHistory({ values, history: values.map(() => 0.5), rest: [0.5, 0.5] });
    expect(constant.value).toBeCloseTo(average(values), 12);
    expect(constant.weight).toBe(0);
  });

  it("keeps clusters together", () => {
    const random = createRandom("clusters");
    const clusters = Array.from({ length: 60 }, (_, i) => Math.floor(i / 4));
    const rates = Array.from({ length: 15 }, () => Number(random.next() < 0.5) * 0.8 + 0.1);
    const values = clusters.map((cluster) => Number(random.next() < (rates[cluster] ?? 0)));
    const history = clusters.map(() => random.next());
    const rest = Array.from({ length: 100 }, () => random.next());
    const found = adjustByHistory({ values, history, rest }, { clusters });
    expect(found.plain.se).toBeCloseTo(meanInterval(values, { clusters }).se ?? 0, 12);
    expect(found.se).toBeGreaterThan(1.5 * (adjustByHistory({ values, history, rest }).se ?? 1));
  });

  it("rejects what does not fit together, and has no interval for one task", () => {
    expect(() => adjustByHistory({ values: [1], history: [], rest: [] })).toThrow(/^values and history/);
    expect(() => adjustByHistory({ values: [], history: [], rest: [] })).toThrow("values must not be empty");
    expect(() => adjustByHistory({ values: [1], history: [1], rest: [] }, { folds: 1 })).toThrow(/^folds must/);
    expect(adjustByHistory({ values: [1], history: [0.5], rest: [0.1] })).toMatchObject({ value: 1, low: null });
  });
});

describe("stratifiedMean", () => {
  it("weighs strata by their known shares", () => {
    const found = stratifiedMean([
      { values: [1, 1, 0, 1], share: 0.25 },
      { values: [0, 1, 0, 0, 0], share: 0.75 },
    ]);
    expect(found?.value).toBeCloseTo(0.25 * 0.75 + 0.75 * 0.2, 12);
    expect(found?.se).toBeCloseTo(Math.sqrt((0.25 ** 2 * 0.25) / 4 + (0.75 ** 2 * 0.2) / 5), 12);
    expect(found?.n).toBe(9);
  });

  it("covers the mean, and is narrower than without strata", () => {
    const rates = [0.95, 0.6, 0.1];
    const shares = [0.5, 0.3, 0.2];
    const truth = average(rates.map((rate, i) => 3 * rate * (shares[i] ?? 0)));
    const widths: [number, number][] = [];
    const coverage = measureCoverage(truth, 800, (random) => {
      const drawn = Array.from({ length: 90 }, () => {
        const u = random.next();
        const stratum = u < 0.5 ? 0 : u < 0.8 ? 1 : 2;
        return { stratum, value: Number(random.next() < (rates[stratum] ?? 0)) };
      });
      const pick = (i: number) => drawn.filter(({ stratum }) => stratum === i).map(({ value }) => value);
      const found = stratifiedMean(shares.map((share, i) => ({ values: pick(i), share })));
      const plain = scoreInterval(drawn.map(({ value }) => value));
      widths.push([(found?.high ?? 1) - (found?.low ?? 0), (plain.high ?? 1) - (plain.low ?? 0)]);
      return found ?? { low: null, high: null };
    });
    expect(coverage).toBeGreaterThan(0.925);
    expect(average(widths.map(([own]) => own))).toBeLessThan(0.9 * average(widths.map(([, plain]) => plain)));
  });

  it("says nothing about a stratum without values, and wants shares that add up to 1", () => {
    const shared = shuffle([1, 0, 1, 1], createRandom(1));
    expect(
      stratifiedMean([
        { values: shared, share: 0.5 },
        { values: [], share: 0.5 },
      ]),
    ).toBeNull();
    expect(
      stratifiedMean([
        { values: shared, share: 1 },
        { values: [], share: 0 },
      ])?.n,
    ).toBe(4);
    expect(() => stratifiedMean([{ values: shared, share: 0.5 }])).toThrow("shares must add up to 1, got 0.5");
    expect(() => stratifiedMean([{ values: shared, share: 2 }])).toThrow(/^share must/);
    expect(
      stratifiedMean([
        { values: [1], share: 0.5 },
        { values: [0], share: 0.5 },
      ]),
    ).toMatchObject({ low: null });
  });
});
