import { describe, expect, test } from "vitest";
import { type EvalRow, makeRow, type RowInit } from "../core/row.js";
import { buildExperimentReport, type ReportedExperiment } from "./experiment.js";
import { renderExperimentMarkdown } from "./experiment-markdown.js";

const EXPERIMENT: ReportedExperiment = {
  name: "skill",
  baseline: "base",
  vary: ["/skill"],
  variants: [
    { name: "base", systems: ["base"] },
    { name: "with", systems: ["with"] },
  ],
};

/** The trials of a test case: `1` passes, `0` fails, `e` is an error, `u` is unscored. */
function trials(system: string, exampleId: string, outcomes: string, known: Partial<RowInit> = {}): EvalRow[] {
  return [...outcomes].map((each, trial) => {
    const isScored = each === "1" || each === "0";
    return makeRow({
      system,
      exampleId,
      dataset: `${system}/greeting`,
      trial,
      outcome: isScored ? (each === "1" ? "pass" : "fail") : each === "e" ? "error" : "unscored",
      passed: isScored ? each === "1" : null,
      primaryField: "verdict",
      scores: isScored ? { verdict: Number(each), weighted_score: each === "1" ? 1 : 0.25 } : {},
      ...known,
    });
  });
}

describe("the figures of a variant", () => {
  const rows = [
    ...trials("base", "a", "1100", { costUsd: 0.1, latency: 10 }),
    ...trials("base", "b", "1111", { costUsd: 0.3, latency: 20 }),
    ...trials("base", "c", "000e", { costUsd: 0.2, latency: 30 }),
  ];
  const figures = buildExperimentReport(EXPERIMENT, rows).variants[0];

  test("are means over test cases, not over trials", () => {
    expect(figures?.passRate.value).toBeCloseTo((0.5 + 1 + 0) / 3, 12);
    expect(figures?.passRate.n).toBe(3);
    expect(figures?.meanScore.value).toBeCloseTo(((1 + 1 + 0.25 + 0.25) / 4 + 1 + 0.25) / 3, 12);
    // An error has no output, so its cost is only in the total.
    expect(figures?.meanCostUsd.value).toBeCloseTo((0.1 + 0.3 + 0.2) / 3, 12);
    expect(figures?.meanSeconds.value).toBeCloseTo(20, 12);
  });

  test("have unbiased curves over the test cases with enough trials", () => {
    const [first, second, third, fourth] = figures?.curves ?? [];
    expect(first?.passAtK.value).toBeCloseTo(0.5, 12);
    // n = 4, c = 2: pass@2 = 1 − 1/6, pass^2 = 1/6.
    expect(second?.passAtK.value).toBeCloseTo((1 - 1 / 6 + 1 + 0) / 3, 12);
    expect(second?.passHatK.value).toBeCloseTo((1 / 6 + 1 + 0) / 3, 12);
    expect(third?.passHatK.value).toBeCloseTo((0 + 1 + 0) / 3, 12);
    expect(fourth?.passAtK).toMatchObject({ value: 1, n: 2 });
  });

  test("include the total cost and the coverage", () => {
    expect(figures?.totalCostUsd).toBeCloseTo(4 * 0.1 + 4 * 0.3 + 4 * 0.2, 12);
    expect(figures?.costPerPassUsd).toBeCloseTo(2.4 / 6, 12);
    expect(figures?.trials).toEqual({ pass: 6, fail: 5, error: 1, unscored: 0, skipped: 0 });
    expect(figures?.coverage).toBeCloseTo(11 / 12, 12);
  });

  test("compare scored trials with planned ones, run or not", () => {
    const planned = (count: number | null) => ({
      ...EXPERIMENT,
      variants: [
        { name: "base", systems: ["base"], planned: count },
        { name: "with", systems: ["with"] },
      ],
    });
    const half = buildExperimentReport(planned(22), rows);
    expect(half.variants[0]).toMatchObject({ planned: 22, coverage: 0.5 });
    expect(renderExperimentMarkdown(half)).toMatch(/base \(baseline\).* 50 % ⚠ \|/);
    const unknown = buildExperimentReport(planned(null), rows);
    expect(unknown.variants[0]).toMatchObject({ planned: null, coverage: null });
    expect(renderExperimentMarkdown(unknown)).toMatch(/base \(baseline\).* – \|\n/);
    expect(renderExperimentMarkdown(unknown)).toContain(
      "- coverage is unknown: the run does not record how many trials",
    );
  });

  test("are null, with a reason, where nothing was measured", () => {
    const empty = buildExperimentReport(EXPERIMENT, rows).variants[1];
    expect(empty).toMatchObject({ stimuli: 0, coverage: 0, totalCostUsd: null, costPerPassUsd: null, curves: [] });
    expect(empty?.passRate).toEqual({ value: null, low: null, high: null, n: 0, reason: "not measured" });
    const unknown = buildExperimentReport(EXPERIMENT, [...rows, ...trials("base", "d", "1")]).variants[0];
    expect(unknown).toMatchObject({ totalCostUsd: null, costPerPassUsd: null, costUnknownTrials: 1 });
  });
});

