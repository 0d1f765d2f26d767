import { expect, test } from "vitest";
import type { TimelineStep } from "../../../../src/report/dashboard/contract.js";
import { pairSteps } from "../../../../src/report/dashboard/steps.js";
import { countKinds } from "./steps.js";
import { buildRunningLine } from "./timeline.js";

function step(kind: TimelineStep["kind"], callId: string | null = null): TimelineStep {
  const nothing = { title: "", text: "", length: 0, isSuccess: null, diff: null, costUsd: null, tokens: null };
  return { atMs: 0, kind, callId, ...nothing, stepCostUsd: null, stepTokens: null, durationMs: null };
}

function listPairs(steps: readonly TimelineStep[]) {
  return pairSteps(steps).map(({ place, result }) => [place, result === null ? null : steps.indexOf(result)]);
}

test("pairs results with their calls, also when calls overlap", () => {
  const steps = [step("says"), step("call", "a"), step("call", "b"), step("result", "b"), step("result", "a")];
  expect(listPairs(steps)).toEqual([
    [0, null],
    [1, 4],
    [2, 3],
  ]);
});

test("pairs results without ids in order, and keeps those without a call", () => {
  const steps = [
    step("result"),
    step("call"),
    step("call"),
    step("result"),
    step("call", "lone"),
    step("result", "other"),
  ];
  expect(listPairs(steps)).toEqual([
    [0, null],
    [1, 3],
    [2, null],
    [4, null],
    [5, null],
  ]);
});

test("gives a repeated id to the latest call", () => {
  const steps = [step("call", "a"), step("result", "a"), step("call", "a"), step("result", "a")];
  expect(listPairs(steps)).toEqual([
    [0, 1],
    [2, 3],
  ]);
});

test("counts kinds without the results of calls", () => {
  expect(countKinds(pairSteps([step("call", "a"), step("result", "a"), step("says"), step("says")]))).toEqual([
    ["says", 2],
    ["call", 1],
  ]);
});

const BOX = { width: 100, height: 10 };

function createStep(atMs: number, costUsd: number | null): TimelineStep {
  return {
    atMs,
    costUsd,
    kind: "tokens",
    callId: null,
    title: "",
    text: "",
    length: 0,
    isSuccess: null,
    diff: null,
    tokens: null,
    stepCostUsd: null,
    stepTokens: null,
    durationMs: null,
  };
}

test("draws a line that rises with spending and goes on to the end", () => {
  const line = buildRunningLine(
    [createStep(0, null), createStep(50, 1), createStep(75, 2), createStep(100, null)],
    "costUsd",
    BOX,
  );
  expect(line).toEqual({ path: "M0 10H50V5H75V0H100", last: 2 });
});

test("draws no line without two values, and no NaN without time", () => {
  expect(buildRunningLine([createStep(0, 1)], "costUsd", BOX)).toBeNull();
  expect(buildRunningLine([createStep(0, 0), createStep(1, 0)], "costUsd", BOX)).toBeNull();
  expect(buildRunningLine([createStep(5, 1), createStep(5, 2)], "costUsd", BOX)?.path).not.toContain("NaN");
});
