import { expect, test } from "vitest";
import type { TimelineStep } from "../../../../../src/report/dashboard/contract.js";
import { buildRunningLine } from "./running-line.js";

const BOX = { width: 100, height: 10 };

function step(atMs: number, costUsd: number | null): TimelineStep {
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
  const line = buildRunningLine([step(0, null), step(50, 1), step(75, 2), step(100, null)], "costUsd", BOX);
  expect(line).toEqual({ path: "M0 10H50V5H75V0H100", last: 2 });
});

test("without two known values, or without time, there is no line to draw wrongly", () => {
  expect(buildRunningLine([step(0, 1)], "costUsd", BOX)).toBeNull();
  expect(buildRunningLine([step(0, 0), step(1, 0)], "costUsd", BOX)).toBeNull();
  expect(buildRunningLine([step(5, 1), step(5, 2)], "costUsd", BOX)?.path).not.toContain("NaN");
});