describe("the difference from the baseline", () => {
  const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
  const pairOf = (base: string, other: string, cost: readonly [number, number]) =>
    names.flatMap((name, i) => [
      ...trials("base", name, base[i] ?? "", { costUsd: cost[0] + i / 100, latency: 10 }),
      ...trials("with", name, other[i] ?? "", { costUsd: cost[1] + i / 100, latency: 5 }),
    ]);

  test("equals values computed by hand", () => {
    // A = 1,0,0,1,0,0,1,1 and B = 1,1,0,1,0,1,1,0, one trial each: d = 0.125, and McNemar of 2 against 1 is 1.
    const [lift] = buildExperimentReport(EXPERIMENT, pairOf("10010011", "11010110", [1, 1])).lifts;
    expect(lift?.passRate.difference).toBeCloseTo(0.125, 12);
    expect(lift?.passRate.low).toBeCloseTo(0.125 - 2.364624 * 0.226582, 5);
    expect(lift?.passRate.high).toBeCloseTo(0.125 + 2.364624 * 0.226582, 5);
    expect(lift).toMatchObject({
      variant: "with",
      lift: "inconclusive",
      paired: 8,
      passRate: { p: 1, adjustedP: 1, n: 8 },
    });
    expect(lift?.seconds.difference).toBe(-5);
    expect(lift?.timeChange).toBe(-0.5);
  });

  test("is better where every test case gains, and worse where every one loses", () => {
    const [lift] = buildExperimentReport(EXPERIMENT, pairOf("00000000", "11111111", [1, 2])).lifts;
    // Eight differences on the same side: 2 of 2^8 assignments of signs.
    expect(lift).toMatchObject({
      lift: "better",
      passRate: { difference: 1, p: expect.closeTo(2 / 256, 12), adjustedP: expect.closeTo(2 / 256, 12) },
    });
    expect(buildExperimentReport(EXPERIMENT, pairOf("11111111", "00000000", [1, 2])).lifts[0]?.lift).toBe("worse");
  });

  test("is the same but cheaper where only the cost changes", () => {
    const [lift] = buildExperimentReport(EXPERIMENT, pairOf("11110000", "11110000", [1, 0.4])).lifts;
    expect(lift).toMatchObject({ lift: "same_but_cheaper", passRate: { difference: 0, p: 1 } });
    expect(lift?.costUsd.difference).toBeCloseTo(-0.6, 12);
    expect(lift?.costChange).toBeCloseTo(-0.6 / 1.035, 12);
  });

  test("is corrected over all variants: what is significant alone need not be among ten", () => {
    const one = (system: string, lastIs: string) =>
      names.flatMap((name, i) => trials(system, name, i < 6 ? "1" : lastIs));
    const base = names.flatMap((name, i) => trials("base", name, i < 6 ? "0" : "1"));
    const alone = buildExperimentReport(EXPERIMENT, [...base, ...one("with", "1")]).lifts[0];
    // Six against none: 2 of 2^6.
    expect(alone).toMatchObject({
      lift: "better",
      passRate: { p: expect.closeTo(2 / 64, 12), adjustedP: expect.closeTo(2 / 64, 12) },
    });
    const others = Array.from({ length: 9 }, (_, i) => `v${i}`);
    const many = buildExperimentReport(
      { ...EXPERIMENT, variants: [...EXPERIMENT.variants, ...others.map((name) => ({ name, systems: [name] }))] },
      [
        ...base,
        ...one("with", "1"),
        ...others.flatMap((name) => names.flatMap((each, i) => trials(name, each, i < 6 ? "0" : "1"))),
      ],
    ).lifts[0];
    expect(many?.passRate.p).toBeCloseTo(2 / 64, 12);
    expect(many?.passRate.adjustedP).toBeCloseTo(10 * (2 / 64), 12);
    expect(many?.lift).toBe("inconclusive");
  });

  test("is listed for each test case, as are those that a variant lacks", () => {
    const report = buildExperimentReport(EXPERIMENT, [
      ...trials("base", "a", "1100"),
      ...trials("with", "a", "1110"),
      ...trials("base", "b", "11"),
      ...trials("with", "b", "uu"),
      ...trials("with", "c", "1"),
    ]);
    expect(report.stimuli.with).toEqual([
      {
        eval: "greeting",
        stimulus: "a",
        baseline: { passes: 2, trials: 4, rate: 0.5 },
        variant: { passes: 3, trials: 4, rate: 0.75 },
        difference: 0.25,
      },
      expect.objectContaining({ stimulus: "b", variant: { passes: 0, trials: 0, rate: null }, difference: null }),
      expect.objectContaining({ stimulus: "c", baseline: { passes: 0, trials: 0, rate: null }, difference: null }),
    ]);
    expect(report.missing).toEqual([
      { eval: "greeting", stimulus: "b", variants: ["with"] },
      { eval: "greeting", stimulus: "c", variants: ["base"] },
    ]);
  });

  test("lists test cases in the given order, whatever the order of rows", () => {
    const order = ["c", "a", "b"].map((name) => ["greeting", name] as const);
    const rows = ["a", "b", "c", "odd"].flatMap((name) => [
      ...trials("base", name, "10"),
      ...trials("with", name, "1"),
    ]);
    const report = buildExperimentReport({ ...EXPERIMENT, order }, rows);
    expect(report.stimuli.with?.map(({ stimulus }) => stimulus)).toEqual(["c", "a", "b", "odd"]);
    expect(buildExperimentReport({ ...EXPERIMENT, order }, rows.toReversed()).lifts).toEqual(report.lifts);
  });

  test("treats trials of all models of a variant as trials of the test case", () => {
    const variants = [
      { name: "base", systems: ["base (x)", "base (y)"] },
      { name: "with", systems: ["with (x)", "with (y)"] },
    ];
    const ofModel = (variant: string, model: string, outcomes: string) =>
      trials(`${variant} (${model})`, "a", outcomes, { dataset: `${variant}/greeting` });
    const rows = [
      ...ofModel("base", "x", "1"),
      ...ofModel("base", "y", "0"),
      ...ofModel("with", "x", "1"),
      ...ofModel("with", "y", "1"),
    ];
    const report = buildExperimentReport({ ...EXPERIMENT, variants }, rows);
    expect(report.variants.map(({ stimuli, passRate }) => [stimuli, passRate.value])).toEqual([
      [1, 0.5],
      [1, 1],
    ]);
    expect(report.stimuli.with?.[0]).toMatchObject({ baseline: { passes: 1, trials: 2 }, difference: 0.5 });
  });
});

