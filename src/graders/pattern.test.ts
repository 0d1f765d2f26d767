import { describe, expect, it } from "vitest";
import { durationMs, inWords } from "../core/duration.js";
import { startCpuTime } from "../testing/cpu-time.js";
import { GraderError } from "./grader-error.js";
import { occursIn, problemWithPattern, readPattern } from "./pattern.js";

describe("patterns", () => {
  it("reads leading and separate flags", () => {
    expect(String(readPattern("(?i)error"))).toBe("/error/i");
    expect(String(readPattern("(?i)^error", "mg"))).toBe("/^error/im");
    expect(occursIn(readPattern("a", "g"), "aa") && occursIn(readPattern("a", "g"), "aa")).toBe(true);
  });

  it("says what is wrong with a pattern", () => {
    expect(problemWithPattern("(")).toContain("Unterminated group");
    expect(problemWithPattern("a")).toBeNull();
  });

  it("stops a pattern that backtracks forever", () => {
    const cpuMs = startCpuTime();
    expect(() => occursIn(/^(a+)+$/, `${"a".repeat(40)}b`, 100)).toThrow(GraderError);
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
    expect(durationMs(text)).toBe(ms);
  });

  it("are formatted in words", () => {
    expect([inWords(30_000), inWords(250), inWords(1500)]).toEqual(["30 s", "250 ms", "1.5 s"]);
  });
});
