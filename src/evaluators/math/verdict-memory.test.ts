import { describe, expect, it } from "vitest";
import { VerdictCache } from "./grade.js";

describe("VerdictCache", () => {
  it("returns what was stored for this pair in this order", () => {
    const memory = new VerdictCache(10);
    memory.set("a", "bc", true);
    memory.set("x", "y", false);
    expect([memory.get("a", "bc"), memory.get("x", "y")]).toEqual([true, false]);
    expect([memory.get("ab", "c"), memory.get("y", "x")]).toEqual([undefined, undefined]);
  });

  it("evicts the least recently used verdict", () => {
    const memory = new VerdictCache(2);
    memory.set("a", "1", true);
    memory.set("b", "2", true);
    memory.get("a", "1");
    memory.set("c", "3", true);
    expect([memory.get("a", "1"), memory.get("b", "2"), memory.get("c", "3")]).toEqual([true, undefined, true]);
  });
});
