import { setMaxListeners } from "node:events";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { EndpointGate, NotRunError, OutageGate, type TrialGate } from "./gate.js";

const NEVER = new AbortController().signal;
setMaxListeners(0, NEVER);

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

const clock = () => Date.now();

/** A gate with five slots that detects outages itself. */
function ownGate(giveUpAfterMs: number): TrialGate {
  return new EndpointGate({ name: "host:1", max: 5, clock, outage: { giveUpAfterMs } });
}

/** The same with an OutageGate in front. */
function gateInFront(giveUpAfterMs: number): TrialGate {
  const inner = new EndpointGate({ name: "host:1", max: 5, clock });
  return new OutageGate(inner, { name: "host:1", clock, policy: { giveUpAfterMs } });
}

/** Fills every slot and lets all calls fail. */
async function breakDown(gate: TrialGate): Promise<void> {
  const calls = await Promise.all(Array.from({ length: 5 }, async () => gate.enter(NEVER)));
  for (const call of calls) gate.leave(call, "down", 0, "Nothing listens.");
}

/** Makes calls that always fail wait at the gate, and records when they are admitted. */
function callForEver(gate: TrialGate, count: number): { times: number[]; ends: unknown[] } {
  const times: number[] = [];
  const ends: unknown[] = [];
  const start = Date.now();
  const callAgain = async () => {
    for (;;) {
      const call = await gate.enter(NEVER);
      times.push(Date.now() - start);
      gate.leave(call, "down", 0, "Nothing listens.");
    }
  };
  for (let n = 0; n < count; n++) callAgain().catch((error: unknown) => ends.push(error));
  return { times, ends };
}

describe.each([
  ["a gate", ownGate],
  ["a gate in front of another", gateInFront],
])("%s whose endpoint is down", (_, gateOf) => {
  it("admits one call at a time with growing pauses, and gives up after the configured time", async () => {
    const gate = gateOf(60_000);
    await breakDown(gate);
    expect(gate.isDown).toBe(true);
    const { times, ends } = callForEver(gate, 50);
    await vi.advanceTimersByTimeAsync(2000);
    expect(gate.waiting()).toBe("host:1 is down, next try in 2 s, giving up in 58 s: Nothing listens.");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(times.map((ms) => Math.floor(ms / 1000))).toEqual([1, 3, 7, 15, 31, 60]);
    expect(ends).toHaveLength(50);
    expect(ends[0]).toBeInstanceOf(NotRunError);
    expect(ends[0]).toHaveProperty("message", "host:1 was down for 61 s. Nothing listens.");
    await expect((async () => gate.enter(NEVER))()).rejects.toThrow(NotRunError);
    expect(gate.waiting()).toBeNull();
  });

  it("waits without a limit when configured to", async () => {
    const gate = gateOf(Number.POSITIVE_INFINITY);
    await breakDown(gate);
    const { times, ends } = callForEver(gate, 3);
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(times.length).toBeGreaterThan(100);
    expect(ends).toEqual([]);
    expect(gate.waiting()).toMatch(/^host:1 is down, next try in \d+ s, waiting until it is back: Nothing listens\.$/);
  });

  it("admits all calls again as soon as one is answered, whatever the answer", async () => {
    const gate = gateOf(60_000);
    await breakDown(gate);
    const calls = Array.from({ length: 5 }, async () => gate.enter(NEVER));
    await vi.advanceTimersByTimeAsync(1500);
    gate.leave((await Promise.race(calls)) ?? 0, "failed");
    expect(await Promise.all(calls)).toHaveLength(5);
    expect(gate.isDown).toBe(false);
  });

  it("is not considered down while other calls are answered", async () => {
    const gate = gateOf(60_000);
    for (let n = 0; n < 100; n++) gate.leave(await gate.enter(NEVER), n % 5 === 4 ? "fine" : "down");
    expect(gate.isDown).toBe(false);
  });

  it("releases waiting calls when the run is stopped", async () => {
    const gate = gateOf(60_000);
    await breakDown(gate);
    const stop = new AbortController();
    const ends = Promise.allSettled(Array.from({ length: 3 }, async () => gate.enter(stop.signal)));
    await vi.advanceTimersByTimeAsync(500);
    stop.abort(new Error("stopped"));
    expect((await ends).map(({ status }) => status)).toEqual(["rejected", "rejected", "rejected"]);
  });
});
