import { describe, expect, it } from "vitest";
import { fitItemResponse, type ResponseCell } from "./item-response.js";
import { createRandom, type Random, sampleNormal } from "./random.js";

const cell = (passes: number, trials = 1): ResponseCell => ({ passes, trials });

function draw(random: Random, chance: number, trials: number): ResponseCell {
  let passes = 0;
  for (let i = 0; i < trials; i++) passes += Number(random.next() < chance);
  return cell(passes, trials);
}

function correlate(x: readonly number[], y: readonly number[]): number {
  const center = (values: readonly number[]) => {
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    return values.map((value) => value - mean);
  };
  const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, value, i) => sum + value * (b[i] ?? 0), 0);
  const [a, b] = [center(x), center(y)];
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

/** The logarithm of the posterior, up to a constant. */
function computePosterior(
  cells: readonly (readonly (ResponseCell | null)[])[],
  slopes: readonly number[],
  easiness: readonly number[],
  abilities: readonly number[],
) {
  let log = 0;
  for (const ability of abilities) log -= ability ** 2 / 2;
  cells.forEach((row, task) => {
    const [slope, ease] = [slopes[task] ?? 0, easiness[task] ?? 0];
    log -= (slope - 1) ** 2 / 0.5 + ease ** 2 / 8;
    row.forEach((each, system) => {
      if (each === null) return;
      const chance = 1 / (1 + Math.exp(-(slope * (abilities[system] ?? 0) + ease)));
      const rate = each.passes / each.trials;
      log += rate * Math.log(chance) + (1 - rate) * Math.log(1 - chance);
    });
  });
  return log;
}

describe("fitItemResponse", () => {
  const random = createRandom("response");
  const abilities = Array.from({ length: 8 }, (_, i) => -1.75 + i / 2);
  const easiness = Array.from({ length: 120 }, () => 1.3 * sampleNormal(random));
  const cells = easiness.map((ease) =>
    abilities.map((ability) =>
      random.next() < 0.1 ? null : draw(random, 1 / (1 + Math.exp(-(1.5 * ability + ease))), 3),
    ),
  );
  const fit = fitItemResponse(cells);

  it("recovers abilities and difficulties, with missing cells", () => {
    expect(correlate(fit.abilities, abilities)).toBeGreaterThan(0.98);
    const difficulties = fit.items.map(({ difficulty }) => difficulty);
    expect(
      correlate(
        difficulties,
        easiness.map((ease) => -ease),
      ),
    ).toBeGreaterThan(0.85);
  });

  it("is at a maximum of the posterior", () => {
    const slopes = fit.items.map(({ discrimination }) => discrimination);
    const ease = fit.items.map(({ difficulty, discrimination }) => -difficulty * Math.max(0.25, discrimination));
    const best = computePosterior(cells, slopes, ease, fit.abilities);
    const nudge = (values: readonly number[], at: number, by: number) =>
      values.map((value, i) => (i === at ? value + by : value));
    for (const by of [-0.02, 0.02]) {
      for (const at of [0, 7, 40, 119]) {
        expect(computePosterior(cells, nudge(slopes, at, by), ease, fit.abilities)).toBeLessThan(best);
        expect(computePosterior(cells, slopes, nudge(ease, at, by), fit.abilities)).toBeLessThan(best);
      }
      for (const at of [0, 3, 7])
        expect(computePosterior(cells, slopes, ease, nudge(fit.abilities, at, by))).toBeLessThan(best);
    }
  });

  it("flags few tasks that are in order", () => {
    const flagged = fit.items.filter(({ flags }) => flags.includes("suspicious") || flags.includes("noisy"));
    expect(flagged.length).toBeLessThanOrEqual(3);
    expect(fit.expectedSuspicious).toBeCloseTo(fit.tested / 100, 12);
  });

  it("flags tasks that all pass, that none passes, and that weak systems pass", () => {
    const odd = [
      abilities.map(() => cell(3, 3)),
      abilities.map(() => cell(0, 3)),
      abilities.map((_, i) => cell(i < 3 ? 3 : i < 5 ? 2 : 0, 3)),
      abilities.map((_, i) => cell(1 + (i % 2), 3)),
    ];
    const found = fitItemResponse([...odd, ...cells]).items.slice(0, 4);
    expect(found.map(({ flags }) => flags)).toEqual([["saturated"], ["dead"], ["suspicious"], ["noisy"]]);
    expect(found[2]?.discrimination).toBeLessThan(0);
    expect(found[2]?.correlation).toBeLessThan(-0.6);
    expect(found[0]).toMatchObject({ passes: 24, trials: 24, systems: 8, correlation: null, negativeP: null });
    expect(found[0]?.difficulty).toBeLessThan(-1);
    expect(found[1]?.difficulty).toBeGreaterThan(1);
    expect(found[3]?.disagreement).toBeCloseTo(2 / 3, 12);
  });

  it("flags nothing without enough data", () => {
    const few = fitItemResponse([
      [cell(1), null],
      [cell(0), cell(1)],
      [cell(1, 2), cell(1, 2)],
    ]);
    expect(few.items.flatMap(({ flags }) => flags)).toEqual([]);
    expect(few.tested).toBe(0);
    expect(few.items[0]).toMatchObject({ disagreement: null, systems: 1 });
    expect(fitItemResponse([])).toMatchObject({ items: [], abilities: [] });
  });

  it("calls tasks that are equally hard for all systems suspicious about once in a hundred", () => {
    const own = createRandom("chance");
    const tasks = Array.from({ length: 600 }, (_, task) =>
      abilities.map((ability) => draw(own, task % 2 === 0 ? 0.6 : 0.5 + 0.2 * ability, 3)),
    );
    const even = fitItemResponse(tasks).items.filter((_, task) => task % 2 === 0);
    const flagged = even.filter(({ flags }) => flags.includes("suspicious")).length;
    // 3 of 300 are expected.
    expect(flagged).toBeLessThanOrEqual(9);
  });

  it("rejects rows of different lengths, and more passes than trials", () => {
    expect(() => fitItemResponse([[cell(1)], [cell(1), cell(0)]])).toThrow(/^task 0 and task 1 must/);
    expect(() => fitItemResponse([[cell(2)]])).toThrow("passes must be from 0 to trials, got 2 of 1");
  });
});
