import { describe, expect, it } from "vitest";
import { pairedRatio } from "./paired-ratio.js";
import { createRandom, type Random } from "./random.js";
import {
  type ConfidentTrial,
  calibrationFigures,
  outcomeConsistency,
  resourceConsistency,
  robustnessRatio,
} from "./reliability.js";
import { measureCoverage } from "./simulated-coverage.js";

const average = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe("outcomeConsistency", () => {
  it("is the mean of (2p - 1)² without bias, over all outcomes of the trials", () => {
    for (const p of [0.5, 0.8, 1]) {
      let expected = 0;
      for (let passes = 0; passes <= 4; passes++) {
        const chance = [1, 4, 6, 4, 1][passes] ?? 0;
        const value = outcomeConsistency([{ passes, trials: 4 }]).value ?? 0;
        expected += chance * p ** passes * (1 - p) ** (4 - passes) * value;
      }
      expect(expected).toBeCloseTo((2 * p - 1) ** 2, 12);
    }
  });

  it("counts pairs of trials that agree", () => {
    const found = outcomeConsistency([
      { passes: 5, trials: 5 },
      { passes: 3, trials: 5 },
      { passes: 1, trials: 1 },
    ]);
    // Of the 10 pairs of the second task, 3 + 1 agree.
    expect(found.agreement.value).toBeCloseTo(0.7, 12);
    expect(found.value).toBeCloseTo(0.4, 12);
    expect(found.n).toBe(2);
    expect(outcomeConsistency([{ passes: 1, trials: 1 }])).toMatchObject({ value: null, low: null, n: 0 });
  });

  it("covers the true consistency of tasks of all kinds", () => {
    const draw = (random: Random) => {
      const rate = random.next() < 0.5 ? 1 : random.next() < 0.5 ? 0.5 : 0.9;
      let passes = 0;
      for (let i = 0; i < 4; i++) passes += Number(random.next() < rate);
      return { passes, trials: 4 };
    };
    const truth = 0.5 + 0.25 * 0.8 ** 2;
    const coverage = measureCoverage(truth, 800, (random) =>
      outcomeConsistency(Array.from({ length: 50 }, () => draw(random))),
    );
    expect(coverage).toBeGreaterThan(0.925);
  });

  it("uses clusters of the tasks that count", () => {
    const tasks = Array.from({ length: 20 }, (_, i) => ({ passes: i % 8 < 4 ? 4 : 2, trials: i === 3 ? 1 : 4 }));
    tasks[3] = { passes: 1, trials: 1 };
    const clusters = tasks.map((_, i) => Math.floor(i / 4));
    const clustered = outcomeConsistency(tasks, { clusters });
    const plain = outcomeConsistency(tasks);
    expect(clustered.value).toBe(plain.value);
    expect((clustered.high ?? 0) - (clustered.low ?? 0)).toBeGreaterThan((plain.high ?? 0) - (plain.low ?? 0));
  });
});

describe("resourceConsistency", () => {
  it("is the mean of exp(-CV) over tasks", () => {
    const found = resourceConsistency([[2, 2, 2], [1, 3, 2], [5], [0, 0]]);
    expect(found.value).toBeCloseTo((1 + Math.exp(-0.5)) / 2, 12);
    expect(found.variation).toBeCloseTo(0.25, 12);
    expect(found.n).toBe(2);
    expect(found.low).toBeLessThan(found.value ?? 0);
    expect(resourceConsistency([])).toMatchObject({ value: null, variation: null });
    expect(() => resourceConsistency([[1, -1]])).toThrow(/^amounts must/);
  });
});

