import { describe, expect, it } from "vitest";
import { RunMemory } from "./worker-memory.js";
import type { Ending } from "./worker-process.js";

const REFUSED: Ending = { kind: "refused", why: "other code", exitCode: 3 };
const CRASHED: Ending = { kind: "crashed", why: "SIGKILL", exitCode: 3 };
const OVER: Ending = { kind: "over", why: "", exitCode: 0 };

const A = { body: "a", signedAt: 100 };
const B = { body: "b", signedAt: 200 };
const SIGNED_LATER = { body: "a", signedAt: 300 };

function memoryAt(times: { now: number }): RunMemory {
  return new RunMemory(() => times.now);
}

describe("WorkerRunHistory", () => {
  it("allows an unknown run", () => {
    expect(new RunMemory().mayTry("run", A)).toBe(true);
  });

  it.each([
    ["refused", REFUSED, 59_999, 60_000],
    ["crashed", CRASHED, 29_999, 30_000],
    ["over", OVER, 4999, 5000],
  ])("delays a run that was %s", (_, ending, before, after) => {
    const times = { now: 0 };
    const memory = memoryAt(times);
    memory.remember("run", A, ending);
    times.now = before;
    expect(memory.mayTry("run", A)).toBe(false);
    times.now = after;
    expect(memory.mayTry("run", SIGNED_LATER)).toBe(true);
  });

  it("never allows a finished run whose last announcement is replayed", () => {
    const times = { now: 0 };
    const memory = memoryAt(times);
    const last = { body: "a", signedAt: Date.now() };
    memory.remember("run", last, OVER);
    memory.keepOnly([]);
    times.now = 600_000;
    expect(memory.mayTry("run", last)).toBe(false);
    expect(memory.mayTry("run", { ...last, signedAt: last.signedAt + 1 })).toBe(true);
  });

  it("skips a run that dismissed it, even after a reconnect, until the run restarts", () => {
    const times = { now: 0 };
    const memory = memoryAt(times);
    memory.remember("run", A, { kind: "dismissed", why: "no key", exitCode: 3 });
    memory.remember("other", A, REFUSED);
    times.now = 1e9;
    memory.doubt();
    expect([memory.mayTry("run", SIGNED_LATER), memory.mayTry("other", A)]).toEqual([false, true]);
    expect([...memory.refusals]).toEqual([["run", "no key"]]);
    memory.keepOnly([]);
    expect(memory.mayTry("run", SIGNED_LATER)).toBe(true);
  });

  it("allows a run that is announced again, or whose coordinator was gone in between", () => {
    const memory = memoryAt({ now: 0 });
    for (const key of ["one", "two"]) memory.remember(key, A, REFUSED);
    expect(memory.mayTry("one", B)).toBe(true);
    memory.keepOnly(["two"]);
    expect([memory.mayTry("one", A), memory.mayTry("two", A)]).toEqual([true, false]);
  });

  it("lists refused runs with reasons", () => {
    const memory = memoryAt({ now: 0 });
    memory.remember("one", A, REFUSED);
    memory.remember("two", A, OVER);
    expect([...memory.refusals]).toEqual([["one", "other code"]]);
    expect(memory.refusalOf("one", A)).toBe("other code");
    expect([memory.refusalOf("one", B), memory.refusalOf("two", A), memory.refusalOf("three", A)]).toEqual([
      null,
      null,
      null,
    ]);
    memory.forget("one");
    expect(memory.refusals.size).toBe(0);
  });
});