describe("the experiment report", () => {
  const rows = ["a", "b", "c"].flatMap((name) => [
    ...trials("base", name, "10", { costUsd: 0.02, latency: 3 }),
    ...trials("with", name, "11", { costUsd: 0.01, latency: 2 }),
  ]);

  test("is valid JSON", () => {
    const report = buildExperimentReport(EXPERIMENT, rows, { runs: ["runs/1"] });
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
    expect(buildExperimentReport(EXPERIMENT, []).lifts[0]).toMatchObject({ lift: "inconclusive", paired: 0 });
  });

  test("has Markdown tables of variants, lifts and test cases", () => {
    const text = renderExperimentMarkdown(
      buildExperimentReport({ ...EXPERIMENT, notes: ["a note | with a bar"] }, [
        ...rows,
        ...trials("base", "d|e", "1"),
      ]),
    );
    expect(text).toContain("# skill\n");
    expect(text).toMatch(/\| base \(baseline\) \|\s+0\.625 \[/);
    expect(text).toMatch(/\| with +\| inconclusive \| +\+0\.5 \[\+0\.5, \+0\.5\] \|/);
    expect(text).toMatch(/−\$0\.0100 \(−50 %\)/);
    expect(text).toMatch(/\| a +\| +0\.5 \(1\/2\) \| 1 \(2\/2\) \| +\+0\.5 \|/);
    expect(text).toContain("## Not scored in every variant\n\n- d|e (greeting): with\n");
    expect(text).toContain("- with: 3 paired test cases are too few to detect any difference\n");
    expect(text).toContain("- a note | with a bar\n");
    // The cost of one trial is unknown there.
    expect(text).not.toContain("nothing decided");
    expect(renderExperimentMarkdown(buildExperimentReport(EXPERIMENT, rows))).toContain("spent, and nothing decided");
    const one = buildExperimentReport(EXPERIMENT, [...trials("base", "a", "10"), ...trials("with", "a", "11")]);
    expect(renderExperimentMarkdown(one)).toContain("- with: 1 paired test case is too few to detect any difference\n");
  });
});
