import { describe, expect, it } from "vitest";
import type { EvalConfig } from "../core/result.js";
import { type EvalRow, makeRow } from "../core/row.js";
import { MeanScore, summarize } from "../metrics/index.js";
import { describeIntervalGroups } from "./table.js";

function row(exampleId: number, group: EvalRow["group"], more: Partial<EvalRow> = {}): EvalRow {
  const scores = { f1: exampleId % 2 };
  return makeRow({ system: "s", exampleId, outcome: "pass", scores, primaryField: "f1", group, ...more });
}

function factsOf(rows: readonly EvalRow[], groupBy: readonly (string | undefined)[] = ["conversation"]): string[] {
  const datasets = groupBy.map((field) => (field === undefined ? {} : { groupBy: field }));
  const { summary } = summarize(rows, [new MeanScore()], { scoreField: "score", threshold: 0.7, seed: 0 });
  return describeIntervalGroups({ summary, rows, config: { datasets } as unknown as EvalConfig });
}

const THREE = [row(1, "a"), row(2, "a"), row(3, "b"), row(4, "c")];

describe("describeIntervalGroups", () => {
  it("reports the number of groups of intervals, and their field", () => {
    expect(factsOf(THREE)).toEqual(["intervals over 3 groups by conversation"]);
    expect(factsOf(THREE, [undefined])).toEqual(["intervals over 3 groups"]);
    expect(factsOf(THREE, ["conversation", "block"])).toEqual(["intervals over 3 groups by conversation or block"]);
  });

  it("is empty where every example is independent", () => {
    expect(factsOf([row(1, null), row(2, null)])).toEqual([]);
    expect(factsOf([row(1, "a"), row(2, "b")])).toEqual([]);
  });

  it("reports that a single group gives no intervals", () => {
    expect(factsOf(THREE.slice(0, 2))).toEqual(["no intervals: all examples belong to the same conversation"]);
  });

  it("reports examples without a group, and differences between systems", () => {
    const mixed = [...THREE, row(5, null)];
    expect(factsOf(mixed)).toEqual([
      "intervals over 4 groups by conversation, examples without a group counted singly",
    ]);
    const other = THREE.map((each) => row(Number(each.exampleId), each.group, { system: "t" }));
    const failed = { outcome: "error", scores: {}, primaryField: null } as const;
    const lossy = other.map((each) => (each.group === "c" ? makeRow({ ...each, ...failed }) : each));
    expect(factsOf([...THREE, ...lossy])).toEqual(["intervals over 2 to 3 groups by conversation"]);
  });
});
