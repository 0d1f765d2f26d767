import { describe, expect, it } from "vitest";
import type { EvalResult } from "../../core/result.js";
import { makeEvalResult, makeTrialRow, makeTrialRows } from "../../testing/eval-result.js";
import { evalReport } from "./eval-report.js";
import { describePart, formatGateResult, renderEvalText } from "./eval-text.js";

const gate = { metric: "pass_hat_2", op: ">=" as const, value: 0.8 };
const textOf = (result: EvalResult) => renderEvalText(result);
const facts = (result: EvalResult) => evalReport(result).parts.flatMap((part) => describePart(part));

describe("the eval report for people", () => {
  it("has a table of test cases for each eval and system", () => {
    const rows = [
      ...makeTrialRows("PPF", { exampleId: "add", costUsd: 0.5, durationMs: 2000 }),
      ...makeTrialRows("EUS", { exampleId: "sub" }),
    ];
    const lines = textOf(makeEvalResult(rows, { title: "tidy run", notes: ["told"] })).split("\n");
    expect(lines[0]).toBe("# tidy run");
    expect(lines[2]).toBe("## tidy: agent");
    const cells = (name: string) => {
      const line = lines.find((each) => each.startsWith(`| ${name} `)) ?? "";
      return line.split("|").map((cell) => cell.trim());
    };
    expect(cells("test case")).toEqual([
      ...["", "test case", "pass rate [95 %]", "pass@3", "pass^3", "flaky", "score", "cost", "time", "trials", ""],
    ]);
    expect(cells("add")).toEqual([
      ...["", "add", "0.667 [0.208, 0.939]", "1", "0", "33 %", "0.667", "$0.5000", "2.00 s", "3", ""],
    ]);
    expect(cells("sub").slice(2, 6)).toEqual(["–", "–", "–", "–"]);
    expect(cells("sub").at(-2)).toBe("3 (1 error, 1 unscored, 1 skipped)");
    expect(lines.at(-2)).toBe("- told");
  });

  it("shows the skill, the triggers and the gates, and why a trial has no verdict", () => {
    const rows = [
      ...makeTrialRows("PP"),
      ...makeTrialRows("PF", { exampleId: "t", facets: { trigger: "should" } }),
      makeTrialRow({ exampleId: "ill", outcome: "unscored", notes: ["the judge is ill"] }),
    ];
    const said = facts(makeEvalResult(rows, { evals: { tidy: { skill: "sweep", gates: [gate] } } }));
    expect(said[0]).toMatch(/^3 of 5 trials passed: pass rate 0\.75 \[.*\] over 2 test cases; 1 without a verdict$/);
    expect(said.slice(1)).toEqual([
      "skill sweep: score 0.75 over 2 of 3 test cases",
      "activation: precision 1, recall 0.5, F1 0.667 (1 true positive, 0 false positives, 1 false negative, 0 true negatives)",
      "gate pass_hat_2 >= 0.8: 0.5, failed",
      "t: failed checks: verdict",
      "ill: the judge is ill",
    ]);
  });

  it("handles a single test case and trial, with the total cost", () => {
    const said = facts(makeEvalResult([makeTrialRow({ costUsd: 0.25 })]));
    expect(said[0]).toMatch(/^1 of 1 trial passed: .* over 1 test case$/);
    expect(said[1]).toBe("score 1 over 1 of 1 test case; $0.2500 in all");
  });

  it("keeps every name on its line", () => {
    const name = "a\n# b\u001b[31m";
    const rows = makeTrialRows("U", { exampleId: name, dataset: name, system: name, notes: [name] });
    const text = textOf(makeEvalResult(rows, { title: name, notes: [name] }));
    expect(text).not.toContain("\u001b");
    expect(text.split("\n").filter((line) => line.startsWith("# "))).toHaveLength(1);
  });
});

describe("formatGateResult", () => {
  it("shows the value, or that it was not measured", () => {
    expect(formatGateResult({ ...gate, actual: 0.8, passed: true })).toBe("pass_hat_2 >= 0.8: 0.8, passed");
    expect(formatGateResult({ ...gate, actual: null, passed: false })).toBe("pass_hat_2 >= 0.8: not measured, failed");
  });
});
