import { describe, expect, it } from "vitest";
import { VerdictMemory } from "./grade.js";

describe("VerdictCache", () => {
  it("returns what was stored for this pair in this order", () => {
    const memory = new VerdictMemory(10);
    memory.remember("a", "bc", true);
    memory.remember("x", "y", false);
    expect([memory.recall("a", "bc"), memory.recall("x", "y")]).toEqual([true, false]);
    expect([memory.recall("ab", "c"), memory.recall("y", "x")]).toEqual([undefined, undefined]);
  });

  it("evicts the least recently used verdict", () => {
    const memory = new VerdictMemory(2);
    memory.remember("a", "1", true);
    memory.remember("b", "2", true);
    memory.recall("a", "1");
    memory.remember("c", "3", true);
    expect([memory.recall("a", "1"), memory.recall("b", "2"), memory.recall("c", "3")]).toEqual([
      true,
      undefined,
      true,
    ]);
  });
});
