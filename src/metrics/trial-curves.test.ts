import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type EvalRow, makeRow } from "../core/row.js";
import { passAtK, passHatK } from "../stats/index.js";
import { collectIntervals } from "../testing/intervals.js";
import { TrialCurves } from "./trial-curves.js";

/** One string per task: p pass, f fail, e error. */
function trialsOf(...tasks: readonly string[]): EvalRow[] {
  const outcomes = { p: "pass", f: "fail", e: "error" } as const;
  return tasks.flatMap((trials, exampleId) =>
    [...trials].map((letter, trial) => {
      const outcome = outcomes[letter as keyof typeof outcomes];
      return makeRow({ system: "s", exampleId, trial, outcome, passed: outcome === "error" ? null : letter === "p" });
    }),
  );
}

describe("TrialCurves", () => {
  it("has every k up to the number of trials, averaged over the tasks with enough trials", () => {
    const found = new TrialCurves().compute(trialsOf("pp", "pf", "ff"));
    expect(found).toEqual({
      pass_at_1: 0.5,
      pass_hat_1: 0.5,
      pass_at_2: expect.closeTo(2 / 3, 12),
      pass_hat_2: expect.closeTo(1 / 3, 12),
      flaky_rate: expect.closeTo(1 / 3, 12),
    });
  });

  it("excludes errors from a task's trials, and reports the number of tasks for each k", () => {
    const rows = trialsOf("ppf", "pee", "fff");
    const found = new TrialCurves().compute(rows);
    expect(found.pass_at_1).toBeCloseTo((2 / 3 + 1 + 0) / 3, 12);
    expect(found.pass_at_3).toBe(0.5);
    expect(found.pass_hat_2).toBeCloseTo((1 / 3 + 0) / 2, 12);
    const bounds = collectIntervals(new TrialCurves(), rows);
    expect([1, 2, 3].map((k) => bounds[`pass_at_${k}`]?.n)).toEqual([3, 2, 2]);
    expect(Object.keys(bounds).sort()).toEqual(Object.keys(found).sort());
  });

  it("matches the formulas for any trials", () => {
    const trials = fc.string({ unit: fc.constantFrom("p", "f"), minLength: 2, maxLength: 5 });
    fc.assert(
      fc.property(fc.array(trials, { minLength: 1, maxLength: 6 }), (tasks) => {
        const found = new TrialCurves().compute(trialsOf(...tasks));
        const longest = Math.max(...tasks.map((task) => task.length));
        for (let k = 1; k <= longest; k++) {
          const counts = tasks
            .filter((task) => task.length >= k)
            .map((task) => ({ n: task.length, c: [...task].filter((letter) => letter === "p").length }));
          const mean = (of: typeof passAtK) => counts.reduce((sum, { n, c }) => sum + of(n, c, k), 0) / counts.length;
          expect(found[`pass_at_${k}`]).toBeCloseTo(mean(passAtK), 12);
          expect(found[`pass_hat_${k}`]).toBeCloseTo(mean(passHatK), 12);
        }
      }),
    );
  });

  it("returns nothing with one trial each, and handles a run without scored trials", () => {
    expect(new TrialCurves().compute(trialsOf("p", "f"))).toEqual({});
    expect(collectIntervals(new TrialCurves(), trialsOf("p", "f"))).toEqual({});
    expect(new TrialCurves().compute(trialsOf("ee", "ee"))).toEqual({ flaky_rate: 0 });
    expect(collectIntervals(new TrialCurves(), trialsOf("ee", "ee"))).toMatchObject({
      flaky_rate: { low: null, n: 0 },
    });
    expect(new TrialCurves().compute([])).toEqual({});
  });
});
