import { describe, expect, it } from "vitest";
import { formatDuration, parseDuration } from "../core/duration.js";
import { startCpuTimer } from "../testing/cpu-time.js";
import { GraderError } from "./grader-error.js";
import { findPatternProblem, readPattern, testPattern } from "./pattern.js";

describe("patterns", () => {
  it("reads leading and separate flags", () => {
    expect(String(readPattern("(?i)error"))).toBe("/error/i");
    expect(String(readPattern("(?i)^error", "mg"))).toBe("/^error/im");
    expect(testPattern(readPattern("a", "g"), "aa") && testPattern(readPattern("a", "g"), "aa")).toBe(true);
  });

  it.each([
    ["(?i:ready to|shall i) go", "READY to go", "ready to GO"],
    ["a(?i:b(?:c)[d-f\\d])g", "aBCE" + "g", "ABCEg"],
    ["(?i:error)(?<kind>[a-z])\\k<kind>", "ERRORxx", "ERRORXX"],
    ["(?s:a.b).c", "a\nbxc", "a\nb\nc"],
    ["x(?m:$)", "x\ny", "xy"],
    ["(?i:\\bcafe\\b)", "a CAFE!", "CAFES"],
  ])("reads groups with flags: %s", (pattern, has, lacks) => {
    expect(testPattern(readPattern(pattern), has)).toBe(true);
    expect(testPattern(readPattern(pattern), lacks)).toBe(false);
  });

  it("says what is wrong with a pattern", () => {
    expect(findPatternProblem("(")).toContain("Unterminated group");
    expect(findPatternProblem("a")).toBeNull();
  });

  it("stops a pattern that backtracks forever", () => {
    const cpuMs = startCpuTimer();
    expect(() => testPattern(/^(a+)+$/, `${"a".repeat(40)}b`, 100)).toThrow(GraderError);
    expect(cpuMs()).toBeLessThan(10_000);
  });
});

describe("durations", () => {
  it.each([
    ["30s", 30_000],
    ["2m", 120_000],
    ["500ms", 500],
    ["1.5h", 5_400_000],
    ["30", null],
    ["s", null],
    ["-3s", null],
    ["0s", null],
    ["2 days", null],
  ])("reads %s as %s", (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it("are formatted in words", () => {
    expect([formatDuration(30_000), formatDuration(250), formatDuration(1500)]).toEqual(["30 s", "250 ms", "1.5 s"]);
  });
});
