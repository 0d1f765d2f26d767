import { describe, expect, it } from "vitest";
import { type EvalRow, makeRow } from "../core/row.js";
import { createRandom } from "../stats/index.js";
import { analyzeFrontier, frontierCostOfPass, listTaskCosts } from "./frontier.js";

function row(system: string, exampleId: number, passed: boolean | null, outputTokens: number): EvalRow {
  const outcome = passed === null ? "error" : passed ? "pass" : "fail";
  return makeRow({ system, exampleId, outcome, passed, outputTokens });
}

const tokens = (one: EvalRow) => one.outputTokens;

describe("frontierCostOfPass", () => {
  it("takes the cheapest system of each task, then the mean over tasks", () => {
    const rows = [
      row("a", 1, true, 10),
      row("a", 1, false, 20), // a, task 1: 30 tokens for one pass
      row("b", 1, true, 25),
      row("b", 1, true, 15), // b, task 1: 20 tokens per pass
      row("a", 2, true, 8),
      row("b", 2, false, 1), // only a passes task 2
    ];
    expect(frontierCostOfPass(rows, { costOf: tokens })).toBe(14);
  });

  it("is infinite if no system passes a task, unless there is an expert cost", () => {
    const rows = [row("a", 1, true, 10), row("a", 2, false, 10), row("b", 2, null, 0)];
    expect(frontierCostOfPass(rows, { costOf: tokens })).toBe(Infinity);
    expect(frontierCostOfPass(rows, { costOf: tokens, expertCost: 50 })).toBe(30);
    expect(frontierCostOfPass(rows, { costOf: tokens, expertCost: 4 })).toBe(4);
  });

  it("returns null if a cost is unknown, and without trials", () => {
    expect(frontierCostOfPass([row("a", 1, true, 1)], { costOf: () => undefined })).toBeNull();
    expect(frontierCostOfPass([], { costOf: tokens })).toBeNull();
    const skipped = makeRow({ system: "a", exampleId: 1, outcome: "skipped" });
    expect(frontierCostOfPass([skipped], { costOf: tokens })).toBeNull();
    expect(frontierCostOfPass([skipped, row("a", 2, true, 6)], { costOf: tokens })).toBe(6);
  });
});

describe("listTaskCosts", () => {
  it("divides the cost of a task by its passes", () => {
    const rows = [row("a", 1, true, 10), row("a", 1, false, 20), row("b", 1, false, 5)];
    expect(listTaskCosts(rows, { costOf: tokens })).toEqual([
      { system: "a", dataset: "", exampleId: 1, cost: 30 },
      { system: "b", dataset: "", exampleId: 1, cost: Infinity },
    ]);
    expect(listTaskCosts(rows, { costOf: () => undefined }).map(({ cost }) => cost)).toEqual([null, null]);
  });
});

interface BruteTrial {
  system: string;
  task: number;
  trial: number;
  passed: boolean;
  cost: number;
}

/** The definition, task by task: one trial chooses and prices; of two, each chooses and the other prices. */
function computeByBruteForce(trials: readonly BruteTrial[], expertCost = Infinity, without = ""): number {
  const left = trials.filter(({ system }) => system !== without);
  const tasks = [...new Set(trials.map(({ task }) => task))];
  const isSplit = trials.some(({ trial }) => trial === 1);
  const price = (trial: BruteTrial | undefined) => (trial?.passed === true ? trial.cost : Infinity);
  const costs = tasks.flatMap((task) =>
    (isSplit ? [0, 1] : [0]).map((chooser) => {
      const own = left.filter((one) => one.task === task);
      const candidates = own.filter(({ trial }) => trial === chooser);
      const least = Math.min(...candidates.map(price));
      if (least >= expertCost || least === Infinity) return expertCost;
      const chosen = candidates.find((one) => price(one) === least);
      const pricer = isSplit ? 1 - chooser : 0;
      return Math.min(expertCost, price(own.find((one) => one.system === chosen?.system && one.trial === pricer)));
    }),
  );
  return costs.reduce((total, cost) => total + cost, 0) / costs.length;
}

