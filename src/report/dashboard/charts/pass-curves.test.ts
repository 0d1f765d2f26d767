import { describe, expect, it } from "vitest";
import { makeRow } from "../../../core/row.js";
import { summarize } from "../../../metrics/index.js";
import { createChartSystem } from "./chart-system.fixture.js";
import { buildPassCurves } from "./run-charts.js";

describe("buildPassCurves", () => {
  it("contains every k of the summary with its tasks and bounds", () => {
    // Three tasks of two trials that pass twice, once and never; one more with a single trial.
    const passes = [[1, 1], [1, 0], [0, 0], [1]];
    const rows = passes.flatMap((trials, exampleId) =>
      trials.map((pass, trial) =>
        makeRow({ system: "a", exampleId, trial, outcome: pass === 1 ? "pass" : "fail", passed: pass === 1 }),
      ),
    );
    const { summary } = summarize(rows, [], { scoreField: "score", threshold: 0.7, seed: 0 });
    const [curve] = buildPassCurves([createChartSystem("a", { summary: summary.a ?? {} })]);
    expect(curve?.system).toBe("a");
    expect(curve?.points.map(({ k, n }) => [k, n])).toEqual([
      [1, 4],
      [2, 3],
    ]);
    expect(curve?.points[0]?.passAt).toBeCloseTo(2.5 / 4);
    expect(curve?.points[1]?.passAt).toBeCloseTo(2 / 3);
    expect(curve?.points[1]?.passHat).toBeCloseTo(1 / 3);
    const { passHatLow, passHatHigh } = curve?.points[1] ?? {};
    expect(passHatLow).toBeLessThan(1 / 3);
    expect(passHatHigh).toBeGreaterThan(1 / 3);
  });

  it("includes only systems with several trials", () => {
    expect(buildPassCurves([createChartSystem("a", { summary: { pass_rate: 1 } })])).toEqual([]);
  });
});
