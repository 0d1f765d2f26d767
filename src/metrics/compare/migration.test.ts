import { describe, expect, it } from "vitest";
import { type EvalRow, makeRow, type RowInit } from "../../core/row.js";
import { holm, nonInferiorityTest } from "../../stats/index.js";
import { judgeCandidates } from "./migration.js";

/** One task per entry, with the results of its trials. */
function rows(system: string, results: readonly (boolean | readonly boolean[])[], fields: Partial<RowInit> = {}) {
  return results.flatMap((trials, exampleId) =>
    [trials]
      .flat()
      .map(
        (passed, trial): EvalRow =>
          makeRow({ system, exampleId, trial, dataset: "d", outcome: passed ? "pass" : "fail", ...fields }),
      ),
  );
}

/** `passes` of n tasks pass, the last ones fail. */
const results = (n: number, passes: number) => Array.from({ length: n }, (_, i) => i < passes);

const judgeOne = (from: EvalRow[], to: EvalRow[], margin = 0.05) => {
  const [found] = judgeCandidates([{ system: "new", from, to }], { margin });
  if (found === undefined) throw new Error("no verdict");
  return found;
};

describe("judgeCandidates", () => {
  it("calls a candidate non-inferior, inferior or undecided", () => {
    const old = rows("old", results(200, 180));
    expect(judgeOne(old, rows("new", results(200, 181)))).toMatchObject({
      verdict: "non-inferior",
      moreExamples: null,
    });
    expect(judgeOne(old, rows("new", results(200, 140)))).toMatchObject({ verdict: "inferior", moreExamples: null });
    const open = judgeOne(old, rows("new", results(200, 174)));
    expect(open).toMatchObject({ verdict: "undecided", quality: { method: "tango", n: 200 } });
    expect(open.quality.difference).toBeCloseTo(-0.03, 12);
    expect(open.moreExamples).toBeGreaterThan(50);
    expect(open.quality.low).toBeLessThan(-0.05);
    expect(open.quality.high).toBeGreaterThan(-0.05);
  });

  it("says why nothing can be decided", () => {
    const none = judgeOne(rows("old", [true, false]), []);
    expect(none).toMatchObject({ verdict: "undecided", moreExamples: null, reason: "no example was scored with both" });
    const even = judgeOne(rows("old", results(20, 20)), rows("new", results(20, 19)));
    expect(even).toMatchObject({ verdict: "undecided", moreExamples: null });
    expect(even.reason).toMatch(/too close to the margin/);
  });

  it("corrects over the candidates", () => {
    const old = results(300, 270);
    const from = rows("old", old);
    const tests = [268, 266, 200].map((passes) =>
      nonInferiorityTest(old.map(Number), results(300, passes).map(Number), { margin: 0.05, isBinary: true }),
    );
    const found = judgeCandidates(
      [268, 266, 200].map((passes, i) => ({ system: `new-${i}`, from, to: rows(`new-${i}`, results(300, passes)) })),
      { margin: 0.05 },
    );
    const expected = holm(tests.map(({ pNonInferior }) => pNonInferior ?? 1));
    expect(found.map(({ quality }) => quality.adjustedPNonInferior)).toEqual(expected);
    expect(found.map(({ verdict }) => verdict)).toEqual(["non-inferior", "non-inferior", "inferior"]);
  });

  it("tests task means with several trials, and compares pass^k", () => {
    const from = rows("old", [
      [true, true],
      [true, false],
      [true, true],
      [false, false],
    ]);
    const to = rows("new", [
      [true, true],
      [true, true],
      [true, false],
      [false, false],
    ]);
    const found = judgeOne(from, to);
    expect(found.quality).toMatchObject({ method: "t", n: 4, from: 0.625, to: 0.625, difference: 0 });
    expect(found.differences.find(({ metric }) => metric === "pass_hat_2")).toMatchObject({
      from: 0.5,
      to: 0.5,
      difference: 0,
      n: 4,
    });
  });

  it("compares cost per pass and latency on the shared tasks", () => {
    const from = rows("old", results(40, 20), { costUsd: 0.02, latency: 2 });
    const to = rows("new", results(40, 40), { costUsd: 0.01, latency: 1 });
    const { differences } = judgeOne(from, to);
    const [cost, latency] = differences;
    expect(cost).toMatchObject({ metric: "cost_per_pass_usd", n: 40 });
    expect(cost?.from).toBeCloseTo(0.04, 12);
    expect(cost?.to).toBeCloseTo(0.01, 12);
    expect(cost?.low).toBeLessThan(-0.03);
    expect(cost?.high).toBeGreaterThan(-0.03);
    expect(latency).toMatchObject({ metric: "latency_p95", from: 2, to: 1, difference: -1, low: -1, high: -1 });
  });

  it("gives a reason instead of a cost that is unknown, or of a rate without passes", () => {
    const [unknown] = judgeOne(rows("old", results(4, 2)), rows("new", results(4, 2))).differences;
    expect(unknown).toMatchObject({ difference: null, reason: "the cost of a trial is unknown" });
    const [replayed] = judgeOne(rows("old", results(4, 2)), rows("new", results(4, 2), { costUsd: 1 })).differences;
    expect(replayed).toMatchObject({ from: null, to: 2, difference: null, reason: "the cost of a trial is unknown" });
    const [never] = judgeOne(
      rows("old", results(4, 2), { costUsd: 1 }),
      rows("new", results(4, 0), { costUsd: 1 }),
    ).differences;
    expect(never).toMatchObject({ from: 2, to: null, difference: null, reason: "no trial passed" });
  });

  it("resamples whole groups", () => {
    const grouped = (system: string, passes: number) =>
      rows(system, results(40, passes), { costUsd: 0.01 }).map((row) => ({ ...row, group: Number(row.exampleId) % 4 }));
    const found = judgeOne(grouped("old", 30), grouped("new", 28));
    expect(found.quality).toMatchObject({ method: "t", groups: 4 });
    expect(found.differences[0]?.low).not.toBeNull();
  });

  it("lists the examples that flipped, and counts those without a score from both", () => {
    const from = rows("old", [true, false, true, true]);
    const to = [
      ...rows("new", [false, true, true]),
      makeRow({ system: "new", exampleId: 3, dataset: "d", outcome: "error" }),
    ];
    const { flips, unpaired } = judgeOne(from, to);
    expect(flips.toFail.map(({ exampleId }) => exampleId)).toEqual([0]);
    expect(flips.toPass.map(({ exampleId }) => exampleId)).toEqual([1]);
    expect(unpaired).toBe(1);
  });
});
