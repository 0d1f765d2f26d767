import { describe, expect, it } from "vitest";
import { RunMemory } from "./worker-memory.js";
import type { Ending } from "./worker-process.js";

const REFUSED: Ending = { kind: "refused", why: "other code", exitCode: 3 };
const CRASHED: Ending = { kind: "crashed", why: "SIGKILL", exitCode: 3 };
const OVER: Ending = { kind: "over", why: "", exitCode: 0 };

function memoryAt(times: { now: number }): RunMemory {
  return new RunMemory(() => times.now);
}

describe("what a worker remembers of a run", () => {
  it("tries one that it knows nothing of", () => {
    expect(new RunMemory().mayTry("run", "a")).toBe(true);
  });

  it.each([
    ["refused", REFUSED, 59_999, 60_000],
    ["crashed", CRASHED, 29_999, 30_000],
    ["over", OVER, 4999, 5000],
  ])("leaves one that was %s alone for a while", (_, ending, before, after) => {
    const times = { now: 0 };
    const memory = memoryAt(times);
    memory.remember("run", "a", ending);
    times.now = before;
    expect(memory.mayTry("run", "a")).toBe(false);
    times.now = after;
    expect(memory.mayTry("run", "a")).toBe(true);
  });

  it("tries one again that is announced anew, or whose coordinator was gone in between", () => {
    const memory = memoryAt({ now: 0 });
    for (const key of ["one", "two"]) memory.remember(key, "a", REFUSED);
    expect(memory.mayTry("one", "b")).toBe(true);
    memory.keepOnly(["two"]);
    expect([memory.mayTry("one", "a"), memory.mayTry("two", "a")]).toEqual([true, false]);
  });

  it("tells which runs it refuses, and why", () => {
    const memory = memoryAt({ now: 0 });
    memory.remember("one", "a", REFUSED);
    memory.remember("two", "a", OVER);
    expect([...memory.refusals]).toEqual([["one", "other code"]]);
    expect(memory.refusalOf("one", "a")).toBe("other code");
    expect([memory.refusalOf("one", "b"), memory.refusalOf("two", "a"), memory.refusalOf("three", "a")]).toEqual([
      null,
      null,
      null,
    ]);
    memory.forget("one");
    expect(memory.refusals.size).toBe(0);
  });
});
