import { describe, expect, it } from "vitest";
import { type EvalRow, makeRow } from "../core/row.js";
import { frontierCostOfPass } from "./frontier.js";

function row(system: string, exampleId: number, passed: boolean | null, outputTokens: number): EvalRow {
  const outcome = passed === null ? "error" : passed ? "pass" : "fail";
  return makeRow({ system, exampleId, outcome, passed, outputTokens });
}

const tokens = (one: EvalRow) => one.outputTokens;

describe("frontierCostOfPass", () => {
  it("takes the cheapest system of each task, then the mean over tasks", () => {
    const rows = [
      row("a", 1, true, 10),
      row("a", 1, false, 20), // a, task 1: 30 tokens for one pass
      row("b", 1, true, 25),
      row("b", 1, true, 15), // b, task 1: 20 tokens per pass
      row("a", 2, true, 8),
      row("b", 2, false, 1), // only a passes task 2
    ];
    expect(frontierCostOfPass(rows, { costOf: tokens })).toBe(14);
  });

  it("is infinite if no system passes a task, unless there is an expert cost", () => {
    const rows = [row("a", 1, true, 10), row("a", 2, false, 10), row("b", 2, null, 0)];
    expect(frontierCostOfPass(rows, { costOf: tokens })).toBe(Infinity);
    expect(frontierCostOfPass(rows, { costOf: tokens, expertCost: 50 })).toBe(30);
    expect(frontierCostOfPass(rows, { costOf: tokens, expertCost: 4 })).toBe(4);
  });

  it("returns null if a cost is unknown, and without trials", () => {
    expect(frontierCostOfPass([row("a", 1, true, 1)], { costOf: () => undefined })).toBeNull();
    expect(frontierCostOfPass([], { costOf: tokens })).toBeNull();
    const skipped = makeRow({ system: "a", exampleId: 1, outcome: "skipped" });
    expect(frontierCostOfPass([skipped], { costOf: tokens })).toBeNull();
    expect(frontierCostOfPass([skipped, row("a", 2, true, 6)], { costOf: tokens })).toBe(6);
  });
});
