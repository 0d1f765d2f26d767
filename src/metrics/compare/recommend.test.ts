import { describe, expect, it } from "vitest";
import { type EvalRow, makeRow, type RowInit } from "../../core/index.js";
import { createRandom, requiredTasks } from "../../stats/index.js";
import { makeConfig } from "../../testing/make-run.js";
import { standardMetrics, summarize } from "../index.js";
import { compareRows } from "./compare-rows.js";
import { recommendSystem } from "./recommend.js";

const CONTEXT = { scoreField: "score", threshold: 0.7, seed: 0 };

/** Trials of one system, one letter for each example: Pass, Fail, Error. */
function makeRows(system: string, letters: string, more: Partial<RowInit> = {}): EvalRow[] {
  return [...letters].map((letter, exampleId) => {
    const passed = letter === "P";
    if (letter === "E") return makeRow({ system, exampleId, outcome: "error", errorCategory: "api_error" });
    const figures = {
      scores: { f1: passed ? 1 : 0.2 },
      primaryField: "f1",
      costUsd: 0.01,
      costSource: "priced" as const,
    };
    return makeRow({ ...figures, system, exampleId, latency: 1, ...more, outcome: passed ? "pass" : "fail", passed });
  });
}

function recommend(rows: readonly EvalRow[], metrics = standardMetrics(2, 1)) {
  const systems = [...new Set(rows.map(({ system }) => system))];
  return recommendSystem({ rows, ...summarize(rows, metrics, CONTEXT), config: makeConfig({ systems }) });
}

/** 40 examples: the first passes 32 of them. */
const GOOD = `${"P".repeat(32)}${"F".repeat(8)}`;
/** Passes two fewer: loses four and gains two. */
const CLOSE = `FFFF${"P".repeat(28)}PPFFFFFF`;
/** Passes 12. */
const BAD = "F".repeat(20) + "P".repeat(12) + "F".repeat(8);

