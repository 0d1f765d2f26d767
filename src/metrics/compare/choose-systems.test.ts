import { describe, expect, it } from "vitest";
import { UsageError } from "../../core/errors.js";
import { chooseSystems, type SystemChoice } from "./compare-runs.js";

function choose(ofA: string[], ofB: string[], rest: Partial<SystemChoice> = {}) {
  return chooseSystems({ ofA, ofB, isSameRun: false, ...rest });
}

describe("chooseSystems", () => {
  it("pairs the only systems despite different names", () => {
    expect(choose(["x"], ["y"])).toEqual({ pairs: [["x", "y"]], notes: [] });
  });

  it("pairs systems with the same name and lists the others", () => {
    expect(choose(["x", "y", "old"], ["y", "x", "new"])).toEqual({
      pairs: [
        ["x", "x"],
        ["y", "y"],
      ],
      notes: ["only in A, not compared: old", "only in B, not compared: new"],
    });
    expect(choose(["x"], ["x", "y"]).pairs).toEqual([["x", "x"]]);
  });

  it("uses the named systems; one name suffices if the other run has one system or one with that name", () => {
    expect(choose(["x", "y"], ["x", "y"], { systemA: "x", systemB: "y" }).pairs).toEqual([["x", "y"]]);
    expect(choose(["x", "y"], ["z"], { systemA: "y" }).pairs).toEqual([["y", "z"]]);
    expect(choose(["x", "y"], ["x", "y"], { systemB: "y" }).pairs).toEqual([["y", "y"]]);
  });

  it("lists the names if the choice is ambiguous", () => {
    const hint = /--system-a and --system-b\. Systems of A: x, y\. Systems of B: z, w\./;
    expect(() => choose(["x", "y"], ["z", "w"])).toThrow(hint);
    expect(() => choose(["x", "y"], ["z", "w"], { systemA: "x" })).toThrow(hint);
    expect(() => choose(["x", "y"], ["x", "y"], { isSameRun: true })).toThrow(/A and B are the same run/);
  });

  it("suggests a similar name", () => {
    expect(() => choose(["gpt-5"], ["z"], { systemA: "gtp-5" })).toThrow(/Did you mean "gpt-5"/);
  });

  it("rejects comparing a system with itself", () => {
    const alone = () => choose(["x"], ["x"], { isSameRun: true });
    expect(alone).toThrow(UsageError);
    expect(alone).toThrow("A and B are the same run, and x is its only system. Pass another run as B.");
    const named = { isSameRun: true, systemA: "x", systemB: "x" };
    expect(() => choose(["x", "y"], ["x", "y"], named)).toThrow(/Select two systems/);
    expect(choose(["x", "y"], ["x", "y"], { ...named, systemB: "y" }).pairs).toEqual([["x", "y"]]);
  });
});
