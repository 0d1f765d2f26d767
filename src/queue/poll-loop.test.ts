import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PollLoop } from "./poll-loop.js";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

function loopOf(answers: (number | null)[]): { loop: PollLoop; times: number[] } {
  const times: number[] = [];
  const ask = () => {
    times.push(Date.now());
    return Promise.resolve(answers.length > 1 ? (answers.shift() ?? null) : (answers[0] ?? null));
  };
  return { loop: new PollLoop({ ask, shortestMs: 10, longestMs: 100 }), times };
}

function pausesOf(times: readonly number[]): number[] {
  return times.slice(1).map((time, i) => time - (times[i] ?? 0));
}

describe("PollLoop", () => {
  it("polls at once when woken, then after pauses that grow up to the maximum", async () => {
    const { loop, times } = loopOf([0]);
    loop.wake();
    expect(times).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(3000);
    loop.stop();
    const pauses = pausesOf(times);
    expect(pauses[0]).toBeLessThanOrEqual(20);
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(10);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(100);
    expect(Math.max(...pauses.slice(4))).toBeGreaterThan(20);
  });

  it("waits as long as the last poll asked", async () => {
    const { loop, times } = loopOf([500, null]);
    loop.wake();
    await vi.advanceTimersByTimeAsync(499);
    expect(times).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(times).toHaveLength(2);
  });

  it("stops when there is nothing left to poll for, and when it is stopped", async () => {
    const { loop, times } = loopOf([0, null, 0]);
    loop.start();
    expect(times).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(1000);
    expect(times).toHaveLength(2);
    loop.wake();
    await vi.advanceTimersByTimeAsync(0);
    loop.stop();
    await vi.advanceTimersByTimeAsync(1000);
    expect(times).toHaveLength(3);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("has one poll at a time, and polls again right after it if woken meanwhile", async () => {
    const answers: ((ms: number | null) => void)[] = [];
    const ask = () => new Promise<number | null>((resolve) => answers.push(resolve));
    const loop = new PollLoop({ ask, shortestMs: 10, longestMs: 100 });
    for (let i = 0; i < 3; i++) loop.wake();
    loop.start();
    await vi.advanceTimersByTimeAsync(1000);
    expect(answers).toHaveLength(1);
    answers[0]?.(null);
    await vi.advanceTimersByTimeAsync(0);
    expect(answers).toHaveLength(2);
    answers[1]?.(null);
    await vi.advanceTimersByTimeAsync(1000);
    expect(answers).toHaveLength(2);
  });

  it("polls once more when started during the last poll", async () => {
    const answers: ((ms: number | null) => void)[] = [];
    const ask = () => new Promise<number | null>((resolve) => answers.push(resolve));
    const loop = new PollLoop({ ask, shortestMs: 10, longestMs: 100 });
    loop.wake();
    loop.start();
    answers[0]?.(null);
    await vi.advanceTimersByTimeAsync(100);
    expect(answers).toHaveLength(2);
    answers[1]?.(null);
    await vi.advanceTimersByTimeAsync(1000);
    expect(answers).toHaveLength(2);
  });
});
