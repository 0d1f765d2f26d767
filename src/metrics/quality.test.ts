import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type EvalRow, makeRow } from "../core/row.js";
import { meanInterval, scoreInterval, wilsonInterval } from "../stats/index.js";
import { collectIntervals } from "../testing/intervals.js";
import { MeanScore, PassRate, PerDatasetBreakdown } from "./index.js";

const CONTEXT = { scoreField: "f1", threshold: 0.5, seed: 0 };

function row(exampleId: number, scores: Record<string, number>, more: Partial<EvalRow> = {}): EvalRow {
  return makeRow({ system: "s", exampleId, outcome: "pass", scores, ...more });
}

/** Tasks with their trials' f1, in an order that does not follow the tasks. */
function interleaved(tasks: readonly (readonly number[])[]): EvalRow[] {
  const rows = tasks.flatMap((trials, task) => trials.map((f1, trial) => row(task, { f1 }, { trial })));
  return rows.sort((a, b) => a.trial - b.trial || Number(b.exampleId) - Number(a.exampleId));
}

const scoredTasks = fc.array(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 4 }), {
  minLength: 1,
  maxLength: 8,
});
const average = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe("MeanScore", () => {
  it("averages the field over the rows that have it", () => {
    const rows = [row(1, { f1: 1 }), row(2, { f1: 0.5 }), row(3, { em: 1 }), row(4, {}, { outcome: "error" })];
    expect(new MeanScore({ scoreField: "f1" }).compute(rows)).toEqual({ mean_score: 0.75 });
    const { low, high } = scoreInterval([1, 0.5]);
    expect(collectIntervals(new MeanScore({ scoreField: "f1" }), rows)).toEqual({ mean_score: { low, high, n: 2 } });
  });

  it("uses the t interval if scores leave [0, 1], as in hand-made rows", () => {
    const { low, high } = meanInterval([3, -1, 2]);
    const rows = [3, -1, 2].map((f1, i) => row(i, { f1 }));
    expect(collectIntervals(new MeanScore({ scoreField: "f1" }), rows).mean_score).toEqual({ low, high, n: 3 });
  });

  it("inherits the run's field unless it has its own", () => {
    const rows = [row(1, { f1: 0.2, em: 1 }, { primaryField: "em" })];
    expect(new MeanScore().compute(rows).mean_score).toBe(1);
    expect(new MeanScore().compute(rows, CONTEXT).mean_score).toBe(0.2);
    expect(new MeanScore({ scoreField: "em" }).compute(rows, CONTEXT).mean_score).toBe(1);
  });

  it("averages a task's trials before averaging tasks", () => {
    // Pooling the five trials would give 0.4.
    expect(new MeanScore({ scoreField: "f1" }).compute(interleaved([[1], [0, 0, 0, 1]])).mean_score).toBe(0.625);
    fc.assert(
      fc.property(scoredTasks, (tasks) => {
        const found = new MeanScore({ scoreField: "f1" }).compute(interleaved(tasks)).mean_score;
        expect(found).toBeCloseTo(average(tasks.map(average)), 12);
      }),
    );
  });

  it("is 0 without rows, with n = 0", () => {
    expect(new MeanScore().compute([])).toEqual({ mean_score: 0 });
    expect(collectIntervals(new MeanScore(), [])).toEqual({
      mean_score: { low: null, high: null, n: 0, reason: "fewer than two tasks" },
    });
  });
});

