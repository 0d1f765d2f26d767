import { expect, test } from "vitest";
import type { TimelineStep } from "../../../../src/report/dashboard/contract.js";
import { buildRunningLine, countKinds, pairSteps } from "./timeline.js";

function step(kind: TimelineStep["kind"], callId: string | null = null): TimelineStep {
  const nothing = { title: "", text: "", length: 0, isSuccess: null, diff: null, costUsd: null, tokens: null };
  return { atMs: 0, kind, callId, ...nothing };
}

function listPairs(steps: readonly TimelineStep[]) {
  return pairSteps(steps).map(({ place, result }) => [place, result === null ? null : steps.indexOf(result)]);
}

test("results stand with their calls, also when several are under way", () => {
  const steps = [step("says"), step("call", "a"), step("call", "b"), step("result", "b"), step("result", "a")];
  expect(listPairs(steps)).toEqual([
    [0, null],
    [1, 4],
    [2, 3],
  ]);
});

test("without ids they go by their order, and what is alone stays", () => {
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

test("an id that comes again belongs to the call before it", () => {
  const steps = [step("call", "a"), step("result", "a"), step("call", "a"), step("result", "a")];
  expect(listPairs(steps)).toEqual([
    [0, 1],
    [2, 3],
  ]);
});

test("kinds are counted without the results that stand with their calls", () => {
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
  };
}

test("the line rises when something is spent, and goes on to the end", () => {
  const line = buildRunningLine(
    [createStep(0, null), createStep(50, 1), createStep(75, 2), createStep(100, null)],
    "costUsd",
    BOX,
  );
  expect(line).toEqual({ path: "M0 10H50V5H75V0H100", last: 2 });
});

test("without two known values, or without time, there is no line to draw wrongly", () => {
  expect(buildRunningLine([createStep(0, 1)], "costUsd", BOX)).toBeNull();
  expect(buildRunningLine([createStep(0, 0), createStep(1, 0)], "costUsd", BOX)).toBeNull();
  expect(buildRunningLine([createStep(5, 1), createStep(5, 2)], "costUsd", BOX)?.path).not.toContain("NaN");
});
