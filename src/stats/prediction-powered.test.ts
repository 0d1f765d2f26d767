import { describe, expect, it } from "vitest";
import { wilsonInterval } from "./intervals.js";
import { planLabelChances, predictionPoweredMean, requiredLabels } from "./prediction-powered.js";
import { createRandom, type Random, shuffle } from "./random.js";
import { measureCoverage } from "./simulated-coverage.js";

const average = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

const covariance = (x: readonly number[], y: readonly number[]) =>
  average(x.map((value, i) => (value - average(x)) * ((y[i] ?? 0) - average(y))));

/** Labels with this pass rate, and a judge that is right with this accuracy. */
function drawScores(random: Random, design: { rate: number; accuracy: number; labels: number; rest: number }) {
  const drawLabel = () => Number(random.next() < design.rate);
  const judge = (label: number) => (random.next() < design.accuracy ? label : 1 - label);
  const labels = Array.from({ length: design.labels }, drawLabel);
  return {
    labels,
    judged: labels.map(judge),
    unlabeled: Array.from({ length: design.rest }, () => judge(drawLabel())),
  };
}

describe("predictionPoweredMean", () => {
  const scores = drawScores(createRandom("example"), { rate: 0.7, accuracy: 0.85, labels: 80, rest: 400 });
  const { labels, judged, unlabeled } = scores;

  it("is the formula of PPI++ with its variance", () => {
    const lambda = 0.4;
    const found = predictionPoweredMean(scores, { lambda });
    const rest = labels.map((label, i) => label - lambda * (judged[i] ?? 0));
    expect(found.value).toBeCloseTo(lambda * average(unlabeled) + average(rest), 12);
    // The pieces of both samples, up to the correction for degrees of freedom.
    // The variance of both samples, and one imaginary case in which the judge is off.
    const variance =
      (lambda ** 2 * covariance(unlabeled, unlabeled)) / 400 +
      covariance(rest, rest) / 80 +
      (1.2 * lambda) ** 2 / 80 ** 2;
    expect(found.se).toBeCloseTo(Math.sqrt(variance), 3);
    expect(found.judgeAlone).toBeCloseTo(average([...judged, ...unlabeled]), 12);
  });

  it("weighs the judge by its power", () => {
    const found = predictionPoweredMean(scores);
    const all = [...judged, ...unlabeled];
    const lambda = covariance(labels, judged) / ((1 + 80 / 400) * covariance(all, all));
    expect(found.lambda).toBeCloseTo(lambda, 1);
    for (const other of [found.lambda - 0.1, found.lambda + 0.1])
      expect(predictionPoweredMean(scores, { lambda: other }).se).toBeGreaterThan((found.se ?? 0) * 0.99);
    expect(found.effectiveLabels).toBeGreaterThan(100);
    expect(found.se).toBeLessThan(found.labelsAlone.se ?? 0);
  });

  it("is the labels alone without a judge, other units or weight", () => {
    const alone = predictionPoweredMean(scores, { lambda: 0 });
    expect(alone.value).toBeCloseTo(average(labels), 12);
    expect(alone).toMatchObject(alone.labelsAlone);
    const none = predictionPoweredMean({ labels, judged, unlabeled: [] });
    expect(none).toMatchObject({ ...alone.labelsAlone, lambda: 0, effectiveLabels: 80 });
    const blind = predictionPoweredMean({ labels, judged: labels.map(() => 1), unlabeled: unlabeled.map(() => 1) });
    expect(blind).toMatchObject({ ...alone.labelsAlone, lambda: 0 });
  });

  it("has some width if all labels agree, and none below two", () => {
    const same = predictionPoweredMean({ labels: [1, 1, 1, 1], judged: [1, 1, 1, 1], unlabeled: [1, 1, 1] });
    expect(same.value).toBe(1);
    expect(same.low).toBeLessThan(wilsonInterval(4, 4).low);
    expect(predictionPoweredMean({ labels: [1], judged: [1], unlabeled: [1, 0] })).toMatchObject({
      low: null,
      se: null,
    });
  });

  it("treats clusters as units, also where labeled and other units share one", () => {
    const random = createRandom("clusters");
    const groups = Array.from({ length: 12 }, () =>
      drawScores(random, { rate: random.next(), accuracy: 0.9, labels: 4, rest: 10 }),
    );
    const labeled = groups.flatMap((group, g) => group.labels.map(() => g));
    const others = groups.flatMap((group, g) => group.unlabeled.map(() => g));
    const pooled = {
      labels: groups.flatMap((group) => group.labels),
      judged: groups.flatMap((group) => group.judged),
      unlabeled: groups.flatMap((group) => group.unlabeled),
    };
    const lambda = 0.5;
    const found = predictionPoweredMean(pooled, { lambda, clusters: { labeled, unlabeled: others } });
    // The same from the definition: the sum of squares of what each cluster contributes.
    const rest = pooled.labels.map((label, i) => label - lambda * (pooled.judged[i] ?? 0));
    const parts = groups.map((_, g) => {
      const own = rest.reduce((sum, r, i) => (labeled[i] === g ? sum + (r - average(rest)) / rest.length : sum), 0);
      const n = pooled.unlabeled.length;
      const center = average(pooled.unlabeled);
      return pooled.unlabeled.reduce((sum, f, i) => (others[i] === g ? sum + (lambda * (f - center)) / n : sum), own);
    });
    expect(found.clusters).toBe(12);
    const imagined = (lambda * (168 / 120)) / 48;
    const variance = (12 / 11) * (parts.reduce((sum, part) => sum + part ** 2, 0) + imagined ** 2);
    expect(found.se).toBeCloseTo(Math.sqrt(variance), 6);
    expect(found.se).toBeGreaterThan(predictionPoweredMean(pooled, { lambda }).se ?? 1);
  });

  it.each([0.6, 0.75, 0.85, 0.95])("covers the true rate with a judge of accuracy %d", (accuracy) => {
    for (const rate of [0.5, 0.9]) {
      const coverage = measureCoverage(rate, 600, (random) =>
        predictionPoweredMean(drawScores(random, { rate, accuracy, labels: 60, rest: 500 })),
      );
      expect(coverage).toBeGreaterThan(0.925);
    }
  });

  it("covers differences of two systems, of which a judge favors one", () => {
    const coverage = measureCoverage(0.1, 600, (random) => {
      const drawPair = () => {
        const u = random.next();
        const label = u < 0.2 ? 1 : u < 0.3 ? -1 : 0;
        return { label, judge: random.next() < 0.7 ? label : Number(random.next() < 0.5) };
      };
      const pairs = Array.from({ length: 80 }, drawPair);
      const unlabeled = Array.from({ length: 400 }, () => drawPair().judge);
      const pairScores = {
        labels: pairs.map(({ label }) => label),
        judged: pairs.map(({ judge }) => judge),
        unlabeled,
      };
      return predictionPoweredMean(pairScores, { lower: -1 });
    });
    expect(coverage).toBeGreaterThan(0.925);
  });

  it("is right if units were chosen with unequal chances, where the plain mean is not", () => {
    const random = createRandom("chances");
    const [covered, values, plain]: [number[], number[], number[]] = [[], [], []];
    for (let i = 0; i < 400; i++) {
      // Units of which the judge is unsure fail more often, and are labeled more often.
      const units = Array.from({ length: 400 }, () => {
        const isUnsure = random.next() < 0.3;
        const label = Number(random.next() < (isUnsure ? 0.4 : 0.9));
        return { label, judge: isUnsure ? random.int(2) : 1, error: isUnsure ? 0.5 : 0.1 };
      });
      const chances = planLabelChances(
        units.map(({ error }) => error),
        80,
      );
      const isChosen = chances.map((chance) => random.next() < chance);
      const chosen = units.filter((_, at) => isChosen[at]);
      const found = predictionPoweredMean(
        {
          labels: chosen.map(({ label }) => label),
          judged: chosen.map(({ judge }) => judge),
          unlabeled: units.flatMap(({ judge }, at) => (isChosen[at] ? [] : [judge])),
        },
        { chances: chances.filter((_, at) => isChosen[at]) },
      );
      covered.push(Number((found.low ?? 0) <= 0.75 && 0.75 <= (found.high ?? 1)));
      values.push(found.value);
      plain.push(average(chosen.map(({ label }) => label)));
    }
    expect(average(values)).toBeCloseTo(0.75, 1.5);
    expect(Math.abs(average(values) - 0.75)).toBeLessThan(0.012);
    expect(average(plain)).toBeLessThan(0.7);
    expect(average(covered)).toBeGreaterThan(0.92);
  });

  it("rejects what does not fit together", () => {
    expect(() => predictionPoweredMean({ labels: [], judged: [], unlabeled: [1] })).toThrow("labels must not be empty");
    expect(() => predictionPoweredMean({ labels: [1], judged: [], unlabeled: [] })).toThrow(/^labels and judged/);
    expect(() => predictionPoweredMean({ labels: [2], judged: [1], unlabeled: [] })).toThrow(/^labels must be between/);
    expect(() => predictionPoweredMean(scores, { lambda: 2 })).toThrow(/^lambda must/);
    expect(() => predictionPoweredMean(scores, { chances: labels.map(() => 0) })).toThrow(/^chances must/);
    expect(() => predictionPoweredMean(scores, { clusters: { labeled: [], unlabeled: [] } })).toThrow(
      /^labels and clu/,
    );
  });
});