describe("analyzeFrontier", () => {
  it("finds the frontier, the gain and the essential share by hand-computed values", () => {
    // Task 1: a 10, b 4. Task 2: only a passes, for 20; an expert takes 12. Task 3: nobody passes.
    const rows = [
      row("a", 1, true, 10),
      row("b", 1, true, 4),
      row("a", 2, true, 20),
      row("b", 2, false, 4),
      row("a", 3, false, 10),
      row("b", 3, false, 4),
    ];
    expect(analyzeFrontier(rows, { costOf: tokens, expertCost: 12 })).toMatchObject({
      value: expect.closeTo(28 / 3, 12),
      isBiased: true,
      gain: { a: 0, b: expect.closeTo((10 - 4) / 3, 12) },
      essentialShare: { a: 0, b: expect.closeTo(1 / 3, 12) },
      expertShare: expect.closeTo(2 / 3, 12),
      unrepeatedShare: 0,
      tasks: 3,
      infiniteTasks: 0,
    });
    expect(analyzeFrontier(rows, { costOf: tokens, expertCost: 30 })).toMatchObject({
      value: expect.closeTo(18, 12),
      gain: { a: expect.closeTo(10 / 3, 12), b: expect.closeTo(2, 12) },
      essentialShare: { a: expect.closeTo(1 / 3, 12), b: expect.closeTo(1 / 3, 12) },
    });
    expect(analyzeFrontier(rows, { costOf: tokens })).toMatchObject({
      value: Infinity,
      interval: { low: null, high: null, reason: "not finite" },
      infiniteTasks: 1,
    });
  });

  it("has an expert cost for each dataset", () => {
    const rows = [
      { ...row("a", 1, false, 10), dataset: "x" },
      { ...row("a", 1, true, 10), dataset: "y" },
    ];
    const expertCost = ({ dataset }: EvalRow) => (dataset === "x" ? 30 : undefined);
    expect(analyzeFrontier(rows, { costOf: tokens, expertCost })).toMatchObject({ value: 20, gain: { a: Infinity } });
  });

  it("has intervals by groups", () => {
    const rows = [1, 2, 3, 4, 5, 6].flatMap((id) => [
      { ...row("a", id, true, 10 + id), group: id % 2 },
      { ...row("b", id, true, 20 + id), group: id % 2 },
    ]);
    const found = analyzeFrontier(rows, { costOf: tokens });
    expect(found?.interval).toMatchObject({ n: 6, groups: 2 });
    expect(found?.gain).toEqual({ a: 10, b: 0 });
    expect(found?.gainInterval.a).toMatchObject({ low: 10, high: 10, groups: 2 });
  });

  it("chooses by one half of the trials and prices by the other", () => {
    const trial = (system: string, index: number, outputTokens: number) => ({
      ...row(system, 1, true, outputTokens),
      trial: index,
    });
    const rows = [trial("a", 0, 2), trial("a", 1, 10), trial("b", 0, 6), trial("b", 1, 4)];
    // Trial 0 chooses a, which costs 10 in trial 1; trial 1 chooses b, which costs 6 in trial 0.
    const found = analyzeFrontier(rows, { costOf: tokens });
    expect(found).toMatchObject({ value: 8, isBiased: false, essentialShare: { a: 0.5, b: 0.5 } });
    expect(found?.gain).toEqual({ a: 5 - 8, b: 6 - 8 });
  });

  it("has an infinite gain for a system that alone passes a task, whatever luck does in another task", () => {
    const rows = [0, 1].flatMap((trial) => [
      // Only a passes.
      { ...row("a", 1, true, 2), trial },
      { ...row("b", 1, false, 2), trial },
      // Trial 0 chooses a, which does not pass in trial 1: with a it is infinite, without it is not.
      { ...row("a", 2, trial === 0, 1), trial },
      { ...row("b", 2, true, 5), trial },
    ]);
    const found = analyzeFrontier(rows, { costOf: tokens });
    expect(found).toMatchObject({ value: Infinity, gain: { a: Infinity, b: 0 }, infiniteTasks: 1 });
  });

  it("has no bias with several trials, unlike the minimum of the same trials", () => {
    const random = createRandom("frontier");
    const rows = Array.from({ length: 2000 }, (_, exampleId) =>
      ["a", "b", "c"].flatMap((system) =>
        [0, 1, 2, 3].map((trial) => ({ ...row(system, exampleId, true, 100 * (0.5 + random.next())), trial })),
      ),
    ).flat();
    // All systems cost 100 on average, so the frontier is 100.
    const found = analyzeFrontier(rows, { costOf: tokens })?.value ?? 0;
    expect(found).toBeGreaterThan(98.5);
    expect(found).toBeLessThan(101.5);
    expect(frontierCostOfPass(rows, { costOf: tokens })).toBeLessThan(90);
  });

  it.each([undefined, 2])("agrees with brute force on all small runs, with an expert cost of %s", (expertCost) => {
    const results = [
      { passed: true, cost: 1 },
      { passed: true, cost: 3 },
      { passed: false, cost: 1 },
      { passed: false, cost: 3 },
    ];
    const shapes = [
      ["a1.0", "a2.0", "b1.0", "b2.0"],
      ["a1.0", "a1.1", "b1.0", "b1.1"],
    ];
    for (const slots of shapes) {
      for (let code = 0; code < results.length ** slots.length; code++) {
        const trials = slots.map((slot, i) => {
          const result = results[Math.floor(code / results.length ** i) % results.length];
          return { system: slot[0] ?? "", task: Number(slot[1]), trial: Number(slot[3]), ...result };
        }) as BruteTrial[];
        const rows = trials.map(({ system, task, trial, passed, cost }) => ({
          ...row(system, task, passed, cost),
          trial,
        }));
        const found = analyzeFrontier(rows, { costOf: tokens, ...(expertCost === undefined ? {} : { expertCost }) });
        const value = computeByBruteForce(trials, expertCost);
        expect(found?.value).toBeCloseTo(value, 12);
        for (const system of ["a", "b"]) {
          const gain = computeByBruteForce(trials, expertCost, system) - value;
          if (Number.isFinite(gain)) expect(found?.gain[system]).toBeCloseTo(gain, 12);
        }
      }
    }
  });

  it("is null without trials or with an unknown cost", () => {
    expect(analyzeFrontier([], { costOf: tokens })).toBeNull();
    expect(analyzeFrontier([row("a", 1, true, 1)], { costOf: () => undefined })).toBeNull();
  });
});
