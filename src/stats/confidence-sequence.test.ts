import { describe, expect, it } from "vitest";
import { ConfidenceSequence, MeanTest, type ObservationOptions } from "./confidence-sequence.js";
import { createRandom, type Random, shuffle } from "./random.js";

/** All sequences of n of these values. */
function listSequences(values: readonly number[], n: number): number[][] {
  if (n === 0) return [[]];
  return listSequences(values, n - 1).flatMap((head) => values.map((value) => [...head, value]));
}

function listOrders(values: readonly number[]): number[][] {
  if (values.length === 0) return [[]];
  return values.flatMap((value, i) => listOrders(values.filter((_, j) => j !== i)).map((rest) => [value, ...rest]));
}

function feed(sequence: { add: (value: number) => void }, values: readonly number[]): void {
  for (const value of values) sequence.add(value);
}

/** The capital above or below a mean by its definition, in logarithms and from all earlier values each time. */
function computeByDefinition(values: readonly number[], mean: number, side: 1 | -1, options: ObservationOptions) {
  const { lower = 0, upper = 1, horizon = 500, populationSize } = options;
  const kinds = [
    [3, 0.15],
    [6.5, 0.6],
    [14, 0.15],
    [30, 0.1],
  ] as const;
  let capital = 0;
  for (const [size, share] of kinds) {
    let log = Math.log(share);
    values.forEach((value, i) => {
      const past = values.slice(0, i);
      const center = past.reduce((sum, x) => sum + x, 0) / Math.max(1, i);
      const spread = past.reduce((sum, x) => sum + (x - center) ** 2, 0);
      const sd = Math.sqrt((2 * ((upper - lower) / 4) ** 2 + spread) / (2 + i));
      const m = populationSize === undefined ? mean : (populationSize * mean - center * i) / (populationSize - i);
      const room = side === 1 ? m - lower : upper - m;
      const stake = Math.min(size / (sd * Math.sqrt(horizon)), 0.9 / room);
      log += Math.log(1 + side * stake * (value - m));
    });
    capital += Math.exp(log);
  }
  return capital;
}

describe("MeanTest", () => {
  it("computes the capital of the definition", () => {
    const random = createRandom("capital");
    const options = { lower: -1, upper: 1, horizon: 60 };
    for (const mean of [-0.4, 0, 0.31]) {
      const values = Array.from({ length: 60 }, () => Math.round(4 * random.next() - 2) / 2);
      const test = new MeanTest(mean, options);
      feed(test, values);
      expect(test.above / computeByDefinition(values, mean, 1, options)).toBeCloseTo(1, 9);
      expect(test.below / computeByDefinition(values, mean, -1, options)).toBeCloseTo(1, 9);
    }
  });

  it("neither wins nor loses on average if the mean is true, over all sequences", () => {
    const options = { lower: -1, upper: 1, horizon: 9 };
    // P(-1), P(0), P(1).
    for (const chances of [
      [0.3, 0.4, 0.3],
      [0.1, 0.1, 0.8],
      [0.02, 0.97, 0.01],
    ]) {
      const mean = (chances[2] ?? 0) - (chances[0] ?? 0);
      let [above, below, late] = [0, 0, 0];
      for (const values of listSequences([-1, 0, 1], 8)) {
        const chance = values.reduce((product, value) => product * (chances[value + 1] ?? 0), 1);
        const test = new MeanTest(mean, options);
        feed(test, values);
        above += chance * test.above;
        below += chance * test.below;
        if (test.maxAbove >= 5) late += chance;
      }
      expect(above).toBeCloseTo(1, 9);
      expect(below).toBeCloseTo(1, 9);
      expect(late).toBeLessThanOrEqual(1 / 5);
    }
  });

  it("loses on average against a mean that is too high", () => {
    let above = 0;
    for (const values of listSequences([0, 1], 10)) {
      const test = new MeanTest(0.5, { horizon: 10 });
      feed(test, values);
      above += values.reduce((product, value) => product * (value === 1 ? 0.3 : 0.7), 1) * test.above;
    }
    expect(above).toBeLessThan(1);
  });

  it("is fair without replacement, over all orders of the population", () => {
    const population = [0, 0.2, 1, 1, 0.5, 0];
    const mean = population.reduce((sum, x) => sum + x, 0) / population.length;
    const orders = listOrders(population);
    for (const n of [1, 3, 5]) {
      let [above, below] = [0, 0];
      for (const order of orders) {
        const test = new MeanTest(mean, { populationSize: population.length });
        feed(test, order.slice(0, n));
        above += test.above / orders.length;
        below += test.below / orders.length;
      }
      expect(above).toBeCloseTo(1, 9);
      expect(below).toBeCloseTo(1, 9);
    }
  });

  it("agrees with the definition without replacement", () => {
    const values = [1, 0, 1, 1, 0.5, 1, 1];
    const options = { populationSize: 20, horizon: 20 };
    const test = new MeanTest(0.7, options);
    feed(test, values);
    expect(test.above).toBeCloseTo(computeByDefinition(values, 0.7, 1, options), 9);
    expect(test.below).toBeCloseTo(computeByDefinition(values, 0.7, -1, options), 9);
  });

  it("excludes for certain what the rest of the population cannot reach", () => {
    const test = new MeanTest(0.5, { populationSize: 10 });
    feed(test, [1, 1, 1, 1, 1, 1]);
    expect(test.above).toBeLessThan(1e6);
    // Six passes of ten are known to be more than half when the next value comes, whatever it is.
    test.add(0);
    expect(test.above).toBeGreaterThan(1e200);
  });

  it("rejects values outside the range, and more of them than the population has", () => {
    const test = new MeanTest(0.5, { populationSize: 2 });
    expect(() => test.add(1.2)).toThrow("Observation 1 is 1.2, not in [0, 1].");
    expect(() => test.add(Number.NaN)).toThrow(/^Observation 1/);
    feed(test, [0, 1]);
    expect(() => test.add(1)).toThrow("All 2 members");
    expect(() => new MeanTest(0, { lower: 1, upper: 0 })).toThrow(/^lower must be below upper/);
    expect(() => new MeanTest(0, { horizon: 0 })).toThrow(/^horizon must/);
  });
});

