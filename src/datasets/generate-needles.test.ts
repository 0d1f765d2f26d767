import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { LoadedExamples, LoadOptions } from "../core/dataset.js";
import { UsageError } from "../core/errors.js";
import { normalizeAnswer } from "../evaluators/normalize.js";
import { loadTokenizer } from "../models/tokens/index.js";
import { generateNeedles, loadNeedles, type NeedleExample } from "./generate-needles.js";
import { parseNeedleConfig } from "./needle.js";

const loaded = (options: LoadOptions): LoadedExamples => loadNeedles(options);
const load = (options: LoadOptions) => loaded(options).examples as NeedleExample[];
const tally = (values: readonly unknown[]) => {
  const counts = new Map<unknown, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts.values()];
};

describe("generateNeedles", () => {
  const examples = generateNeedles();

  it("generates a hundred examples over every length and depth, with unique ids", () => {
    expect(examples).toHaveLength(100);
    expect(new Set(examples.map(({ id }) => id)).size).toBe(100);
    expect(examples.map(({ id }) => id)).toContain("needle-500-0.25-3");
    expect(tally(examples.map(({ length, depth }) => `${length} ${depth}`))).toEqual(
      Array.from({ length: 20 }, () => 5),
    );
  });

  it("hides each answer exactly once", () => {
    for (const { id, context, answer } of [...examples, ...generateNeedles({ needles: 5, count: 60, seed: 1 })]) {
      const found = ` ${normalizeAnswer(context)} `.split(` ${normalizeAnswer(answer)} `).length - 1;
      expect([id, found]).toEqual([id, 1]);
    }
  });

  it("puts the needle at its depth", () => {
    for (const { context, answer, depth } of examples) {
      const at = context.indexOf(answer) / context.length;
      expect(Math.abs(at - depth)).toBeLessThan(0.08);
    }
    const [first] = generateNeedles({ depths: [0], count: 1 });
    const [last] = generateNeedles({ depths: [1], count: 1 });
    expect(first?.context.split(". ", 1)[0]).toContain(first?.answer);
    expect(last?.context.endsWith(`${last.answer}.`)).toBe(true);
  });

  it("comes close to the requested token lengths", () => {
    const tokenizer = loadTokenizer("cl100k_base");
    for (const length of [500, 1000, 2000, 4000]) {
      const counts = examples
        .filter((example) => example.length === length)
        .map(({ context }) => tokenizer.count(context));
      const mean = counts.reduce((sum, count) => sum + count, 0) / counts.length;
      expect(mean / length).toBeGreaterThan(0.97);
      expect(mean / length).toBeLessThan(1.04);
    }
  });

  it("is the same everywhere for the same seed, and an id's text does not depend on the count", () => {
    expect(generateNeedles({ count: 7 })).toEqual(examples.slice(0, 7));
    expect(generateNeedles({ count: 3, seed: 1 })).not.toEqual(examples.slice(0, 3));
    const digest = createHash("sha256").update(JSON.stringify(examples)).digest("hex");
    // Changes only with the generator: published needle results are then no longer comparable.
    expect(digest.slice(0, 16)).toBe("c9344f0722fe5069");
  });

  it("paraphrases about half of the questions", () => {
    const share = generateNeedles({ lengths: [500], count: 400 }).filter(({ paraphrased }) => paraphrased).length / 400;
    expect(share).toBeGreaterThan(0.4);
    expect(share).toBeLessThan(0.6);
  });

  it("has varied sentences, with some repeated on purpose", () => {
    const sentences = examples
      .filter(({ length }) => length === 4000)
      .flatMap(({ context }) => {
        const list = context.split(/(?<=\.)\s+/);
        return [{ all: list.length, distinct: new Set(list).size }];
      });
    for (const { all, distinct } of sentences) {
      expect(distinct / all).toBeGreaterThan(0.7);
      expect(distinct / all).toBeLessThan(0.97);
    }
  });

  it("hides the requested number of facts", () => {
    const [one, five] = [1, 5].map((needles) => generateNeedles({ lengths: [500], count: 30, needles }));
    const factsIn = (examples: readonly NeedleExample[] = []) =>
      examples.map(
        ({ context }) => context.match(/access code|keeps the|leaves from|begins on|was paid for/g)?.length ?? 0,
      );
    const mean = (counts: readonly number[]) => counts.reduce((sum, count) => sum + count, 0) / counts.length;
    expect(mean(factsIn(five)) - mean(factsIn(one))).toBeGreaterThan(3);
    expect(five?.map(({ question }) => question)).toEqual(one?.map(({ question }) => question));
  });
});

