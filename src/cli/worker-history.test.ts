import { describe, expect, it } from "vitest";
import { WorkerRunHistory } from "./worker-history.js";
import type { ProcessEnding } from "./worker-process.js";

const REFUSED: ProcessEnding = { kind: "refused", why: "other code", exitCode: 3 };
const CRASHED: ProcessEnding = { kind: "crashed", why: "SIGKILL", exitCode: 3 };
const OVER: ProcessEnding = { kind: "over", why: "", exitCode: 0 };

const A = { body: "a", signedAt: 100 };
const B = { body: "b", signedAt: 200 };
const SIGNED_LATER = { body: "a", signedAt: 300 };

function memoryAt(times: { now: number }): WorkerRunHistory {
  return new WorkerRunHistory(() => times.now);
}

describe("WorkerRunHistory", () => {
  it("allows an unknown run", () => {
    expect(new WorkerRunHistory().canTry("run", A)).toBe(true);
  });

  it.each([
    ["refused", REFUSED, 59_999, 60_000],
    ["crashed", CRASHED, 29_999, 30_000],
    ["over", OVER, 4999, 5000],
  ])("delays a run that was %s", (_, ending, before, after) => {
    const times = { now: 0 };
    const memory = memoryAt(times);
    memory.record("run", A, ending);
    times.now = before;
    expect(memory.canTry("run", A)).toBe(false);
    times.now = after;
    expect(memory.canTry("run", SIGNED_LATER)).toBe(true);
  });

  it("never allows a finished run whose last announcement is replayed", () => {
    const times = { now: 0 };
    const memory = memoryAt(times);
    const last = { body: "a", signedAt: Date.now() };
    memory.record("run", last, OVER);
    memory.retain([]);
    times.now = 600_000;
    expect(memory.canTry("run", last)).toBe(false);
    expect(memory.canTry("run", { ...last, signedAt: last.signedAt + 1 })).toBe(true);
  });

  it("skips a run that dismissed it, even after a reconnect, until the run restarts", () => {
    const times = { now: 0 };
    const memory = memoryAt(times);
    memory.record("run", A, { kind: "dismissed", why: "no key", exitCode: 3 });
    memory.record("other", A, REFUSED);
    times.now = 1e9;
    memory.retryAll();
    expect([memory.canTry("run", SIGNED_LATER), memory.canTry("other", A)]).toEqual([false, true]);
    expect([...memory.refusals]).toEqual([["run", "no key"]]);
    memory.retain([]);
    expect(memory.canTry("run", SIGNED_LATER)).toBe(true);
  });

  it("allows a run that is announced again, or whose coordinator was gone in between", () => {
    const memory = memoryAt({ now: 0 });
    for (const key of ["one", "two"]) memory.record(key, A, REFUSED);
    expect(memory.canTry("one", B)).toBe(true);
    memory.retain(["two"]);
    expect([memory.canTry("one", A), memory.canTry("two", A)]).toEqual([true, false]);
  });

  it("lists refused runs with reasons", () => {
    const memory = memoryAt({ now: 0 });
    memory.record("one", A, REFUSED);
    memory.record("two", A, OVER);
    expect([...memory.refusals]).toEqual([["one", "other code"]]);
    expect(memory.findRefusal("one", A)).toBe("other code");
    expect([memory.findRefusal("one", B), memory.findRefusal("two", A), memory.findRefusal("three", A)]).toEqual([
      null,
      null,
      null,
    ]);
    memory.remove("one");
    expect(memory.refusals.size).toBe(0);
  });
});