describe("requiredLabels", () => {
  it("finds the number with which the interval is as narrow as wanted", () => {
    const random = createRandom("required");
    const population = drawScores(random, { rate: 0.7, accuracy: 0.9, labels: 3000, rest: 0 });
    const first = { labels: population.labels.slice(0, 1000), judged: population.judged.slice(0, 1000) };
    const n = requiredLabels({ ...first, units: 3000, halfWidth: 0.04 }) ?? 0;
    const halves = Array.from({ length: 40 }, () => {
      const order = shuffle(
        population.labels.map((_, i) => i),
        random,
      );
      const pick = (of: readonly number[], from: number, to: number) => order.slice(from, to).map((i) => of[i] ?? 0);
      const { low, high } = predictionPoweredMean({
        labels: pick(population.labels, 0, n),
        judged: pick(population.judged, 0, n),
        unlabeled: pick(population.judged, n, 3000),
      });
      return ((high ?? 1) - (low ?? 0)) / 2;
    });
    expect(average(halves)).toBeGreaterThan(0.036);
    expect(average(halves)).toBeLessThan(0.044);
    expect(
      requiredLabels({ ...first, judged: first.judged.map(() => 1), units: 3000, halfWidth: 0.04 }),
    ).toBeGreaterThan(n);
  });

  it("is infinite if all units do not suffice, and null without an idea of the variance", () => {
    const { labels, judged } = drawScores(createRandom(2), { rate: 0.5, accuracy: 0.8, labels: 50, rest: 0 });
    expect(requiredLabels({ labels, judged, units: 100, halfWidth: 0.01 })).toBe(Number.POSITIVE_INFINITY);
    expect(requiredLabels({ labels: [1, 0], judged: [1, 1], units: 100, halfWidth: 0.1 })).toBeNull();
  });
});

describe("planLabelChances", () => {
  it("adds up to the number of labels, and gives every unit some chance", () => {
    const chances = planLabelChances([0, 0.1, 0.2, 5, 5, 0.1], 3);
    expect(chances.reduce((sum, chance) => sum + chance, 0)).toBeCloseTo(3, 9);
    expect(Math.min(...chances)).toBeGreaterThan(0);
    expect(Math.max(...chances)).toBeLessThanOrEqual(1);
    expect(planLabelChances([0, 0, 0, 0], 2)).toEqual([0.5, 0.5, 0.5, 0.5]);
    expect(planLabelChances([1, 2], 2)).toEqual([1, 1]);
    expect(() => planLabelChances([1], 2)).toThrow(/^n must/);
    expect(() => planLabelChances([-1, 1], 1)).toThrow(/^expectedErrors must/);
  });
});
