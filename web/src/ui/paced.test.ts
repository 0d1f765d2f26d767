import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { throttle } from "./paced.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("many calls are one at once and one after the pause, and the last is never lost", () => {
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

test("nothing happens after it is cancelled", () => {
  const act = vi.fn();
  const { call, cancel } = throttle(act, 1000);
  call();
  cancel();
  vi.advanceTimersByTime(5000);
  expect(act).not.toHaveBeenCalled();
});
