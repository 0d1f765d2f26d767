import { describe, expect, it } from "vitest";
import { MeanTest } from "./confidence-sequence.js";
import { Race } from "./race.js";
import { createRandom, type Random } from "./random.js";

/** Runs the arms that are left on each unit, and finishes. */
function run(race: Race, units: readonly (readonly number[])[]): Race {
  for (const unit of units) {
    const left = new Set(race.contenders);
    if (left.size === 1) return race;
    race.add(unit.map((value, arm) => (left.has(arm) ? value : null)));
  }
  race.finish();
  return race;
}

/** Pass/fail of all arms on tasks whose difficulty they share in part. */
function drawUnits(random: Random, rates: readonly number[], n: number): number[][] {
  return Array.from({ length: n }, () => {
    const shared = random.next();
    return rates.map((rate) => Number((random.next() < 0.5 ? shared : random.next()) < rate));
  });
}

describe("Race", () => {
  it("drops an arm when the mean e-value of the others being better reaches 2/alpha", () => {
    const units = drawUnits(createRandom("drop"), [0.9, 0.6, 0.2], 60);
    const race = new Race({ arms: 3, horizon: 60 });
    const [first, second] = [0, 1].map(() => new MeanTest(0, { lower: -1, upper: 1, horizon: 60 }));
    let at: number | null = null;
    units.forEach((unit, i) => {
      first?.add((unit[0] ?? 0) - (unit[2] ?? 0));
      second?.add((unit[1] ?? 0) - (unit[2] ?? 0));
      if (((first?.above ?? 0) + (second?.above ?? 0)) / 2 >= 40) at ??= i + 1;
    });
    run(race, units);
    expect(race.arms[2]).toMatchObject({ droppedAt: at, isFinal: false, count: at });
    expect(race.contenders).toEqual([0]);
    const { interval, mean } = race.arms[2] ?? { interval: { low: 1, high: 0 }, mean: 2 };
    expect(interval.low).toBeLessThan(mean);
    expect(interval.high).toBeGreaterThan(mean);
  });

  it("drops the best of equal arms in at most 5 % of the races", () => {
    const random = createRandom("ties");
    let wrong = 0;
    for (let i = 0; i < 80; i++) {
      const race = run(new Race({ arms: 4, horizon: 40 }), drawUnits(random, [0.6, 0.6, 0.6, 0.6], 40));
      if (!race.contenders.includes(0)) wrong++;
    }
    // Three standard errors above 5 %.
    expect(wrong / 80).toBeLessThan(0.124);
  });

  it("finds the best of eight, mostly with few units of the others", () => {
    const random = createRandom("eight");
    let [found, spent] = [0, 0];
    for (let i = 0; i < 15; i++) {
      const rates = [0.35, 0.4, 0.45, 0.5, 0.9, 0.55, 0.4, 0.3];
      const race = run(new Race({ arms: 8, horizon: 150 }), drawUnits(random, rates, 150));
      expect(race.contenders).toContain(4);
      if (race.contenders.length === 1) found++;
      spent += race.arms.reduce((sum, { count }) => sum + count, 0);
    }
    expect(found).toBeGreaterThanOrEqual(14);
    expect(spent / (15 * 8 * 150)).toBeLessThan(0.4);
  });

  it("compares two arms of a group by the tasks that both have, whatever the others lack", () => {
    const random = createRandom("groups");
    const race = new Race({ arms: 3, horizon: 40 });
    const test = new MeanTest(0, { lower: -1, upper: 1, horizon: 40 });
    for (let i = 0; i < 40 && race.contenders.length === 3; i++) {
      const tasks = Array.from({ length: 3 }, (_, task) => [1, Number(random.next() < 0.2), task === 0 ? null : 1]);
      // The second arm lacks one task in four, and the third all of them in every other group.
      const known = tasks.map(([a = 1, b = 0, c = 1]) => [a, random.next() < 0.25 ? null : b, i % 2 === 0 ? null : c]);
      race.addGroup(known);
      const both = known.flatMap(([a, b]) => (a == null || b == null ? [] : [a - b]));
      if (both.length > 0) test.add(both.reduce((sum, d) => sum + d, 0) / both.length);
    }
    // Half of the e-value is of the pair of the first two, the other of the second and the third.
    expect(race.contenders).toEqual([0, 2]);
    expect(test.above).toBeLessThanOrEqual(2 * (race.arms[1]?.eValue ?? 0));
    expect(race.arms[0]?.count).toBe(race.arms[1]?.droppedAt);
  });

  it("drops the best of equal arms in at most 5 % of the races, also if values are missing at random", () => {
    const random = createRandom("missing");
    let wrong = 0;
    for (let i = 0; i < 80; i++) {
      const race = new Race({ arms: 4, horizon: 30 });
      for (let t = 0; t < 30 && race.contenders.length > 1; t++)
        race.addGroup(
          drawUnits(random, [0.6, 0.6, 0.6, 0.6], 3).map((task) => task.map((v) => (random.next() < 0.2 ? null : v))),
        );
      if (race.contenders.length > 1) race.finish();
      if (!race.contenders.includes(0)) wrong++;
    }
    expect(wrong / 80).toBeLessThan(0.124);
  });

  it("uses the final test with the other half of alpha", () => {
    // 20 units in which the first arm alone passes: p = 2^-20, one-sided.
    const race = new Race({ arms: 2, horizon: 1_000_000 });
    for (let i = 0; i < 20; i++) race.add([1, 0]);
    for (let i = 0; i < 200; i++) race.add([1, 1]);
    expect(race.contenders).toEqual([0, 1]);
    race.finish();
    expect(race.arms[1]).toMatchObject({ droppedAt: 220, isFinal: true });
  });

  it("knows which is best when a whole population was seen", () => {
    const race = new Race({ arms: 3, horizon: 6, populationSize: 6 });
    for (const unit of [
      [1, 1, 0],
      [0, 0, 0],
      [1, 1, 1],
      [1, 0, 1],
      [0, 1, 0],
      [1, 1, 1],
    ])
      race.add(unit);
    race.finish();
    expect(race.contenders).toEqual([0, 1]);
  });

  it("never drops the last arms, and wants one value for each", () => {
    const race = new Race({ arms: 2, horizon: 50 });
    for (let i = 0; i < 50; i++) race.add([1, 0]);
    race.finish();
    expect(race.contenders).toEqual([0]);
    expect(() => race.add([1])).toThrow(/^values and arms must/);
    expect(() => new Race({ arms: 1, horizon: 5 })).toThrow(/^arms must/);
  });
});