describe("ConfidenceSequence", () => {
  it("excludes exactly the points of its grid whose capital ever reached 2/alpha", () => {
    const random = createRandom("grid");
    const values = Array.from({ length: 80 }, () => Number(random.next() < 0.8));
    const sequence = new ConfidenceSequence({ alpha: 0.1, horizon: 80 });
    feed(sequence, values);
    const { low, high } = sequence.interval;
    const reaches = (mean: number, side: 1 | -1) =>
      values.some((_, i) => computeByDefinition(values.slice(0, i + 1), mean, side, { horizon: 80 }) >= 20);
    expect(reaches(low, 1)).toBe(true);
    expect(reaches(low + 0.0005, 1)).toBe(false);
    expect(reaches(high, -1)).toBe(true);
    expect(reaches(high - 0.0005, -1)).toBe(false);
    expect(low).toBeLessThan(0.8);
    expect(high).toBeGreaterThan(0.8);
  });

  it("only ever narrows", () => {
    const random = createRandom("narrow");
    const sequence = new ConfidenceSequence({ lower: -1, upper: 1 });
    let last = sequence.interval;
    expect(last).toEqual({ low: -1, high: 1 });
    for (let i = 0; i < 300; i++) {
      sequence.add(random.int(3) - 1);
      const { low, high } = sequence.interval;
      expect(low).toBeGreaterThanOrEqual(last.low);
      expect(high).toBeLessThanOrEqual(last.high);
      last = { low, high };
    }
    expect(sequence.count).toBe(300);
  });

  it("gives the e-values of a test that was there from the start", () => {
    const values = [1, 0, 1, 1, 0.25, 1, 1, 0.5];
    for (const options of [{ horizon: 30 }, { populationSize: 12 }]) {
      const sequence = new ConfidenceSequence(options);
      const test = new MeanTest(0.4, options);
      feed(sequence, values);
      feed(test, values);
      expect(sequence.eValueAbove(0.4)).toBeCloseTo(test.above, 12);
      expect(sequence.eValueBelow(0.4)).toBeCloseTo(test.below, 12);
      expect(sequence.mean).toBeCloseTo(0.71875, 12);
    }
  });

  it("has exact bounds inside of the rounded ones, up to which means are excluded", () => {
    const random = createRandom("exact");
    for (const options of [{ alpha: 0.05 }, { alpha: 0.05, populationSize: 400 }]) {
      const values = Array.from({ length: 150 }, () => (random.next() < 0.7 ? 1 : 0));
      const sequence = new ConfidenceSequence(options);
      feed(sequence, values);
      const { low, high } = sequence.exactInterval;
      expect(low).toBeGreaterThanOrEqual(sequence.interval.low);
      expect(high).toBeLessThanOrEqual(sequence.interval.high);
      expect(low - sequence.interval.low).toBeLessThan(1 / 2000);
      const excludes = (mean: number, side: "maxAbove" | "maxBelow") => {
        const test = new MeanTest(mean, options);
        feed(test, values);
        return test[side] >= 2 / 0.05;
      };
      expect(excludes(low, "maxAbove")).toBe(true);
      expect(excludes(low + 1e-6, "maxAbove")).toBe(false);
      expect(excludes(high, "maxBelow")).toBe(true);
      expect(excludes(high - 1e-6, "maxBelow")).toBe(false);
    }
  });

  it("keeps the last interval if the mean changes and no mean is left", () => {
    const sequence = new ConfidenceSequence();
    feed(sequence, [...new Array(200).fill(1), ...new Array(400).fill(0)]);
    const { low, high } = sequence.interval;
    expect(low).toBeLessThan(high);
    expect(low).toBeGreaterThan(0.9);
    expect(sequence.exactInterval).toEqual({ low, high });
  });

  it("is the mean once the whole population is seen, and never wider than what is left allows", () => {
    const population = shuffle([...new Array(30).fill(1), ...new Array(10).fill(0)], createRandom(3));
    const sequence = new ConfidenceSequence({ populationSize: 40 });
    let sum = 0;
    population.forEach((value, i) => {
      sequence.add(value);
      sum += value;
      const { low, high } = sequence.interval;
      expect(low).toBeGreaterThanOrEqual(sum / 40);
      expect(high).toBeLessThanOrEqual((sum + 39 - i) / 40);
      expect(low).toBeLessThanOrEqual(0.75);
      expect(high).toBeGreaterThanOrEqual(0.75);
    });
    expect(sequence.interval).toEqual({ low: 0.75, high: 0.75 });
  });

  /** Three trials of a task; half of the tasks give the same result each time. */
  const drawTrials = (random: Random) => {
    const rate = random.next() < 0.5 ? 0.5 : random.int(2);
    return (Number(random.next() < rate) + Number(random.next() < rate) + Number(random.next() < rate)) / 3;
  };

  it.each([0.02, 0.3, 0.98])("ever misses a pass rate of %d in at most alpha of the experiments", (rate) => {
    const random = createRandom(`ever ${rate}`);
    const experiments = 400;
    let missed = 0;
    for (let i = 0; i < experiments; i++) {
      const sequence = new ConfidenceSequence({ alpha: 0.1, horizon: 150 });
      for (let t = 0; t < 150; t++) sequence.add(Number(random.next() < rate));
      const { low, high } = sequence.interval;
      if (low >= rate || high <= rate) missed++;
    }
    // Three standard errors above 0.1.
    expect(missed / experiments).toBeLessThan(0.145);
  });

  it("covers the mean of scores between 0 and 1", () => {
    const random = createRandom("scores");
    let missed = 0;
    for (let i = 0; i < 300; i++) {
      const sequence = new ConfidenceSequence({ alpha: 0.1, horizon: 100 });
      for (let t = 0; t < 100; t++) sequence.add(drawTrials(random));
      const { low, high } = sequence.interval;
      if (low >= 0.5 || high <= 0.5) missed++;
    }
    expect(missed / 300).toBeLessThan(0.152);
  });

  it("misses the mean of a population in at most alpha of its orders", () => {
    const random = createRandom("population");
    const population = [...new Array(36).fill(1), ...new Array(24).fill(0)];
    let missed = 0;
    for (let i = 0; i < 400; i++) {
      const sequence = new ConfidenceSequence({ alpha: 0.1, populationSize: 60 });
      const order = shuffle(population, random);
      feed(sequence, order.slice(0, 59));
      const { low, high } = sequence.interval;
      if (low > 0.6 || high < 0.6) missed++;
    }
    expect(missed / 400).toBeLessThan(0.145);
  });
});
