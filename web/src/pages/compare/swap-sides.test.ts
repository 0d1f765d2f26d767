import { expect, test } from "vitest";
import { makeRow } from "../../../../src/core/row.js";
import { compareRows } from "../../../../src/metrics/compare/index.js";
import { describeCompareVerdict } from "../../../../src/report/compare-verdict.js";
import type { CompareView, RunCard } from "../../../../src/report/dashboard/contract.js";
import { swapSides } from "./swap-sides.js";

function createRows(system: string, passes: readonly boolean[]) {
  return passes.map((passed, exampleId) =>
    makeRow({
      system,
      exampleId,
      dataset: "d",
      outcome: passed ? "pass" : "fail",
      passed,
      scores: { f1: Number(passed) },
      primaryField: "f1",
      latency: passed ? 1 : 3,
    }),
  );
}

function createView(a: string, b: string, rows: Record<string, ReturnType<typeof createRows>>): CompareView {
  const comparison = compareRows(rows[a] ?? [], rows[b] ?? []);
  const names = { a: { run: "r", title: a }, b: { run: "r", title: b } };
  const card = (id: string) => ({ id }) as unknown as RunCard;
  const verdicts = [describeCompareVerdict(comparison)];
  return {
    a: card(a),
    b: card(b),
    comparison: { ...names, level: 0.95, comparisons: [comparison], notes: [] },
    verdicts,
  };
}

test("swapping the sides gives the comparison of B with A", () => {
  const rows = {
    x: createRows("x", [true, true, false, true, false, false, true, true]),
    y: createRows("y", [true, false, true, true, true, true, true, false, true]),
  };
  expect(swapSides(createView("x", "y", rows))).toEqual(createView("y", "x", rows));
  expect(swapSides(swapSides(createView("x", "y", rows)))).toEqual(createView("x", "y", rows));
});