describe("recommendSystem", () => {
  it("says nothing about one system", () => {
    expect(recommend(makeRows("only", GOOD), standardMetrics(1, 1))).toBeNull();
  });

  it("names the best, the cheapest that is not significantly worse, and the fastest", () => {
    const found = recommend([
      ...makeRows("bad", BAD, { costUsd: 0.0001, latency: 0.1 }),
      ...makeRows("close", CLOSE, { costUsd: 0.001, latency: 2 }),
      ...makeRows("good", GOOD, { costUsd: 0.01, latency: 3 }),
    ]);
    expect(found).toMatchObject({
      withheld: null,
      quality: "pass_rate",
      best: { system: "good", value: 0.8 },
      cheapest: { system: "close", basis: "usd", bestCost: expect.closeTo(0.0125, 12) },
      fastest: { system: "bad", seconds: 0.1, bestSeconds: 3, isWorse: true },
      differences: [
        { system: "close", verdict: "unclear", examples: 40 },
        { system: "bad", verdict: "worse", moreExamples: null },
      ],
      notes: [],
    });
    expect(found?.cheapest?.cost).toBeCloseTo(0.04 / 30, 12);
    expect(found?.best?.low).toBeLessThan(0.8);
  });

  it("uses the tests of a comparison, corrected for all pairs", () => {
    const [close, good, bad] = [makeRows("close", CLOSE), makeRows("good", GOOD), makeRows("bad", BAD)];
    const [toClose, toBad] = recommend([...close, ...good, ...bad])?.differences ?? [];
    for (const [found, rows] of [
      [toClose, close],
      [toBad, bad],
    ] as const) {
      const [metric] = compareRows(good, rows, { metrics: ["pass_rate"] }).metrics;
      const { p, difference, low, high } = metric ?? {};
      expect(found).toMatchObject({ p, difference, low, high });
    }
    // Three pairs: the smallest p three times, the next twice.
    expect(toBad?.adjustedP).toBeCloseTo(3 * (toBad?.p ?? 1), 15);
    expect(toClose?.adjustedP).toBe(Math.min(1, 2 * (toClose?.p ?? 1)));
  });

  it("estimates the missing examples from the measured variance", () => {
    const found = recommend([...makeRows("good", GOOD), ...makeRows("close", CLOSE)])?.differences[0];
    const { se } = compareRows(makeRows("good", GOOD), makeRows("close", CLOSE)).metrics[0] ?? {};
    const design = { difference: 0.05, omega2: (se ?? 0) ** 2 * 40, sigmaA2: 0, sigmaB2: 0 };
    expect(found?.difference).toBeCloseTo(-0.05, 12);
    expect(found?.moreExamples).toBe(requiredTasks(design) - 40);
  });

  it("asks for enough examples for any difference to be significant", () => {
    const few = recommend([...makeRows("good", "PPP"), ...makeRows("bad", "FFF")])?.differences[0];
    // All differences are equal, so that only the number of examples is missing: six are the fewest with p < 0.05.
    expect(few).toMatchObject({ verdict: "unclear", difference: -1, moreExamples: 3 });
    const six = recommend([...makeRows("good", "PPPPPP"), ...makeRows("bad", "FFFFFF")])?.differences[0];
    expect(six).toMatchObject({ verdict: "worse" });
    // Four of six examples differ. Six must, so that nine are needed if the share stays the same.
    const some = recommend([...makeRows("good", "PPPPPP"), ...makeRows("bad", "FFFFPP")])?.differences[0];
    expect(some).toMatchObject({ verdict: "unclear", moreExamples: 3 });
  });

  it("gives no number of examples if there is no difference", () => {
    const mixed = recommend([...makeRows("a", "PPFF"), ...makeRows("b", "FFPP")])?.differences[0];
    expect(mixed).toMatchObject({ verdict: "unclear", difference: 0, moreExamples: null });
    const same = recommend([...makeRows("a", "PPFF"), ...makeRows("b", "PPFF")])?.differences[0];
    expect(same).toMatchObject({ verdict: "same", moreExamples: null });
    const one = recommend([...makeRows("a", "P"), ...makeRows("b", "F")])?.differences[0];
    expect(one).toMatchObject({ verdict: "unclear", moreExamples: null });
  });

  it("decides equal pass rates by mean score, then by cost", () => {
    const better = recommend([...makeRows("a", "PF"), ...makeRows("b", "PF", { scores: { f1: 0.9 } })]);
    expect(better?.best?.system).toBe("b");
    const cheaper = recommend([...makeRows("a", "PF"), ...makeRows("b", "PF", { costUsd: 0.005 })]);
    expect(cheaper).toMatchObject({ best: { system: "b" }, cheapest: { system: "b" } });
  });

  it("leaves a system without a price out of the comparison of costs if others have one", () => {
    const unpriced = { costUsd: null, costSource: "unknown" as const };
    const rows = [
      ...makeRows("a", GOOD, { costUsd: 0.04 }),
      ...makeRows("b", GOOD, { costUsd: 0.01 }),
      ...makeRows("c", GOOD, unpriced),
    ];
    expect(recommend(rows, standardMetrics(3, 1))).toMatchObject({
      cheapest: { system: "b", basis: "usd" },
      notes: ["the cost in dollars is unknown for c (left out)"],
    });
  });

  it("compares tokens if only one system has a price, and says so", () => {
    const unpriced = { costUsd: null, costSource: "unknown" as const };
    const [a, b] = [makeRows("a", GOOD, { outputTokens: 9 }), makeRows("b", GOOD, { ...unpriced, outputTokens: 5 })];
    expect(recommend([...a, ...b])).toMatchObject({
      cheapest: { system: "b", basis: "tokens", cost: 6.25, bestCost: 6.25 },
      notes: ["the cost in dollars is unknown for b, so tokens are compared"],
    });
    const neither = recommend([...makeRows("a", GOOD, { ...unpriced, outputTokens: 9 }), ...b]);
    expect(neither).toMatchObject({ cheapest: { basis: "tokens" }, notes: [] });
    // The last message of an agent is not what it costs.
    const agents = recommend([...makeRows("a", GOOD, { ...unpriced, metadata: { agent: "codex" } }), ...b]);
    expect(agents).toMatchObject({ cheapest: null, notes: ["the cost in dollars is unknown for a, b"] });
  });

  it("names no fastest system if a latency is unknown", () => {
    const found = recommend([...makeRows("a", GOOD), ...makeRows("b", GOOD, { latency: null })]);
    expect(found).toMatchObject({ best: { system: "a" }, fastest: null });
  });

  it("uses groups as units", () => {
    const grouped = (system: string, letters: string) =>
      makeRows(system, letters).map((row, i) => ({ ...row, group: Math.floor(i / 10) }));
    const [good, bad] = [grouped("good", GOOD), grouped("bad", BAD)];
    const found = recommend([...good, ...bad])?.differences[0];
    const [metric] = compareRows(good, bad, { metrics: ["pass_rate"] }).metrics;
    expect(found).toMatchObject({ p: metric?.p, low: metric?.low, verdict: "unclear" });
    // Four groups of ten can show nothing; six can.
    expect(found?.moreExamples).toBeGreaterThanOrEqual(20);
  });

  it("averages the trials of an example", () => {
    const repeat = (system: string, letters: string) =>
      [0, 1].flatMap((trial) => makeRows(system, letters).map((row) => ({ ...row, trial })));
    const [good, close] = [repeat("good", GOOD), repeat("close", CLOSE)];
    const [metric] = compareRows(good, close, { metrics: ["pass_rate"] }).metrics;
    expect(recommend([...good, ...close])?.differences[0]).toMatchObject({ examples: 40, p: metric?.p });
  });

  it.each<[string, EvalRow[], string]>([
    [
      "coverage",
      [...makeRows("a", "PPPPE"), ...makeRows("b", "PPPPP")],
      "fewer than 95 % of the trials of a were scored",
    ],
    ["passes", [...makeRows("a", "FF"), ...makeRows("b", "FF")], "no trial passed"],
    ["plan", [...makeRows("a", "PPP"), ...makeRows("b", "PP")], "the systems did not run the same examples"],
  ])("withholds it for lack of the same %s", (_, rows, withheld) => {
    expect(recommend(rows)).toEqual({
      withheld,
      quality: "pass_rate",
      best: null,
      cheapest: null,
      fastest: null,
      differences: [],
      notes: [],
    });
  });

  it("uses the mean score if pass rates are not among the metrics, and needs one of them", () => {
    const rows = [...makeRows("a", "PF"), ...makeRows("b", "PP")];
    const named = (name: string) => standardMetrics(2, 1).filter((metric) => metric.name === name);
    expect(recommend(rows, named("mean_score"))).toMatchObject({
      quality: "mean_score",
      best: { system: "b", value: 1 },
    });
    expect(recommend(rows, named("latency"))?.withheld).toBe("neither pass_rate nor mean_score is among the metrics");
  });

  it("claims a difference between equal systems in at most 5 % of runs", () => {
    // Five systems with the same chance of passing, on 60 examples.
    const random = createRandom(7);
    let claims = 0;
    for (let run = 0; run < 200; run++) {
      const rows = [..."abcde"].flatMap((system) =>
        makeRows(system, Array.from({ length: 60 }, () => (random.next() < 0.5 ? "P" : "F")).join("")),
      );
      if (recommend(rows)?.differences.some(({ verdict }) => verdict === "worse")) claims += 1;
    }
    expect(claims).toBeLessThanOrEqual(10);
  });
});
