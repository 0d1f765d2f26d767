import { describe, expect, it } from "vitest";
import type { TaskRate } from "../core/index.js";
import { createRandom, type Random, shuffle } from "../stats/index.js";
import { type AdjustedFigure, adjustFigure } from "./history-adjustment.js";

const TASKS = 200;
const average = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Tasks that are easy or hard, and one result of each. */
function makePool(random: Random) {
  return Array.from({ length: TASKS }, (_, i) => {
    const rate = random.next() < 0.5 ? 0.9 : 0.15;
    return { id: `t${i}`, rate, value: Number(random.next() < rate) };
  });
}

type Pool = ReturnType<typeof makePool>;

function makeFigure(sample: Pool, lower = 0): AdjustedFigure {
  const values = sample.map(({ id, value }) => ({ dataset: "qa", exampleId: id, value, group: null }));
  return { system: "a", metric: "pass_rate", values, planned: new Map([["qa", sample.length]]), lower };
}

function tell(run: string, tasks: Pool, say: (task: Pool[number]) => number): TaskRate[] {
  return tasks.map((task) => ({
    run,
    system: "old",
    dataset: "qa",
    exampleId: task.id,
    passRate: say(task),
    score: null,
  }));
}

/** Adjusted estimates of many samples of one pool, and the truth about it. */
function simulate(samples: number, makeRates: (pool: Pool, sample: Pool, random: Random) => TaskRate[]) {
  const random = createRandom("history");
  const pool = makePool(random);
  const truth = average(pool.map(({ value }) => value));
  const found = Array.from({ length: samples }, () => {
    const sample = shuffle(pool, random).slice(0, 50);
    return adjustFigure(makeFigure(sample), makeRates(pool, sample, random))[0];
  });
  const values = found.flatMap((each) => each?.adjusted?.value ?? []);
  const bias = average(values) - truth;
  const se = Math.sqrt(average(values.map((value) => (value - truth) ** 2)) / values.length);
  const width = average(found.flatMap((each) => each?.narrower ?? []));
  const covered = found.filter(
    (each) => (each?.adjusted?.low ?? 1) <= truth && truth <= (each?.adjusted?.high ?? 0),
  ).length;
  return { bias, se, narrower: width, adjusted: values.length / samples, coverage: covered / values.length };
}

describe("adjustFigure", () => {
  it.each<[string, (task: Pool[number], random: Random) => number, number]>([
    ["right", ({ rate }) => rate, 0.15],
    ["reversed", ({ rate }) => 1 - rate, 0.15],
    ["random", (_, random) => random.next(), -0.02],
    ["the result itself", ({ value }) => value, 0.4],
    ["constant", () => 0.5, -0.02],
  ])("is unbiased and covers the truth if history is %s", (_, say, narrower) => {
    const found = simulate(400, (pool, _sample, random) => tell("r", pool, (task) => say(task, random)));
    expect(found.adjusted).toBeGreaterThan(0.99);
    expect(Math.abs(found.bias)).toBeLessThan(3.5 * found.se + 1e-9);
    expect(found.coverage).toBeGreaterThan(0.94);
    expect(found.narrower).toBeGreaterThan(narrower);
  });

  it("is unbiased if a much stronger system ran exactly the tasks of the run, which says nothing about the others", () => {
    const found = simulate(400, (pool, sample) => [
      ...tell("all", pool, ({ rate }) => rate),
      ...tell("same", sample, () => 1),
    ]);
    expect(Math.abs(found.bias)).toBeLessThan(3.5 * found.se + 1e-9);
    expect(found.narrower).toBeGreaterThan(0.15);
  });

  it("averages runs that have the same tasks, and names those it used", () => {
    const random = createRandom(3);
    const pool = makePool(random);
    const rates = [
      ...tell("one", pool, ({ rate }) => Number(random.next() < rate)),
      ...tell("two", pool, ({ rate }) => Number(random.next() < rate)),
      ...tell("few", pool.slice(0, 60), ({ rate }) => rate),
    ];
    const sample = shuffle(pool, random).slice(0, 50);
    const [both] = adjustFigure(makeFigure(sample), rates);
    expect([...(both?.runs ?? [])].sort()).toEqual(["one", "two"]);
    expect(both).toMatchObject({ tasks: 50, matched: 50, frame: TASKS, reason: null });
  });

  it("tells more by two runs than by one", () => {
    const narrow = (runs: readonly string[]) =>
      simulate(60, (pool) => {
        const random = createRandom("two runs");
        const rates = ["one", "two"].flatMap((run) => tell(run, pool, ({ rate }) => Number(random.next() < rate)));
        return rates.filter(({ run }) => runs.includes(run));
      }).narrower;
    expect(narrow(["one", "two"])).toBeGreaterThan(narrow(["one"]) + 0.02);
  });

  it("says why it does not adjust", () => {
    const pool = makePool(createRandom(5));
    const reasonOf = (sample: Pool, rates: TaskRate[], planned = sample.length) =>
      adjustFigure({ ...makeFigure(sample), planned: new Map([["qa", planned]]) }, rates)[0];
    const all = tell("all", pool, ({ rate }) => rate);
    const sample = shuffle(pool, createRandom(6)).slice(0, 50);
    expect(reasonOf(sample, [])).toMatchObject({
      adjusted: null,
      narrower: null,
      plain: { value: expect.any(Number) },
      reason: "no other stored run has scored trials on qa",
    });
    expect(
      reasonOf(
        sample,
        tell("some", sample.slice(0, 9), () => 1),
      )?.reason,
    ).toBe("history has 9 of the 50 tasks, and at least 10 are needed");
    expect(
      reasonOf(
        sample,
        tell("same", sample, () => 1),
      )?.reason,
    ).toMatch(/^no stored run has many more tasks of qa/);
    expect(reasonOf(sample, all, 60)?.reason).toBe(
      "only 83 % of its tasks have a score, which may not be like the others",
    );
    const easy = pool.filter(({ rate }) => rate > 0.5).slice(0, 50);
    expect(reasonOf(easy, all)?.reason).toMatch(/^its tasks are no random sample .* much easier$/);
    expect(reasonOf(sample, all)?.reason).toBeNull();
  });
});
