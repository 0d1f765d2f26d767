import { describe, expect, it } from "vitest";
import type { ScoredWithEvidence, Scores } from "../core/evaluator.js";
import { SummarizationQuality, type SummarizationQualityOptions } from "./summarization-quality.js";

const quality = new SummarizationQuality();
const summary = (answer: string, response: string) => quality.score({ id: 1, context: "c", answer }, { response });
const ALL_ZERO = Object.fromEntries(quality.fields.map((field) => [field, 0]));

/** Expected values of Google's rouge_score for the two long texts. */
const LONG_FIGURES = {
  rouge_l_precision: 0.189,
  rouge_l_recall: 0.1701,
  rouge_l_f1: 0.17905263157894738,
  rouge_1_f1: 0.7818947368421052,
  rouge_2_f1: 0.20696915464785767,
  rouge_lsum_f1: 0.7598947368421053,
};

/** A reproducible text of common and rare words in lines. */
function longText(words: number, seed: number): string {
  let state = seed;
  return Array.from({ length: words }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return `w${Math.floor(Math.exp((state / 2 ** 32) * 8))}${state % 17 === 0 ? "\n" : " "}`;
  }).join("");
}

describe("SummarizationQuality", () => {
  it("gives precision, recall and F-measures", () => {
    expect(summary("testing one two", "testing two")).toEqual({
      rouge_l_precision: 1,
      rouge_l_recall: 2 / 3,
      rouge_l_f1: 0.8,
      rouge_1_f1: 0.8,
      rouge_2_f1: 0,
      rouge_lsum_f1: 0.8,
    });
    expect(summary("w1 w2 w3 w4 w5", "w1 w2 w6 w7 w8\nw1 w3 w8 w9 w5")).toMatchObject({
      rouge_lsum_f1: (2 * 0.4 * 0.8) / (0.4 + 0.8),
    });
  });

  it("uses the gold with the best F-measure for each kind, and keeps precision and recall together", () => {
    const scores = quality.score(
      { id: 1, context: "c", answer: "a b", answers: ["a b c d e f", "f e d c"] },
      { response: "a b c d" },
    ) as Scores;
    // ROUGE-L: 2/3 with the first gold (recall 1), 0.8 with the second (precision 1).
    expect(scores).toMatchObject({ rouge_l_precision: 1, rouge_l_recall: 2 / 3, rouge_l_f1: 0.8 });
    expect(scores.rouge_2_f1).toBeCloseTo(0.75, 12);
  });

  it("scores an empty or missing response as 0", () => {
    expect(summary("a gold", "")).toEqual(ALL_ZERO);
    expect(summary("a gold", "…")).toEqual(ALL_ZERO);
    expect(quality.score({ id: 1, context: "c", answer: "a gold" }, {})).toEqual(ALL_ZERO);
    const nothing = { response: null as unknown as string };
    expect(quality.score({ id: 1, context: "c", answer: "null" }, nothing)).toEqual(ALL_ZERO);
  });

  it.each([
    [{}, /no gold answer/],
    [{ answer: "", answers: ["  "] }, /no gold answer/],
    [{ answer: "日本語の要約" }, /a to z/],
  ])("leaves %j unscored", (gold, reason) => {
    const { scores, unscored } = quality.score(
      { id: 1, context: "c", ...gold },
      { response: "x" },
    ) as ScoredWithEvidence;
    expect(scores).toEqual({});
    expect(Object.keys(unscored ?? {})).toEqual([...quality.fields]);
    expect(unscored?.rouge_l_f1).toMatch(reason);
  });

  it("stems if configured, and has that in its fingerprint", () => {
    const stemmed = new SummarizationQuality({ stem: true });
    const example = { id: 1, context: "c", answer: "the engines were controlled" };
    const output = { response: "The engine was controlling" };
    expect((quality.score(example, output) as Scores).rouge_1_f1).toBe(0.25);
    expect((stemmed.score(example, output) as Scores).rouge_1_f1).toBe(0.75);
    expect(stemmed.fingerprint()).toEqual({ evaluator: "summarization_quality", version: 1, stem: true });
    expect(quality.fingerprint()).not.toEqual(stemmed.fingerprint());
  });

  it("rejects an invalid option", () => {
    expect(() => new SummarizationQuality({ stem: "yes" } as unknown as SummarizationQualityOptions)).toThrow(
      /stem.*true or false/,
    );
  });

  it("compares long texts in a thread, with the same figures", async () => {
    const [gold, response] = [longText(10_000, 1), longText(9_000, 2)];
    const scored = summary(gold, response);
    expect(scored).toBeInstanceOf(Promise);
    expect(await scored).toEqual(LONG_FIGURES);
  });

  it("leaves a timeout unscored", async () => {
    const hasty = new SummarizationQuality({ limitMs: 1 });
    const example = { id: 1, context: "c", answer: "a b ".repeat(50_000) };
    const { scores, unscored } = (await hasty.score(example, {
      response: "b a a ".repeat(50_000),
    })) as ScoredWithEvidence;
    expect(scores).toEqual({});
    expect(Object.keys(unscored ?? {})).toEqual([...hasty.fields]);
    expect(unscored?.rouge_l_f1).toMatch(/"rouge" was stopped/);
    expect(() => new SummarizationQuality({ limitMs: 0 })).toThrow(/limitMs/);
  });

  it("stops with the run", async () => {
    const signal = AbortSignal.abort(new Error("stopped"));
    const example = { id: 1, context: "c", answer: longText(10_000, 1) };
    await expect(quality.score(example, { response: longText(10_000, 3) }, { signal })).rejects.toThrow("stopped");
  });

  it("handles a megabyte of one character, or of one word", async () => {
    for (const text of ["a".repeat(1_000_000), " ".repeat(1_000_000), "\n".repeat(1_000_000), "a\n".repeat(500_000)]) {
      expect(((await summary("b", text)) as Scores).rouge_l_f1).toBe(0);
    }
  });
});
