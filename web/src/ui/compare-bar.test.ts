import { describe, expect, test } from "vitest";
import { buildCompareAddress, formatPicks, isPicked, parsePicks, togglePick } from "./compare-bar.js";
import { parseRoute } from "./route.js";

const ONE = { run: "r1", system: 'a "b", c' };
const TWO = { run: "r2", system: "a" };
const THREE = { run: "r3" };

describe("the picks to compare", () => {
  test("survive the address, and are empty when it is invalid", () => {
    expect(parsePicks(formatPicks([ONE, THREE]))).toEqual([ONE, THREE]);
    expect(formatPicks([])).toBe("");
    for (const text of [undefined, "", "{", "7", '[1, ["r1", 2], [3]]'])
      expect(parsePicks(text)).toEqual(text?.includes("r1") ? [{ run: "r1" }] : []);
  });

  test("are six at most, and a second click removes one", () => {
    expect(togglePick([ONE, TWO], THREE)).toEqual([ONE, TWO, THREE]);
    const six = ["1", "2", "3", "4", "5", "6"].map((run) => ({ run }));
    expect(togglePick(six, ONE)).toEqual(six);
    expect(togglePick([ONE, TWO], { ...ONE })).toEqual([TWO]);
    expect(isPicked([ONE], { run: "r1" })).toBe(false);
  });

  test("can be compared when there are two", () => {
    expect(buildCompareAddress([ONE])).toBeNull();
    expect(parseRoute(buildCompareAddress([ONE, TWO]) ?? "")).toEqual({
      path: ["compare"],
      query: { a: "r1", b: "r2", systemA: ONE.system, systemB: "a" },
    });
    const { query } = parseRoute(buildCompareAddress([ONE, TWO, THREE]) ?? "");
    expect(parsePicks(query.also)).toEqual([THREE]);
  });
});
