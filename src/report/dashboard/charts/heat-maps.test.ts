import { describe, expect, it } from "vitest";
import type { DatasetConfig, EvalConfig } from "../../../core/result.js";
import { type EvalRow, makeRow } from "../../../core/row.js";
import { summarize } from "../../../metrics/index.js";
import { buildHeatMaps } from "./run-charts.js";

const dataset = (name: string): DatasetConfig => ({
  name,
  examples: 1,
  fingerprint: "",
  tags: [name],
  primaryField: "score",
  evaluators: {},
});

function mapsOf(rows: EvalRow[], datasets = ["needle"]) {
  const { summary } = summarize(rows, [], { scoreField: "score", threshold: 0.7, seed: 0, datasets });
  const config = { systems: ["a", "b"], datasets: datasets.map(dataset) } as unknown as EvalConfig;
  return buildHeatMaps({ rows, summary, config });
}

let nextId = 0;
const needle = (depth: number, length: string | number, score: number, rest: object = {}) =>
  makeRow({
    system: "a",
    exampleId: nextId++,
    dataset: "needle",
    outcome: "pass",
    scores: { score },
    primaryField: "score",
    facets: { depth, length },
    ...rest,
  });

describe("buildHeatMaps", () => {
  it("puts depths down, lengths across in order, and the mean in each cell", () => {
    const [map, other] = mapsOf([
      needle(0.5, 10_000, 0),
      needle(0.5, 2000, 1),
      needle(0.5, 2000, 0.5),
      needle(0, 2000, 1),
      needle(0, 2000, 0.25, { system: "b" }),
    ]);
    expect(map).toEqual({
      system: "a",
      dataset: "needle",
      xField: "length",
      yField: "depth",
      xs: [2000, 10_000],
      ys: [0, 0.5],
      cells: [
        { x: 0, y: 0, mean: 1, n: 1 },
        { x: 0, y: 1, mean: 0.75, n: 2 },
        { x: 1, y: 1, mean: 0, n: 1 },
      ],
    });
    expect(other?.cells).toEqual([
      { x: 0, y: 0, mean: 0.25, n: 1 },
      { x: 0, y: 1, mean: null, n: 0 },
      { x: 1, y: 1, mean: null, n: 0 },
    ]);
  });

  it("builds a separate map for each dataset", () => {
    const rows = [needle(0, 1, 1), needle(1, 5, 0, { dataset: "nolima" })];
    const maps = mapsOf(rows, ["needle", "nolima"]);
    expect(maps.map(({ system, dataset: name, xs }) => [system, name, xs])).toEqual([
      ["a", "needle", [1]],
      ["b", "needle", [1]],
      ["a", "nolima", [5]],
      ["b", "nolima", [5]],
    ]);
  });

  it("builds none without a depth and a length", () => {
    expect(mapsOf([needle(0, 1, 1, { facets: { depth: 0.5 } }), needle(0, 1, 1, { facets: null })])).toEqual([]);
  });
});
