import { setMaxListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EndpointGate } from "./gate.js";

const NEVER = new AbortController().signal;
// As the runner does for the signal that all trials share.
setMaxListeners(0, NEVER);

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

function gateOf(max: number): EndpointGate {
  return new EndpointGate({ name: "host:1", max, clock: () => Date.now() });
}

/** Fills every slot and returns the calls. */
async function fill(gate: EndpointGate): Promise<number[]> {
  return Promise.all(Array.from({ length: gate.limit }, async () => gate.enter(NEVER)));
}

describe("EndpointGate", () => {
  it("doubles while every slot is used", async () => {
    const gate = gateOf(100);
    expect(gate.limit).toBe(16);
    for (const call of await fill(gate)) gate.leave(call, "fine");
    // Only the first call to leave found all slots taken; the others show nothing about a higher limit.
    expect(gate.limit).toBe(17);
  });

  it("doubles within a round when calls wait for every freed slot", async () => {
    const gate = gateOf(100);
    const first = await fill(gate);
    const waiting = Array.from({ length: 40 }, async () => gate.enter(NEVER));
    for (const call of first) gate.leave(call, "fine");
    expect(gate.limit).toBe(32);
    await Promise.all(waiting.slice(0, 32));
  });

  it("does not grow while slots are unused", async () => {
    const gate = gateOf(100);
    for (let i = 0; i < 50; i++) gate.leave(await gate.enter(NEVER), "fine");
    expect(gate.limit).toBe(16);
  });

  it("never grows beyond its maximum", async () => {
    const gate = gateOf(3);
    for (let round = 0; round < 5; round++) for (const call of await fill(gate)) gate.leave(call, "fine");
    expect(gate.limit).toBe(3);
  });

  it("halves once for calls that were rate-limited together, then grows by one per round", async () => {
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

  it("keeps at least one slot", async () => {
    const gate = gateOf(100);
    for (let i = 0; i < 20; i++) gate.leave(await gate.enter(NEVER), "rate_limited");
    expect(gate.limit).toBe(1);
  });

  it("admits no call while the endpoint asks to wait, and says so", async () => {
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

  it("reports how many calls are waiting", async () => {
    const gate = gateOf(1);
    await gate.enter(NEVER);
    void gate.enter(NEVER);
    expect(gate.waiting()).toBe("1 waiting for host:1, limited to 1 at a time");
  });

  it("removes a stopped call from the queue", async () => {
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
