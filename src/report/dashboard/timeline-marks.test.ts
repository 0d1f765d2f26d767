import { expect, test } from "vitest";
import { makeRow, type RowInit } from "../../core/row.js";
import { buildTimeline } from "./timeline.js";
import { addTimelineMarks, type TrialLimits } from "./timeline-marks.js";

const USAGE = { input: 90, output: 10 };
const STEPS = buildTimeline({
  startedAt: 0,
  events: [1000, 3000].map((timestamp) => ({ type: "token_usage", timestamp, usage: USAGE, costUsd: 0.02 })),
});
const NO_LIMITS: TrialLimits = { maxCostUsd: null, maxMs: null };

function mark(row: Partial<RowInit>, limits = NO_LIMITS) {
  const made = makeRow({ system: "a", dataset: "d", exampleId: 1, trial: 0, outcome: "pass", ...row } as RowInit);
  return addTimelineMarks(STEPS, made, limits);
}

test("gives each request its own cost and tokens", () => {
  expect(STEPS.map(({ stepCostUsd, stepTokens, costUsd }) => [stepCostUsd, stepTokens, costUsd])).toEqual([
    [0.02, 100, 0.02],
    [0.02, 100, 0.04],
  ]);
});

test("marks the first passing state, and what was spent after it", () => {
  const steps = mark({ successAtMs: 1500 });
  expect(steps.map(({ kind }) => kind)).toEqual(["tokens", "pass", "tokens"]);
  expect(steps[1]?.text).toBe("Spent after it: 1.50 s, $0.0200 (50 % of the cost), 100 tokens, 1 event.");
});

test("ends with the stop at a limit of cost", () => {
  const steps = mark(
    { errorCategory: "cost_killed", costKilledAt: 0.04, costUsd: 0.04 },
    { maxCostUsd: 0.03, maxMs: null },
  );
  expect(steps.at(-1)).toMatchObject({ kind: "kill", atMs: 3000, text: "Spent $0.0400, limit $0.0300." });
});

test("ends with the stop at a limit of time, later than the last event", () => {
  const steps = mark({ errorCategory: "time_killed", latency: 5.1 }, { maxCostUsd: null, maxMs: 5000 });
  expect(steps.at(-1)).toMatchObject({ kind: "kill", atMs: 5000, text: "Ran 5.10 s, limit 5.00 s." });
});

test("marks nothing in a trial that never passed and was not stopped", () => {
  expect(mark({})).toEqual(STEPS);
});
