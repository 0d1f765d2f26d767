import { expect, test } from "vitest";
import type { HeatMap } from "../../../src/report/dashboard/contract.js";
import { computeColorDomain, computeHeatMapLayout, groupHeatMaps } from "./heat-map.js";

function createMap(system: string, mean: number, dataset = "needle"): HeatMap {
  const cells = [{ x: 0, y: 0, mean, n: 4 }];
  return { system, dataset, xField: "length", yField: "depth", xs: [1000, 2000], ys: [0, 0.5, 1], cells };
}

test("systems of one dataset share a chart and its colors", () => {
  const maps = [createMap("a", 0.5), createMap("a", 0.5, "nolima"), createMap("b", 4)];
  expect(groupHeatMaps(maps).map((group) => group.map(({ system }) => system))).toEqual([["a", "b"], ["a"]]);
  expect(groupHeatMaps(maps).map(computeColorDomain)).toEqual([
    [0.5, 4],
    [0, 1],
  ]);
});

test("maps of several systems stand side by side where there is room, and below each other where not", () => {
  const maps = ["a", "b", "c"].map((system) => createMap(system, 0.5));
  const wide = computeHeatMapLayout(maps, 1100);
  expect(new Set(wide.names.map(({ y }) => y)).size).toBe(1);
  const narrow = computeHeatMapLayout(maps, 360);
  expect(new Set(narrow.names.map(({ x }) => x))).toEqual(new Set([0]));
  for (const { cells, height, marks } of [wide, narrow]) {
    expect(cells).toHaveLength(18);
    expect(new Set(marks.map(({ id }) => id)).size).toBe(18);
    for (const { box } of cells) expect(box.y + box.height).toBeLessThanOrEqual(height);
  }
});
