import { describe, expect, test } from "vitest";
import { buildCompareAddress, formatPicks, isPicked, parsePicks, togglePick } from "./compare-bar.js";
import { parseRoute } from "./route.js";

const ONE = { run: "r1", system: 'a "b", c' };
const TWO = { run: "r2", system: "a" };
const THREE = { run: "r3" };

describe("what is chosen to be compared", () => {
  test("survives the address, and is nothing when the address is no such thing", () => {
    expect(parsePicks(formatPicks([ONE, THREE]))).toEqual([ONE, THREE]);
    expect(formatPicks([])).toBe("");
    for (const text of [undefined, "", "{", "7", '[1, ["r1", 2], [3]]'])
      expect(parsePicks(text)).toEqual(text?.includes("r1") ? [{ run: "r1" }] : []);
  });

  test("is two at most: a third takes the place of the first, and a second click takes one back", () => {
    expect(togglePick([ONE, TWO], THREE)).toEqual([TWO, THREE]);
    expect(togglePick([ONE, TWO], { ...ONE })).toEqual([TWO]);
    expect(isPicked([ONE], { run: "r1" })).toBe(false);
  });

  test("is compared when there are two", () => {
    expect(buildCompareAddress([ONE])).toBeNull();
    expect(parseRoute(buildCompareAddress([ONE, TWO]) ?? "")).toEqual({
      path: ["compare"],
      query: { a: "r1", b: "r2", systemA: ONE.system, systemB: "a" },
    });
  });
});
