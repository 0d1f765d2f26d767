import { expect, it, vi } from "vitest";
import { WakeSignal } from "./worker-supervisor.js";

it("wakes a waiter, and remembers a notification without one", async () => {
  const signal = new WakeSignal();
  const waiting = signal.wait(1 << 30);
  signal.notify();
  await waiting;
  signal.notify();
  signal.notify();
  await signal.wait(1 << 30);
  vi.useFakeTimers();
  try {
    let isHeard = false;
    const silent = signal.wait(50).then(() => {
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
