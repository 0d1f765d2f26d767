import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { runInSlices, throttle } from "./timing.js";

describe("throttle", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test("runs once at once and once after the pause, however many calls there are", () => {
    const act = vi.fn();
    const { call } = throttle(act, 1000);
    call();
    call();
    vi.advanceTimersByTime(1);
    expect(act).toHaveBeenCalledTimes(1);
    for (let count = 0; count < 5; count++) call();
    vi.advanceTimersByTime(998);
    expect(act).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(2);
    expect(act).toHaveBeenCalledTimes(2);
    vi.advanceTimersByTime(5000);
    expect(act).toHaveBeenCalledTimes(2);
  });

  test("runs nothing after it was canceled", () => {
    const act = vi.fn();
    const { call, cancel } = throttle(act, 1000);
    call();
    cancel();
    vi.advanceTimersByTime(5000);
    expect(act).not.toHaveBeenCalled();
  });
});

function* busy(steps: number): Generator<void, number> {
  for (let step = 0; step < steps; step++) {
    const until = performance.now() + 3;
    while (performance.now() < until);
    yield;
  }
  return steps;
}

test("lets timers run during long work, and returns its result", async () => {
  let turns = 0;
  const timer = setInterval(() => turns++);
  const result = await runInSlices(busy(20), new AbortController().signal);
  clearInterval(timer);
  expect(result).toBe(20);
  expect(turns).toBeGreaterThan(1);
});

test("gives up work when its signal is aborted", async () => {
  const gone = new AbortController();
  const work = runInSlices(busy(1000), gone.signal);
  gone.abort();
  await expect(work).rejects.toThrow(/abort/i);
});
