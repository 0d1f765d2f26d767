import { describe, expect, it } from "vitest";
import { onStopSignal } from "./interrupt.js";

describe("onStopSignal", () => {
  it("treats two signals within a moment as one, and a later one as a second", () => {
    const told: boolean[] = [];
    let now = 0;
    const before = process.listenerCount("SIGINT");
    const release = onStopSignal(
      ({ again }) => told.push(again),
      () => now,
    );
    const press = (at: number, signal: "SIGINT" | "SIGTERM" = "SIGINT") => {
      now = at;
      process.emit(signal);
    };
    press(0);
    press(20);
    press(499, "SIGTERM");
    expect(told).toEqual([false]);
    press(500);
    expect(told).toEqual([false, true]);
    release();
    expect(process.listenerCount("SIGINT")).toBe(before);
  });
});
