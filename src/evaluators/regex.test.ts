import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ScoredWithEvidence } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import type { Output } from "../core/system.js";
import { startCpuTimer } from "../testing/cpu-time.js";
import { isQuickPattern, Regex, type RegexOptions } from "./regex.js";

async function scored(options: RegexOptions, response: unknown, example: object = {}): Promise<ScoredWithEvidence> {
  const asked = { id: 1, question: "q", ...example } as Example;
  return (await new Regex(options).score(asked, { response } as Output)) as ScoredWithEvidence;
}

const score = async (options: RegexOptions, response: unknown, example?: object) =>
  (await scored(options, response, example)).scores.regex;

describe("Regex", () => {
  it.each<[RegexOptions, unknown, number]>([
    [{ pattern: "yes" }, "oh yes", 1],
    [{ pattern: "yes" }, "Yes", 0],
    [{ pattern: "yes", flags: "i" }, "Yes", 1],
    [{ pattern: "/yes/i" }, "Yes", 1],
    [{ pattern: "/^b$/m" }, "a\nb\nc", 1],
    [{ pattern: "^b$" }, "a\nb\nc", 0],
    [{ pattern: /Y.s/ }, "Yes", 1],
    [{ pattern: /yes/gi }, "Yes", 1],
    [{ pattern: "a/b" }, "a/b", 1],
    [{ pattern: "\\d{4}-\\d{2}" }, "on 2024-05-01", 1],
    [{ pattern: "^\\s*$" }, "", 1],
    [{ pattern: "^$" }, null, 1],
    [{ pattern: "null|undefined" }, null, 0],
    [{ pattern: "null|undefined" }, undefined, 0],
    [{ pattern: "^4$" }, 4, 1],
    [{ pattern: "(a|b)+c" }, "xababc", 1],
    [{ pattern: "(\\w)\\1" }, "book", 1],
  ])("%j on %j: %d", async (options, response, expected) => {
    expect(await score(options, response)).toBe(expected);
  });

  it("uses the example's pattern if it has none of its own", async () => {
    expect(await score({}, "Yes", { pattern: "/yes/i" })).toBe(1);
    expect(await score({ flags: "i" }, "Yes", { pattern: "yes" })).toBe(1);
    expect(await score({ pattern: "no" }, "Yes", { pattern: "Yes" })).toBe(0);
  });

  it.each([undefined, null, "", 4, "(", "/a/zz"])("does not score with the example's pattern %j", async (pattern) => {
    const { scores, unscored } = await scored({}, "x", { pattern });
    expect(scores).toEqual({});
    expect(unscored?.regex).toMatch(/the example's pattern is invalid/);
  });

  it("gives the same result every time", async () => {
    const regex = new Regex({ pattern: /a/g });
    for (let i = 0; i < 3; i++) {
      expect(regex.score({ id: 1, question: "q" }, { response: "ba" })).toEqual({ scores: { regex: 1 } });
    }
  });

  it("stops a pattern that runs forever, and continues", async () => {
    const { scores, unscored } = await scored({ pattern: "^(a+)+$", limitMs: 200 }, `${"a".repeat(60)}b`);
    expect(scores).toEqual({});
    expect(unscored?.regex).toMatch(/"pattern" was stopped.*200 ms/);
    expect(await score({ pattern: "(a|b)+c", limitMs: 5000 }, "abc")).toBe(1);
  });

  it("stops a pattern with its trial", async () => {
    const stop = new AbortController();
    const example = { id: 1, question: "q" };
    const slow = new Regex({ pattern: "^(a+)+$", limitMs: 20_000 });
    const scoring = slow.score(example, { response: `${"a".repeat(60)}b` }, { signal: stop.signal });
    stop.abort(new Error("stopped by the test"));
    await expect(scoring).rejects.toThrow("stopped by the test");
  });

  it("searches a megabyte", async () => {
    const text = "a ".repeat(500_000);
    expect(await score({ pattern: "needle" }, text)).toBe(0);
    expect(await score({ pattern: "a+b?" }, text)).toBe(1);
  });

  it.each([
    [{ pattern: "(" }, /invalid pattern: .*Fix the pattern/],
    [{ pattern: "" }, /missing/],
    [{ pattern: "a", flags: "zz" }, /flags/],
    [{ pattern: "a", limitMs: 0 }, /limitMs must be a number of milliseconds above 0/],
  ])("rejects %j", (options, message) => {
    expect(() => new Regex(options as RegexOptions)).toThrow(message);
  });

  it("has its pattern and flags in the fingerprint", () => {
    expect(new Regex({ pattern: "/a/i" }).fingerprint()).toEqual({
      evaluator: "regex",
      version: 1,
      pattern: "a",
      flags: "i",
    });
    expect(new Regex().fingerprint()).toEqual({ evaluator: "regex", version: 1, pattern: null, flags: "" });
  });
});

describe("isQuickPattern", () => {
  it.each(["yes", "^yes$", "a.c", "[a-z]", "a|b", "(?:a|b)c", "\\+\\*", "[+*?]", "\\d{4}-\\d{2}"])(
    "is true for %j on long texts",
    (pattern) => {
      expect(isQuickPattern(pattern, 50_000)).toBe(true);
    },
  );

  it.each(["(a+)+", "(a|a)*", "(a)\\1", "(?<x>a)\\k<x>", "(?:ab){2,}", "([)])?"])(
    "is always false for %j",
    (pattern) => {
      expect(isQuickPattern(pattern, 1)).toBe(false);
    },
  );

  it("weighs repetitions against the length of the text", () => {
    expect(isQuickPattern("a+", 300)).toBe(true);
    expect(isQuickPattern("a+", 3000)).toBe(false);
    expect(isQuickPattern("a?a?a?a?", 5)).toBe(true);
    expect(isQuickPattern("a?a?a?a?a?a?a?a?a?a?a?a?", 20)).toBe(false);
    expect(isQuickPattern("(?:a|a)".repeat(30), 30)).toBe(false);
  });

  it("agrees with measured time", () => {
    const part = fc.constantFrom(
      "a",
      "a*",
      "a+",
      "a?",
      "a{2,}",
      ".*",
      "[ab]+",
      "b",
      "|",
      "(?:a)",
      "(?:a|aa)",
      "^",
      "$",
    );
    const pattern = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(""));
    fc.assert(
      fc.property(pattern, fc.nat(400), (source, length) => {
        if (!isQuickPattern(source, length)) return;
        const cpuMs = startCpuTimer();
        new RegExp(source).test(`${"a".repeat(length)}c`);
        expect(cpuMs()).toBeLessThan(2000);
      }),
    );
  });
});
