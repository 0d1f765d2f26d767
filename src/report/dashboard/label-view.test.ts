import { expect, it } from "vitest";
import { makeRow } from "../../core/index.js";
import type { TrialLabel } from "../../store/index.js";
import { buildLabelView } from "./label-view.js";

const rows = Array.from({ length: 20 }, (_, i) =>
  makeRow({ system: "a", dataset: "qa", exampleId: i, outcome: i < 10 ? "pass" : "fail" }),
);

function label(exampleId: number, verdict: TrialLabel["verdict"]): TrialLabel {
  const said = { note: "", tags: [], blind: true, at: "2026-11-18T10:00:00.000Z", labeler: null };
  return { system: "a", dataset: "qa", exampleId, trial: 0, verdict, ...said };
}

it("compares labels with verdicts", () => {
  // Right: 0-8 and 10 of the passes 0-9; by hand pₒ = 18/20, pₑ = .5·.5 + .5·.5, so kappa = .8.
  const labels = rows.map((_, i) => label(i, i < 9 || i === 10 ? "right" : "wrong"));
  const { agreement } = buildLabelView(rows, labels);
  expect(agreement).toMatchObject({ rightPassed: 9, rightFailed: 1, wrongPassed: 1, wrongFailed: 9 });
  expect(agreement.share).toMatchObject({ value: 0.9, n: 20 });
  expect(agreement.kappa.value).toBeCloseTo(0.8, 12);
  expect(agreement.kappa.low).toBeLessThan(0.8);
  expect(agreement.differing.map(({ exampleId }) => exampleId)).toEqual([9, 10]);
});

it("leaves out trials that were not scored, labels without a verdict, and trials of other runs", () => {
  const broken = makeRow({ system: "a", dataset: "qa", exampleId: 99, outcome: "error" });
  const view = buildLabelView([...rows, broken], [label(99, "wrong"), label(0, null), label(500, "right")]);
  expect(view.labels.map(({ exampleId }) => exampleId)).toEqual([99, 0]);
  expect(view.agreement.share).toEqual({ value: null, low: null, high: null, n: 0 });
  expect(view.agreement.kappa.value).toBeNull();
});
