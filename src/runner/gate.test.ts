import { setMaxListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Gate } from "./gate.js";

const NEVER = new AbortController().signal;
// As the runner does for the signal that all trials share.
setMaxListeners(0, NEVER);

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

function gateOf(max: number): Gate {
  return new Gate({ name: "host:1", max, clock: () => Date.now() });
}

/** Fills every place, and returns the calls. */
async function fill(gate: Gate): Promise<number[]> {
  return Promise.all(Array.from({ length: gate.limit }, async () => gate.enter(NEVER)));
}

describe("Gate", () => {
  it("doubles while every place is used", async () => {
    const gate = gateOf(100);
    expect(gate.limit).toBe(16);
    for (const call of await fill(gate)) gate.leave(call, "fine");
    // Only the first to leave found all places taken: the others say nothing about more.
    expect(gate.limit).toBe(17);
  });

  it("doubles in a round when others are waiting for every place that becomes free", async () => {
    const gate = gateOf(100);
    const first = await fill(gate);
    const waiting = Array.from({ length: 40 }, async () => gate.enter(NEVER));
    for (const call of first) gate.leave(call, "fine");
    expect(gate.limit).toBe(32);
    await Promise.all(waiting.slice(0, 32));
  });

  it("does not grow while it is not used", async () => {
    const gate = gateOf(100);
    for (let i = 0; i < 50; i++) gate.leave(await gate.enter(NEVER), "fine");
    expect(gate.limit).toBe(16);
  });

  it("never grows over the most it may be", async () => {
    const gate = gateOf(3);
    for (let round = 0; round < 5; round++) for (const call of await fill(gate)) gate.leave(call, "fine");
    expect(gate.limit).toBe(3);
  });

  it("halves once for all calls that were refused together, and then grows by one a round", async () => {
    const gate = gateOf(100);
    const calls = await fill(gate);
    for (const call of calls) gate.leave(call, "rate_limited");
    expect(gate.limit).toBe(8);
    const again = await fill(gate);
    for (const call of again) gate.leave(call, "rate_limited");
    expect(gate.limit).toBe(4);
    for (let round = 0; round < 8; round++) {
      const used = await fill(gate);
      gate.leave(used[0] ?? 0, "fine");
      for (const call of used.slice(1)) gate.leave(call, "failed");
    }
    expect(gate.limit).toBe(5);
  });

  it("keeps one place at least", async () => {
    const gate = gateOf(100);
    for (let i = 0; i < 20; i++) gate.leave(await gate.enter(NEVER), "rate_limited");
    expect(gate.limit).toBe(1);
  });

  it("lets nobody in while the endpoint asks to wait, and says so", async () => {
    const gate = gateOf(2);
    gate.leave(await gate.enter(NEVER), "rate_limited", 3000);
    let isIn = false;
    const entering = Promise.resolve(gate.enter(NEVER)).then(() => {
      isIn = true;
    });
    expect(gate.waiting()).toBe("host:1 asked to wait 3 s");
    await vi.advanceTimersByTimeAsync(2900);
    expect(isIn).toBe(false);
    await vi.advanceTimersByTimeAsync(200);
    await entering;
    expect(gate.waiting()).toBeNull();
  });

  it("says how many wait for a place", async () => {
    const gate = gateOf(1);
    await gate.enter(NEVER);
    void gate.enter(NEVER);
    expect(gate.waiting()).toBe("1 waiting for host:1, which takes 1 at a time");
  });

  it("gives up the place in the queue of a call that is told to stop", async () => {
    const gate = gateOf(1);
    const held = await gate.enter(NEVER);
    const stop = new AbortController();
    const waiting = gate.enter(stop.signal);
    stop.abort(new Error("stopped"));
    await expect(waiting).rejects.toThrow("stopped");
    gate.leave(held, "fine");
    expect(gate.enter(NEVER)).toEqual(expect.any(Number));
  });
});
