import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type EvalRow, type Facets, makeRow } from "../core/row.js";
import { scoreInterval } from "../stats/index.js";
import { collectIntervals } from "../testing/intervals.js";
import { FacetBreakdown, listSummaryKeys, MeanScore, summarize } from "./index.js";

const CONTEXT = { scoreField: "score", threshold: 0.7, seed: 0 };

function row(exampleId: number, f1: number | null, facets: Facets | null, more: Partial<EvalRow> = {}): EvalRow {
  const scored = f1 === null ? {} : { scores: { f1 }, primaryField: "f1" };
  return makeRow({
    system: "s",
    dataset: "d",
    exampleId,
    outcome: f1 === null ? "error" : "pass",
    facets,
    ...scored,
    ...more,
  });
}

const average = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

describe("FacetBreakdown", () => {
  it("returns the mean of each value with its interval, and nothing for rows without facets", () => {
    const rows = [
      row(1, 1, { subject: "law" }),
      row(2, 0.5, { subject: "law" }),
      row(3, 0.2, { subject: "anatomy" }),
      row(4, 0, null),
    ];
    expect(new FacetBreakdown().compute(rows)).toEqual({ "facet:subject=anatomy": 0.2, "facet:subject=law": 0.75 });
    const { low, high } = scoreInterval([1, 0.5]);
    const bounds = collectIntervals(new FacetBreakdown(), rows);
    expect(bounds["facet:subject=law"]).toEqual({ low, high, n: 2 });
    expect(bounds["facet:subject=anatomy"]).toMatchObject({ low: null, n: 1, reason: "fewer than two tasks" });
    expect(new FacetBreakdown().compute([row(4, 0, null)])).toEqual({});
    expect(new FacetBreakdown().compute([])).toEqual({});
  });

  it("excludes errors from the mean, and values with only errors from the summary", () => {
    const rows = [row(1, null, { subject: "law" }), row(2, 1, { subject: "art" }), row(3, null, { subject: "art" })];
    expect(summarize(rows, [], CONTEXT).summary.s).toMatchObject({
      "facet:subject=art": 1,
      "facet:subject=art_n": 1,
      "facet:subject=law_n": 0,
    });
  });

  it("has cells of depth and length in numeric order", () => {
    const at = (depth: number, length: number) => ({ depth, length, paraphrased: depth > 0.3 });
    const rows = [
      row(1, 1, at(0.5, 1000)),
      row(2, 0, at(0.25, 500)),
      row(3, 1, at(0.25, 1000)),
      row(4, 0, at(0.25, 1000)),
    ];
    const found = Object.entries(new FacetBreakdown().compute(rows));
    expect(found.map(([key, mean]) => [key, Number(mean.toFixed(3))])).toEqual([
      ["facet:depth=0.25", 0.333],
      ["facet:depth=0.5", 1],
      ["facet:length=500", 0],
      ["facet:length=1000", 0.667],
      ["facet:paraphrased=false", 0.333],
      ["facet:paraphrased=true", 1],
      ["cell:depth=0.25,length=500", 0],
      ["cell:depth=0.25,length=1000", 0.5],
      ["cell:depth=0.5,length=1000", 1],
    ]);
  });

  it("separates datasets, also if one has no facets or no rows yet", () => {
    const [a, b] = [{ dataset: "a" }, { dataset: "b" }];
    const rows = [
      row(1, 1, { subject: "law" }, a),
      row(1, 0, { subject: "law" }, b),
      row(2, 1, null, { dataset: "c" }),
    ];
    expect(new FacetBreakdown().compute(rows)).toEqual({ "facet:a:subject=law": 1, "facet:b:subject=law": 0 });
    expect(Object.keys(new FacetBreakdown().compute([rows[0], rows[2]] as EvalRow[]))).toEqual(["facet:a:subject=law"]);
    const context = { ...CONTEXT, datasets: ["a", "b"] };
    expect(Object.keys(new FacetBreakdown().compute(rows.slice(0, 1), context))).toEqual(["facet:a:subject=law"]);
    // Placeholder rows of trials that never ran have no dataset.
    const stopped = [...rows.slice(0, 1), row(9, null, null, { dataset: "", outcome: "skipped" })];
    const alone = { ...CONTEXT, datasets: ["a"] };
    expect(Object.keys(new FacetBreakdown().compute(stopped, alone))).toEqual(["facet:subject=law"]);
  });

  it("averages a task's trials before averaging tasks, in any row order", () => {
    const subject = fc.constantFrom("law", "art", 7);
    const task = fc.tuple(
      subject,
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 4 }),
    );
    fc.assert(
      fc.property(fc.array(task, { minLength: 1, maxLength: 9 }), fc.nat(), (tasks, turn) => {
        const rows = tasks.flatMap(([value, trials], id) =>
          trials.map((f1, trial) => row(id, f1, { subject: value }, { trial })),
        );
        const turned = [...rows.slice(turn % rows.length), ...rows.slice(0, turn % rows.length)];
        const found = new FacetBreakdown({ scoreField: "f1" }).compute(turned);
        expect(Object.keys(found)).toEqual(
          ["7", "art", "law"]
            .filter((name) => tasks.some(([value]) => String(value) === name))
            .map((name) => `facet:subject=${name}`),
        );
        for (const [key, mean] of Object.entries(found)) {
          const own = tasks.filter(([value]) => key === `facet:subject=${value}`);
          expect(mean).toBeCloseTo(average(own.map(([, trials]) => average(trials))), 12);
        }
      }),
    );
  });

  it("keeps the 60 values with the most trials and notes it once", () => {
    const rows = ["s", "t"].flatMap((system) =>
      Array.from({ length: 75 }, (_, id) =>
        [0, ...(id >= 70 ? [1] : [])].map((trial) => row(id, 1, { page: id }, { system, trial })),
      ),
    );
    const { summary, notes } = summarize(rows.flat(), [], CONTEXT);
    for (const system of ["s", "t"]) {
      const pages = Object.keys(summary[system] ?? {}).flatMap((key) => /^facet:page=(\d+)$/.exec(key)?.[1] ?? []);
      expect(pages.map(Number)).toEqual([...Array(55).keys(), 70, 71, 72, 73, 74]);
    }
    expect(notes).toEqual([expect.stringMatching(/^d has 75 values of page: the summary shows the 60 /)]);
  });

  it("is replaced by a requested metric with its own score field", () => {
    const rows = [makeRow({ ...row(1, 1, { subject: "law" }), scores: { f1: 1, em: 0 } })];
    expect(summarize(rows, [new MeanScore()], CONTEXT).summary.s?.["facet:subject=law"]).toBe(1);
    const { summary, notes } = summarize(rows, [new FacetBreakdown({ scoreField: "em" })], CONTEXT);
    expect(summary.s?.["facet:subject=law"]).toBe(0);
    expect(notes).toEqual([]);
  });

  it("declares the keys that it produces", () => {
    const rows = [row(1, 1, { depth: 0, length: 5 }), row(2, 0, { depth: 1, length: 5 }), row(3, 1, null)];
    const known = listSummaryKeys([], { trials: 1, datasets: ["d"], facets: rows });
    const keys = Object.keys(new FacetBreakdown().compute(rows));
    expect(keys).toHaveLength(5);
    for (const key of keys) expect(known.has(key) && known.has(`${key}_ci_low`)).toBe(true);
  });
});