describe("robustnessRatio", () => {
  it("is the ratio of pass rates with its paired interval, and at most 1 as a score", () => {
    const usual = [1, 1, 0.5, 0, 1, 0.75];
    const perturbed = [1, 0.5, 0.5, 0, 0.75, 0.5];
    const found = robustnessRatio({ usual, perturbed });
    expect(found).toMatchObject(pairedRatio(perturbed, usual));
    expect(found.ratio).toBeCloseTo(3.25 / 4.25, 12);
    expect(robustnessRatio({ usual: perturbed, perturbed: usual }).score).toBe(1);
    expect(robustnessRatio({ usual: [0, 0], perturbed: [0, 1] }).score).toBeNull();
  });

  it("covers the true ratio of tasks that fail together", () => {
    const coverage = measureCoverage(0.8, 800, (random) => {
      const tasks = Array.from({ length: 80 }, () => {
        const usual = Number(random.next() < 0.75);
        return { usual, perturbed: usual * Number(random.next() < 0.8) };
      });
      return robustnessRatio({
        usual: tasks.map((task) => task.usual),
        perturbed: tasks.map((task) => task.perturbed),
      });
    });
    expect(coverage).toBeGreaterThan(0.925);
  });
});

describe("calibrationFigures", () => {
  const trial = (confidence: number, passed: boolean, task: string | number): ConfidentTrial => ({
    task,
    confidence,
    passed,
  });

  it("computes the Brier score, the calibration error and the discrimination", () => {
    const trials = [
      trial(0.9, true, 1),
      trial(0.9, false, 2),
      trial(0.3, false, 3),
      trial(0.3, true, 4),
      trial(1, true, 5),
    ];
    const { brier, ece, discrimination, bins } = calibrationFigures(trials);
    expect(brier.value).toBeCloseTo((0.01 + 0.81 + 0.09 + 0.49 + 0) / 5, 12);
    // The last range holds 0.9 twice and 1: confidence 2.8/3, pass rate 2/3. The other 0.3 and 1/2.
    expect(ece.value).toBeCloseTo((3 / 5) * (2.8 / 3 - 2 / 3) + (2 / 5) * 0.2, 12);
    // Of six pairs, 1 beats 0.9 and 0.3; 0.9 ties and wins; 0.3 loses and ties.
    expect(discrimination.value).toBeCloseTo((1 + 1 + 0.5 + 1 + 0 + 0.5) / 6, 12);
    expect(bins).toHaveLength(2);
    expect(bins[1]).toMatchObject({ low: 0.9, high: 1, n: 3 });
  });

  it("agrees with all pairs compared one by one", () => {
    const random = createRandom("pairs");
    const trials = Array.from({ length: 60 }, (_, i) => trial(random.int(6) / 5, random.next() < 0.5, i));
    const pairs = trials.flatMap((x) =>
      trials.filter((y) => x.passed && !y.passed).map((y) => Math.sign(x.confidence - y.confidence)),
    );
    const wins = average(pairs.map((sign) => (sign + 1) / 2));
    expect(calibrationFigures(trials, { resamples: 10 }).discrimination.value).toBeCloseTo(wins, 12);
  });

  it("covers the true Brier score, with several trials of a task", () => {
    // Confidence 0.8 where 0.6 pass: 0.6 · 0.04 + 0.4 · 0.64.
    const coverage = measureCoverage(0.28, 150, (random) => {
      const trials = Array.from({ length: 60 }, (_, task) => {
        const rate = random.next() < 0.6 ? 1 : 0;
        return Array.from({ length: 2 }, () =>
          trial(0.8, random.next() < 0.1 ? random.next() < 0.6 : rate === 1, task),
        );
      }).flat();
      return calibrationFigures(trials, { resamples: 200 }).brier;
    });
    expect(coverage).toBeGreaterThan(0.88);
  });

  it("keeps the calibration error of a system that overstates its confidence in its interval", () => {
    const coverage = measureCoverage(0.2, 150, (random) => {
      const trials = Array.from({ length: 150 }, (_, task) => trial(0.85, random.next() < 0.65, task));
      return calibrationFigures(trials, { resamples: 200 }).ece;
    });
    expect(coverage).toBeGreaterThan(0.88);
  });

  it("has no figures without trials, and none of discrimination if all passed", () => {
    expect(calibrationFigures([])).toMatchObject({ brier: { value: null, low: null }, ece: { value: null } });
    const all = calibrationFigures([trial(0.5, true, 1), trial(0.7, true, 2)]);
    expect(all.discrimination).toMatchObject({ value: null, low: null, high: null });
    expect(() => calibrationFigures([trial(1.5, true, 1)])).toThrow(/^confidence must/);
  });
});
