import type { CostSpeedChart, CostSpeedPoint } from "../../../../src/report/dashboard/contract.js";
import { type Axis, logAxis } from "../axes/axis.js";
import type { Area } from "../axes/draw.js";
import { dollarsTick, secondsTick } from "../axes/ticks.js";
import { areaIn, heightFor } from "../layout.js";
import type { Mark } from "../plot/mark.js";
import { costAxis } from "../scatter/cost-axis.js";
import { stepPath } from "../scatter/front.js";
import { type Label, labelsFor } from "../scatter/labels.js";
import type { ScatterPoint } from "../scatter/points.js";
import type { Series } from "../series.js";
import { factsOf } from "./words.js";

/** Everything of the chart in pixels. */
export interface CostSpeedLayout {
  height: number;
  area: Area;
  x: Axis;
  y: Axis;
  points: readonly ScatterPoint[];
  labels: readonly Label[];
  step: string;
  marks: readonly Mark[];
}

/** A system that has both: only these can be drawn. */
export type Placed = CostSpeedPoint & { costPerPassUsd: number; secondsPerPass: number };

export function isPlaced(point: CostSpeedPoint): point is Placed {
  return point.leftOut === null && point.costPerPassUsd !== null && point.secondsPerPass !== null;
}

/** The area of a mark tells the success rate; even the smallest can be seen and hit. */
export function markArea(passRate: number | null): number {
  return 30 + 270 * Math.min(Math.max(passRate ?? 0, 0), 1);
}

/** Places all systems that have a cost and a time of a pass. */
export function layoutCostSpeed(
  { points, front }: CostSpeedChart,
  width: number,
  lookOf: (point: CostSpeedPoint) => Series,
): CostSpeedLayout {
  const placed = points
    .filter(isPlaced)
    .sort((a, b) => a.costPerPassUsd - b.costPerPassUsd || a.secondsPerPass - b.secondsPerPass);
  const { height, area, x, y } = axesFor(placed, width);
  const drawn = placed.map(
    (point): ScatterPoint => ({
      name: point.system,
      x: x.place(point.costPerPassUsd),
      y: y.place(point.secondsPerPass),
      area: markArea(point.passRate),
      look: lookOf(point),
      isDominated: point.dominatedBy.length > 0,
      whisker: null,
    }),
  );
  return { height, area, x, y, points: drawn, ...around({ placed, drawn, front, area }) };
}

function axesFor(placed: readonly Placed[], width: number) {
  const height = heightFor(width);
  const area = areaIn(width, height, 62);
  return {
    height,
    area,
    x: costAxis(
      placed.map(({ costPerPassUsd }) => costPerPassUsd),
      area,
      dollarsTick,
    ),
    y: logAxis({
      values: placed.map(({ secondsPerPass }) => secondsPerPass),
      reach: [area.bottom, area.top],
      text: secondsTick,
      count: 6,
    }),
  };
}

interface Around {
  placed: readonly Placed[];
  drawn: readonly ScatterPoint[];
  front: readonly string[];
  area: Area;
}

function around({ placed, drawn, front, area }: Around) {
  const byName = new Map(drawn.map((point) => [point.name, point]));
  const onFront = front.flatMap((name) => byName.get(name) ?? []);
  const frontFirst = [...drawn].sort((a, b) => Number(a.isDominated) - Number(b.isDominated));
  return {
    labels: labelsFor(
      frontFirst.map((point) => ({ ...point, size: Math.sqrt(point.area) / 2 + 1 })),
      area,
    ),
    step: stepPath(onFront, area.right),
    marks: placed.map(
      (point, index): Mark => ({
        id: point.system,
        series: point.system,
        x: drawn[index]?.x ?? 0,
        y: drawn[index]?.y ?? 0,
        ...factsOf(point),
        picked: { system: point.system },
      }),
    ),
  };
}
