import { expect, it, vi } from "vitest";
import { WakeSignal } from "./worker-supervisor.js";

it("wakes a waiter, and remembers a notification without one", async () => {
  const bell = new WakeSignal();
  const waiting = bell.wait(1 << 30);
  bell.notify();
  await waiting;
  bell.notify();
  bell.notify();
  await bell.wait(1 << 30);
  vi.useFakeTimers();
  try {
    let isHeard = false;
    const silent = bell.wait(50).then(() => {
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
