import { describe, expect, it } from "vitest";
import { UsageError } from "../../core/errors.js";
import { chooseSystems, type SystemChoice } from "./compare-runs.js";

function choose(ofA: string[], ofB: string[], rest: Partial<SystemChoice> = {}) {
  return chooseSystems({ ofA, ofB, isSameRun: false, ...rest });
}

describe("chooseSystems", () => {
  it("takes the only systems, whatever their names", () => {
    expect(choose(["x"], ["y"])).toEqual({ pairs: [["x", "y"]], notes: [] });
  });

  it("takes systems of the same name, and says which are left out", () => {
    expect(choose(["x", "y", "old"], ["y", "x", "new"])).toEqual({
      pairs: [
        ["x", "x"],
        ["y", "y"],
      ],
      notes: ["only in A, and not compared: old", "only in B, and not compared: new"],
    });
    expect(choose(["x"], ["x", "y"]).pairs).toEqual([["x", "x"]]);
  });

  it("takes those that are named; one name is enough where the other run has one system, or one of that name", () => {
    expect(choose(["x", "y"], ["x", "y"], { systemA: "x", systemB: "y" }).pairs).toEqual([["x", "y"]]);
    expect(choose(["x", "y"], ["z"], { systemA: "y" }).pairs).toEqual([["y", "z"]]);
    expect(choose(["x", "y"], ["x", "y"], { systemB: "y" }).pairs).toEqual([["y", "y"]]);
  });

  it("lists the names where it cannot know", () => {
    const hint = /--system-a and --system-b\. Systems of A: x, y\. Systems of B: z, w\./;
    expect(() => choose(["x", "y"], ["z", "w"])).toThrow(hint);
    expect(() => choose(["x", "y"], ["z", "w"], { systemA: "x" })).toThrow(hint);
    expect(() => choose(["x", "y"], ["x", "y"], { isSameRun: true })).toThrow(/A and B are the same run/);
  });

  it("suggests a name that is spelled alike", () => {
    expect(() => choose(["gpt-5"], ["z"], { systemA: "gtp-5" })).toThrow(/Did you mean "gpt-5"/);
  });

  it("refuses a system and itself", () => {
    const alone = () => choose(["x"], ["x"], { isSameRun: true });
    expect(alone).toThrow(UsageError);
    expect(alone).toThrow(
      "A and B are the same run, and x is its only system: there is nothing to compare it with. Name another run as B.",
    );
    const named = { isSameRun: true, systemA: "x", systemB: "x" };
    expect(() => choose(["x", "y"], ["x", "y"], named)).toThrow(/name two/);
    expect(choose(["x", "y"], ["x", "y"], { ...named, systemB: "y" }).pairs).toEqual([["x", "y"]]);
  });
});