describe("PassRate", () => {
  it("counts a score at the threshold as a pass", () => {
    const rows = [row(1, { f1: 0.7 }), row(2, { f1: 0.6999 }), row(3, { f1: 1 }), row(4, { em: 1 })];
    expect(new PassRate({ scoreField: "f1" }).compute(rows).pass_rate).toBeCloseTo(2 / 3, 12);
    expect(new PassRate().compute(rows, CONTEXT).pass_rate).toBe(1);
    expect(new PassRate({ threshold: 1 }).compute(rows, CONTEXT).pass_rate).toBeCloseTo(1 / 3, 12);
    expect(new PassRate({ threshold: 0 }).compute([row(1, { f1: 0 })], CONTEXT).pass_rate).toBe(1);
  });

  it("has Wilson's interval for one trial each", () => {
    const rows = Array.from({ length: 10 }, (_, i) => row(i, { f1: i < 8 ? 1 : 0 }));
    const { low, high } = wilsonInterval(8, 10);
    expect(collectIntervals(new PassRate({ scoreField: "f1" }), rows).pass_rate).toEqual({ low, high, n: 10 });
  });

  it("averages over tasks, with tasks as the unit of inference", () => {
    const rows = interleaved([[1], [0, 0, 0, 1]]);
    expect(new PassRate({ scoreField: "f1" }).compute(rows).pass_rate).toBe(0.625);
    expect(collectIntervals(new PassRate({ scoreField: "f1" }), rows).pass_rate?.n).toBe(2);
    fc.assert(
      fc.property(scoredTasks, fc.double({ min: 0, max: 1, noNaN: true }), (tasks, threshold) => {
        const found = new PassRate({ scoreField: "f1", threshold }).compute(interleaved(tasks)).pass_rate;
        const rates = tasks.map((trials) => average(trials.map((f1) => Number(f1 >= threshold))));
        expect(found).toBeCloseTo(average(rates), 12);
      }),
    );
  });

  it("separates an example of two systems or two datasets", () => {
    const rows = [
      row(1, { f1: 1 }, { trial: 1 }),
      row(1, { f1: 0 }, { trial: 1, dataset: "other" }),
      row(1, { f1: 0 }, { trial: 1, system: "t" }),
      row(1, { f1: 1 }),
    ];
    expect(new PassRate({ scoreField: "f1" }).compute(rows).pass_rate).toBeCloseTo(1 / 3, 12);
  });

  it("is 0 without rows", () => {
    expect(new PassRate().compute([])).toEqual({ pass_rate: 0 });
    expect(collectIntervals(new PassRate(), []).pass_rate).toMatchObject({ low: null, high: null, n: 0 });
  });

  it.each([-0.1, 1.1, 70, Number.NaN])("rejects the threshold %d", (threshold) => {
    expect(() => new PassRate({ threshold })).toThrow(/threshold must be between 0 and 1/);
  });
});

describe("PerDatasetBreakdown", () => {
  it("averages each tag, with untagged rows as unknown", () => {
    const rows = [
      row(1, { f1: 1 }, { dataset: "a" }),
      row(2, { f1: 0.5 }, { dataset: "a" }),
      row(1, { f1: 0.2 }, { dataset: "b" }),
      row(1, { f1: 0.4 }),
    ];
    expect(new PerDatasetBreakdown({ scoreField: "f1" }).compute(rows)).toEqual({
      "dataset:a": 0.75,
      "dataset:b": 0.2,
      "dataset:unknown": 0.4,
    });
    const bounds = collectIntervals(new PerDatasetBreakdown({ scoreField: "f1" }), rows);
    expect(bounds["dataset:a"]).toEqual({ ...scoreBounds([1, 0.5]), n: 2 });
    expect(bounds["dataset:b"]).toMatchObject({ low: null, n: 1 });
  });

  it("uses each dataset's primary field by default", () => {
    const rows = [
      row(1, { f1: 0.3, em: 1 }, { dataset: "a", primaryField: "f1" }),
      row(1, { accuracy: 1 }, { dataset: "b", primaryField: "accuracy" }),
    ];
    expect(new PerDatasetBreakdown().compute(rows)).toEqual({ "dataset:a": 0.3, "dataset:b": 1 });
  });

  it("averages over tasks, and is empty without rows", () => {
    const tagged = interleaved([[1], [0, 0, 0, 1]]).map((one) => ({ ...one, dataset: "a" }));
    expect(new PerDatasetBreakdown({ scoreField: "f1" }).compute(tagged)).toEqual({ "dataset:a": 0.625 });
    expect(new PerDatasetBreakdown().compute([])).toEqual({});
  });
});

function scoreBounds(values: number[]) {
  const { low, high } = scoreInterval(values);
  return { low, high };
}
