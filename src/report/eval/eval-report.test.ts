import { describe, expect, it } from "vitest";
import { makeEvalResult, makeTrialRow, makeTrialRows } from "../../testing/eval-result.js";
import { evalReport } from "./eval-report.js";

const hat2 = { metric: "pass_hat_2", op: ">=" as const, value: 0.9 };

describe("evalReport", () => {
  it("has a part for each eval and each of its systems, from its own rows", () => {
    const rows = [
      ...makeTrialRows("PP", { dataset: "first", system: "a" }),
      ...makeTrialRows("FF", { dataset: "first", system: "b" }),
      ...makeTrialRows("PF", { dataset: "second", system: "b" }),
    ];
    const evals = { first: { gates: [hat2] }, second: { skill: "sweep" } };
    const report = evalReport(makeEvalResult(rows, { evals, title: "both", notes: ["told"] }));
    expect(report).toMatchObject({ schema: "assay.eval/1", title: "both", run: null, notes: ["told"] });
    expect(report.parts.map(({ eval: name, system, passed, planned }) => [name, system, passed, planned])).toEqual([
      ["first", "a", 2, 2],
      ["first", "b", 0, 2],
      ["second", "b", 1, 2],
    ]);
    const [a, b, second] = report.parts;
    expect(a?.gates).toEqual([{ ...hat2, actual: 1, passed: true }]);
    expect(b?.gates).toEqual([{ ...hat2, actual: 0, passed: false }]);
    expect(second).toMatchObject({ gates: [], passRate: 0.5, skill: { skill: "sweep" } });
    expect(a?.skill.skill).toBeNull();
  });

  it("keeps the order of test cases, and counts trials without a verdict", () => {
    const rows = [
      ...makeTrialRows("PP", { exampleId: "z" }),
      ...makeTrialRows("PE", { exampleId: "a" }),
      ...makeTrialRows("SU", { exampleId: 7 }),
    ];
    const [part] = evalReport(makeEvalResult(rows)).parts;
    expect(part?.stimuli.map(({ stimulus }) => stimulus)).toEqual(["z", "a", "7"]);
    expect(part).toMatchObject({ planned: 6, scored: 3, passed: 3, triggers: null, costUsd: null });
  });

  it("has no pass rate when no trial has a verdict, and passes no gate then", () => {
    const [part] = evalReport(makeEvalResult(makeTrialRows("UE"), { evals: { tidy: { gates: [hat2] } } })).parts;
    expect(part).toMatchObject({ scored: 0, passRate: null, passRateInterval: null });
    expect(part?.gates).toEqual([{ ...hat2, actual: null, passed: false }]);
  });

  it("sums the costs of all trials, including failed ones", () => {
    const rows = [makeTrialRow({ costUsd: 0.25 }), makeTrialRow({ trial: 1, outcome: "fail", costUsd: 0.5 })];
    expect(evalReport(makeEvalResult(rows)).parts[0]?.costUsd).toBe(0.75);
  });

  it("shows the k of a gate, and trigger tests if there are any", () => {
    const rows = [
      ...makeTrialRows("PPPP"),
      ...makeTrialRows("PPPP", { exampleId: "t", facets: { trigger: "should" } }),
    ];
    const [part] = evalReport(makeEvalResult(rows, { evals: { tidy: { gates: [hat2] } } })).parts;
    expect(part?.stimuli.map(({ k }) => k)).toEqual([2, 2]);
    expect(part?.triggers).toMatchObject({ truePositives: 4, recall: 1 });
  });

  it("is plain JSON", () => {
    const report = evalReport(makeEvalResult(makeTrialRows("PFEUS")));
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  });
});
