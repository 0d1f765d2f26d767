import { expect, test } from "vitest";
import { makeRow } from "../../../../src/core/row.js";
import { compareRows } from "../../../../src/metrics/compare/index.js";
import type { CompareView, RunCard } from "../../../../src/report/dashboard/contract.js";
import { mirrored } from "./mirror.js";

function rowsOf(system: string, passes: readonly boolean[]) {
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

function viewOf(a: string, b: string, rows: Record<string, ReturnType<typeof rowsOf>>): CompareView {
  const comparison = compareRows(rows[a] ?? [], rows[b] ?? []);
  const names = { a: { run: "r", title: a }, b: { run: "r", title: b } };
  const card = (id: string) => ({ id }) as unknown as RunCard;
  return { a: card(a), b: card(b), comparison: { ...names, level: 0.95, comparisons: [comparison], notes: [] } };
}

test("a mirrored comparison is the comparison of B with A", () => {
  const rows = {
    x: rowsOf("x", [true, true, false, true, false, false, true, true]),
    y: rowsOf("y", [true, false, true, true, true, true, true, false, true]),
  };
  expect(mirrored(viewOf("x", "y", rows))).toEqual(viewOf("y", "x", rows));
  expect(mirrored(mirrored(viewOf("x", "y", rows)))).toEqual(viewOf("x", "y", rows));
});
