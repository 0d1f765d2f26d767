import { expect, it, vi } from "vitest";
import { Bell } from "./worker-supervisor.js";

it("wakes a waiter, and remembers a notification without one", async () => {
  const bell = new Bell();
  const waiting = bell.heard(1 << 30);
  bell.ring();
  await waiting;
  bell.ring();
  bell.ring();
  await bell.heard(1 << 30);
  vi.useFakeTimers();
  try {
    let isHeard = false;
    const silent = bell.heard(50).then(() => {
      isHeard = true;
    });
    await vi.advanceTimersByTimeAsync(49);
    expect(isHeard).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    await silent;
  } finally {
    vi.useRealTimers();
  }
});
