import type { CostSpeedChart as CostSpeedData, CostSpeedPoint } from "../../../../src/report/dashboard/contract.js";
import { type Axis, createLogAxis } from "../axes/axis.js";
import type { PlotArea } from "../axes/draw.js";
import { formatDollarTick, formatSecondsTick } from "../axes/ticks.js";
import { computeChartHeight, computePlotArea } from "../layout.js";
import type { Mark } from "../plot/mark.js";
import { createCostAxis } from "../scatter/cost-axis.js";
import { buildStepPath } from "../scatter/front.js";
import { type PlacedLabel, placeLabels } from "../scatter/labels.js";
import type { ScatterPoint } from "../scatter/points.js";
import type { SeriesLook } from "../series.js";
import { describeCostSpeedPoint } from "./words.js";

/** Everything of the chart in pixels. */
export interface CostSpeedLayout {
  height: number;
  area: PlotArea;
  x: Axis;
  y: Axis;
  points: readonly ScatterPoint[];
  labels: readonly PlacedLabel[];
  step: string;
  marks: readonly Mark[];
}

/** A system that has both: only these can be drawn. */
export type PlacedCostSpeedPoint = CostSpeedPoint & { costPerPassUsd: number; secondsPerPass: number };

export function hasCostAndTime(point: CostSpeedPoint): point is PlacedCostSpeedPoint {
  return point.leftOut === null && point.costPerPassUsd !== null && point.secondsPerPass !== null;
}

/** The area of a mark tells the success rate; even the smallest can be seen and hit. */
export function computeMarkArea(passRate: number | null): number {
  return 30 + 270 * Math.min(Math.max(passRate ?? 0, 0), 1);
}

/** Places all systems that have a cost and a time of a pass. */
export function computeCostSpeedLayout(
  { points, front }: CostSpeedData,
  width: number,
  getLook: (point: CostSpeedPoint) => SeriesLook,
): CostSpeedLayout {
  const placed = points
    .filter(hasCostAndTime)
    .sort((a, b) => a.costPerPassUsd - b.costPerPassUsd || a.secondsPerPass - b.secondsPerPass);
  const { height, area, x, y } = createCostSpeedAxes(placed, width);
  const drawn = placed.map(
    (point): ScatterPoint => ({
      name: point.system,
      x: x.toPixel(point.costPerPassUsd),
      y: y.toPixel(point.secondsPerPass),
      area: computeMarkArea(point.passRate),
      look: getLook(point),
      isDominated: point.dominatedBy.length > 0,
      whisker: null,
    }),
  );
  return { height, area, x, y, points: drawn, ...buildLabelsAndMarks({ placed, drawn, front, area }) };
}

function createCostSpeedAxes(placed: readonly PlacedCostSpeedPoint[], width: number) {
  const height = computeChartHeight(width);
  const area = computePlotArea(width, height, 62);
  return {
    height,
    area,
    x: createCostAxis(
      placed.map(({ costPerPassUsd }) => costPerPassUsd),
      area,
      formatDollarTick,
    ),
    y: createLogAxis({
      values: placed.map(({ secondsPerPass }) => secondsPerPass),
      range: [area.bottom, area.top],
      text: formatSecondsTick,
      count: 6,
    }),
  };
}

interface PlacedSystems {
  placed: readonly PlacedCostSpeedPoint[];
  drawn: readonly ScatterPoint[];
  front: readonly string[];
  area: PlotArea;
}

function buildLabelsAndMarks({ placed, drawn, front, area }: PlacedSystems) {
  const byName = new Map(drawn.map((point) => [point.name, point]));
  const onFront = front.flatMap((name) => byName.get(name) ?? []);
  const frontFirst = [...drawn].sort((a, b) => Number(a.isDominated) - Number(b.isDominated));
  return {
    labels: placeLabels(
      frontFirst.map((point) => ({ ...point, size: Math.sqrt(point.area) / 2 + 1 })),
      area,
    ),
    step: buildStepPath(onFront, area.right),
    marks: placed.map(
      (point, index): Mark => ({
        id: point.system,
        series: point.system,
        x: drawn[index]?.x ?? 0,
        y: drawn[index]?.y ?? 0,
        ...describeCostSpeedPoint(point),
        selection: { system: point.system },
      }),
    ),
  };
}
