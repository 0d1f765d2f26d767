import type { EvalResult } from "../../../core/result.js";
import type { FacetValue } from "../../../core/row.js";
import { getOwn } from "../../../core/shape.js";
import { CELL_FACETS } from "../../../metrics/index.js";
import { buildFacetLayouts, type FacetEntry, type FacetLayout } from "../../facets.js";
import { createFigureReader, getDatasetLabel } from "../cards.js";

import type { HeatMap } from "../contract.js";

const [DOWN, ACROSS] = CELL_FACETS;

/** One map for each system and dataset whose examples have a depth and a length. */
export function buildHeatMaps(result: Pick<EvalResult, "rows" | "config" | "summary">): HeatMap[] {
  const { config, summary } = result;
  const layouts = buildFacetLayouts(result).filter(({ cells }) => cells.length > 0);
  return layouts.flatMap((layout) => {
    const axes = findHeatMapAxes(layout);
    const dataset = layout.dataset ?? getDatasetLabel(config.datasets[0]?.name ?? "");
    return config.systems.map((system) => {
      const figure = createFigureReader(getOwn(summary, system) ?? {});
      const cells = axes.cells.map(({ x, y, key }) => ({ x, y, mean: figure(key), n: figure(`${key}_n`) ?? 0 }));
      return { system, dataset, xField: ACROSS, yField: DOWN, xs: axes.xs, ys: axes.ys, cells };
    });
  });
}

interface HeatMapAxes {
  xs: FacetValue[];
  ys: FacetValue[];
  cells: { x: number; y: number; key: string }[];
}

function findHeatMapAxes({ byField, cells }: FacetLayout): HeatMapAxes {
  const [xs, ys] = [byField.get(ACROSS) ?? [], byField.get(DOWN) ?? []];
  const [placeX, placeY] = [indexFacetValues(xs), indexFacetValues(ys)];
  return {
    xs: xs.map(({ value }) => value),
    ys: ys.map(({ value }) => value),
    cells: cells.flatMap(({ depth, length, key }) => {
      const [x, y] = [placeX.get(String(length)), placeY.get(String(depth))];
      return x === undefined || y === undefined ? [] : [{ x, y, key }];
    }),
  };
}

/** By text, as the breakdown compares values. */
function indexFacetValues(entries: readonly FacetEntry[]): Map<string, number> {
  return new Map(entries.map(({ value }, place) => [String(value), place]));
}
