import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createRandom } from "../../stats/index.js";
import { hideNeedle } from "./entries/nolima.js";

const NEEDLE = "Actually, Ida lives beside the old lighthouse.";
/** Distinct sentences, some on separate lines. */
const SENTENCES = Array.from({ length: 900 }, (_, at) => `Sentence ${at} is ${"very ".repeat(at % 9)}plain.`);
const HAYSTACK = SENTENCES.map((sentence, at) => `${sentence}${at % 3 === 0 ? "\n" : " "}`).join("");

function hidden(options: { length?: number; depth?: number; seed?: number }): string {
  const { length = 1000, depth = 0.5, seed = 1 } = options;
  return hideNeedle(HAYSTACK, { needle: NEEDLE, length, depth, random: createRandom(seed) });
}

describe("hideNeedle", () => {
  it("inserts the needle between whole adjacent sentences, near its depth and in a text of its length", () => {
    const anywhere = fc.record({
      length: fc.integer({ min: 250, max: 4000 }),
      depth: fc.double({ min: 0, max: 1, noNaN: true }),
      seed: fc.integer(),
    });
    fc.assert(
      fc.property(anywhere, ({ length, depth, seed }) => {
        const text = hidden({ length, depth, seed });
        const [before = "", after = ""] = text.split(NEEDLE);
        expect(text.length / 4.4).toBeGreaterThan(length - 40);
        expect(text.length / 4.4).toBeLessThan(length + 40);
        expect(Math.abs(before.length / (text.length - NEEDLE.length) - depth)).toBeLessThan(0.06);
        const numbers = [...`${before} ${after}`.matchAll(/Sentence (\d+) is (?:very ){0,8}plain\./g)];
        expect(numbers.map((match) => match[0]).join(" ")).toBe(`${before} ${after}`.replace(/\s+/g, " ").trim());
        const first = Number(numbers[0]?.[1]);
        expect(numbers.map((match) => Number(match[1]))).toEqual(numbers.map((_, at) => first + at));
      }),
      { numRuns: 60, seed: 7 },
    );
  });

  it("begins with the needle at depth 0 and ends with it at depth 1", () => {
    expect(hidden({ depth: 0 }).startsWith(`${NEEDLE}\n`)).toBe(true);
    expect(hidden({ depth: 1 }).endsWith(`\n${NEEDLE}`)).toBe(true);
  });

  it("uses the same part of the haystack for the same seed, whatever the depth", () => {
    const around = (depth: number) => hidden({ depth }).replace(NEEDLE, "").replace(/\s+/g, " ").trim();
    expect(around(0.2)).toBe(around(0.9));
    expect(hidden({ seed: 1 })).toBe(hidden({ seed: 1 }));
    expect(hidden({ seed: 1 })).not.toBe(hidden({ seed: 2 }));
  });

  it("reports the possible length if the haystack is too short", () => {
    expect(() => hidden({ length: 200_000 })).toThrow(/cannot make a text of 200000 tokens: a haystack has about \d+/);
  });

  it("inserts the needle anywhere in a text without sentences", () => {
    const random = createRandom(3);
    const text = hideNeedle("x".repeat(20_000), { needle: NEEDLE, length: 1000, depth: 0.5, random });
    expect(text).toMatch(/^x+\nActually, Ida lives beside the old lighthouse\.\nx+$/);
  });
});