describe("needle", () => {
  it("breaks down results by depth and length, which every example has", () => {
    const { facets = [], examples } = loaded({ maxExamples: 7, config: "lengths=60,70;depths=0,1" });
    expect(facets).toEqual(["depth", "length"]);
    for (const example of examples) for (const facet of facets) expect(example[facet]).toBeTypeOf("number");
  });

  it.each([8, 20, 33, 50, 150])("stays balanced with %i examples", (maxExamples) => {
    const examples = load({ maxExamples });
    expect(examples).toHaveLength(maxExamples);
    for (const field of ["length", "depth"] as const) {
      const counts = tally(examples.map((example) => example[field]));
      expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
    }
  });

  it("reaches every combination even if the numbers of lengths and depths have a common divisor", () => {
    const examples = load({ config: "lengths=100,200,300,400;depths=0,1;count=8" });
    expect(new Set(examples.map(({ id }) => id)).size).toBe(8);
    expect(new Set(examples.map(({ length, depth }) => `${length} ${depth}`)).size).toBe(8);
  });

  it("reads its config, its seed and its filter", () => {
    const examples = load({ config: "lengths=300; depths=0.5", seed: 4, maxExamples: 2 });
    expect(examples).toEqual(generateNeedles({ lengths: [300], depths: [0.5], seed: 4, count: 2 }));
    expect(load({ config: "count=5", maxExamples: 3 })).toHaveLength(3);
    expect(load({ filter: { depth: "0.5", length: "500" } })).toHaveLength(5);
    expect(() => load({ filter: { depth: "0.3" } })).toThrow(/No needle matches the filter/);
    expect(() => load({ map: { question: "q" } })).toThrow(UsageError);
    expect(() => load({ maxExamples: 0 })).toThrow(UsageError);
  });
});

describe("parseNeedleConfig", () => {
  it("parses settings", () => {
    expect(parseNeedleConfig("lengths=500,1000;depths=0,0.5,1;needles=2;count=9;")).toEqual({
      lengths: [500, 1000],
      depths: [0, 0.5, 1],
      needles: 2,
      count: 9,
    });
    expect(parseNeedleConfig("")).toEqual({});
  });

  it.each([
    ["lenghts=500", /unknown setting "lenghts"\. Did you mean "lengths"\?/],
    ["500", /"500" is not KEY=VALUE/],
    ["lengths=1=2", /is not KEY=VALUE/],
    ["lengths=", /lengths takes whole numbers from 50 to 2000000, not ""/],
    ["lengths=500,abc", /not "abc"/],
    ["lengths=10", /not "10"/],
    ["depths=1.5", /depths takes numbers from 0 to 1, not "1.5"/],
    ["needles=0", /needles takes whole numbers from 1 to 20/],
    ["needles=1.5", /needles takes whole numbers/],
    ["lengths=500,500", /names 500 twice/],
    ["count=1;count=2", /"count" is set twice/],
    ["toString=1", /unknown setting "toString"/],
  ])("rejects %s", (config, message) => {
    expect(() => parseNeedleConfig(config)).toThrow(UsageError);
    expect(() => parseNeedleConfig(config)).toThrow(message);
    expect(() => parseNeedleConfig(config)).toThrow(/Example: needle:lengths=500,1000/);
  });
});
