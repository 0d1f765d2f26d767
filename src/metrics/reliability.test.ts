import { describe, expect, it } from "vitest";
import { type EvalRow, makeRow, type RowInit } from "../core/index.js";
import { scoreInterval } from "../stats/index.js";
import { computeReliability } from "./reliability.js";

const ARMS = {
  s: { system: "s", kind: "clean" },
  "s (faults)": { system: "s", kind: "faults" },
  "s (typos)": { system: "s", kind: "typos" },
};
const makeTrial = (passed: boolean, more: Partial<RowInit> & Pick<RowInit, "system" | "exampleId">) =>
  makeRow({ outcome: passed ? "pass" : "fail", passed, ...more });
const profile = (rows: readonly EvalRow[]) => computeReliability(rows, { arms: ARMS })?.[0];

/** The passes of each task, one character for each trial. */
const trials = (
  system: string,
  tasks: readonly string[],
  more: (task: number, trial: number) => Partial<RowInit> = () => ({}),
) =>
  tasks.flatMap((task, id) =>
    [...task].map((mark, trial) => makeTrial(mark === "1", { system, exampleId: id, trial, ...more(id, trial) })),
  );

describe("computeReliability", () => {
  it("is null for a run that is no stress test", () => {
    expect(computeReliability([], {})).toBeNull();
  });

  it("counts the pairs of trials that end alike, whatever their number", () => {
    const found = profile(trials("s", ["111", "110", "0000", "10"]))?.outcomeConsistency;
    // By hand: 3 of 3 pairs, 1 of 3, 6 of 6, 0 of 1.
    expect(found?.value).toBeCloseTo((1 + 1 / 3 + 1 + 0) / 4, 12);
    expect(found).toMatchObject({ tasks: 4, low: scoreInterval([1, 1 / 3, 1, 0]).low });
  });

  it("gives no consistency for single trials, and says how to get one", () => {
    expect(profile(trials("s", ["1", "0", "1"]))?.outcomeConsistency).toEqual({
      value: null,
      low: null,
      high: null,
      tasks: 0,
      reason: "needs at least two scored trials of a task (--trials 5)",
    });
  });

  it("averages how alike cost, tokens and time of the trials of a task are", () => {
    const rows = trials("s", ["11", "11", "11"], (task, trial) => ({
      costUsd: [0.01, 0.03][trial] ?? 0,
      usage: { input: 10, output: 10 },
      durationMs: task === 0 ? 1000 * (1 + trial) : 1500,
    }));
    const found = profile(rows);
    expect(found?.costConsistency.value).toBeCloseTo(Math.exp(-Math.SQRT1_2), 12);
    expect(found?.tokenConsistency).toMatchObject({ value: 1, high: 1 });
    expect(found?.tokenConsistency.low).toBeLessThan(1);
    expect(found?.timeConsistency.value).toBeCloseTo((2 + Math.exp(-Math.SQRT1_2 / 1.5)) / 3, 12);
    expect(profile(trials("s", ["11", "11"]))?.costConsistency).toMatchObject({
      value: null,
      reason: "no cost is known",
    });
  });

  it("divides the pass rates of the tasks that both arms have", () => {
    const rows = [...trials("s", ["11", "11", "10", "11"]), ...trials("s (typos)", ["11", "10", "00"])];
    const found = profile(rows)?.arms.find(({ kind }) => kind === "typos");
    expect(found?.robustness).toMatchObject({ tasks: 3 });
    expect(found?.robustness.value).toBeCloseTo(0.5 / (2.5 / 3), 12);
    expect(found?.robustness.low).toBeLessThan(found?.robustness.value ?? 0);
    expect(found?.faults).toBeUndefined();
  });

  it("says that a ratio is undefined if nothing passes without stress", () => {
    const rows = [...trials("s", ["0", "0"]), ...trials("s (typos)", ["1", "0"])];
    expect(profile(rows)?.arms[1]?.robustness).toMatchObject({
      value: null,
      reason: "undefined: without stress, no trial of these tasks passes",
    });
  });

  it("counts faults by kind, and measures recovery without delays", () => {
    const fault = (kind: "429" | "cut" | "slow", recoveryMs: number | null) => ({ kind, request: 0, recoveryMs });
    const faults = [
      [fault("429", 1000), fault("slow", null)],
      [fault("429", 3000), fault("cut", null)],
      [fault("cut", null)],
      [fault("429", 2000)],
    ];
    const rows = [
      ...trials("s", ["1", "1", "1", "1"], () => ({ durationMs: 1000 })),
      ...trials("s (faults)", ["1", "0", "0", "1"], (task) => ({
        faults: faults[task] ?? [],
        durationMs: 3000 + task,
      })),
    ];
    const arm = profile(rows)?.arms[0];
    expect(arm?.faults?.counts).toEqual({ "429": 3, cut: 2, slow: 1 });
    expect(arm?.faults?.recovered.value).toBeCloseTo((1 + 0.5 + 0 + 1) / 4, 12);
    expect(arm?.faults?.recoverySeconds.value).toBeCloseTo(2, 12);
    expect(arm?.extraSeconds.value).toBeCloseTo(2.0015, 12);
  });

  it("measures the calibration of what was stated", () => {
    const confidences = [0.9, 0.9, 0.1, 0.5];
    const passes = ["1", "0", "0", "1", "1", "0", "0", "1", "1", "0", "0", "1"];
    const rows = trials("s", passes, (task) => ({ confidence: confidences[task % 4] ?? null }));
    const found = profile([...rows, makeTrial(true, { system: "s", exampleId: 99 })])?.calibration;
    expect(found).toMatchObject({ stated: 12, scored: 13, brier: { tasks: 12 } });
    expect(found?.brier.value).toBeCloseTo((0.01 + 0.81 + 0.01 + 0.25) / 4, 12);
    expect(found?.overconfidence.value).toBeCloseTo(2.4 / 4 - 0.5, 12);
    // Bins: 0.9 and 0.9 (passed once), 0.1, 0.5.
    expect(found?.ece.value).toBeCloseTo((0.8 + 0.1 + 0.5) / 4, 12);
    // Of the pairs of one that passed (0.9, 0.5) and one that failed (0.9, 0.1): a tie and two of three others.
    expect(found?.discrimination.value).toBeCloseTo((0.5 + 1 + 0 + 1) / 4, 12);
    const few = profile(trials("s", ["1", "0"], () => ({ confidence: 0.5 })))?.calibration;
    expect(few?.ece).toMatchObject({ value: null, reason: "needs at least 10 independent tasks" });
    expect(profile(trials("s", ["1", "0"]))?.calibration).toBeNull();
  });

  it("takes groups, not tasks, as independent", () => {
    const passes = ["1", "1", "0", "0", "1", "1", "0", "0"];
    const grouped = trials("s", passes, (task) => ({ group: Math.floor(task / 2) }));
    const width = (rows: readonly EvalRow[]) => {
      const { low, high } = profile(rows)?.passRate ?? {};
      return (high ?? 0) - (low ?? 0);
    };
    expect(width(grouped)).toBeGreaterThan(width(trials("s", passes)));
    expect(profile(trials("s", ["1", "0"], () => ({ group: "one" })))?.passRate).toMatchObject({ value: null });
  });
});
