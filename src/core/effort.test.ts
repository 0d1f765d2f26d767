import { describe, expect, it } from "vitest";
import { parseEffort } from "./effort.js";

describe("parseEffort", () => {
  it.each([
    ["low", "low"],
    ["none", "none"],
    ["4096", 4096],
    [1024, 1024],
  ])("reads %j", (value, effort) => expect(parseEffort(value, "--effort")).toBe(effort));

  it.each(["", "lots", "-5", "1.5", "1e4", null, undefined, true, [], Number.NaN, 99_999_999])(
    "rejects %j",
    (value) => {
      expect(() => parseEffort(value, "--effort")).toThrow(/^--effort must be none, minimal, .* thinking tokens, not/);
    },
  );

  it("says what to do about a list and about a number that is too large", () => {
    expect(() => parseEffort(["low", "high"], "effort of m")).toThrow("Write one; --effort low,high of a run measures");
    expect(() => parseEffort("99999999", "--effort")).toThrow("The number must be at most 10000000.");
  });

  it("says how to switch thinking off", () => {
    expect(() => parseEffort("0", "effort of m")).toThrow('Write "none" for no thinking.');
  });
});
