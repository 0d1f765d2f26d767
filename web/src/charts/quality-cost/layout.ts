import type { QualityCostChart, QualityCostPoint } from "../../../../src/report/dashboard/contract.js";
import { type Axis, linearAxis } from "../axes/axis.js";
import type { Area } from "../axes/draw.js";
import { numberTick, type TickText } from "../axes/ticks.js";
import { areaIn, heightFor } from "../layout.js";
import { listed } from "../names.js";
import type { Mark } from "../plot/mark.js";
import { costAxis } from "../scatter/cost-axis.js";
import { type HullMember, hullPath, stepPath } from "../scatter/front.js";
import { type Label, labelsFor } from "../scatter/labels.js";
import type { ScatterPoint } from "../scatter/points.js";
import type { Series } from "../series.js";
import { type CostWords, costWords } from "./units.js";
import { factsOf } from "./words.js";

/** Everything of the chart in pixels. */
export interface QualityCostLayout {
  height: number;
  area: Area;
  x: Axis;
  y: Axis;
  points: readonly ScatterPoint[];
  labels: readonly Label[];
  step: string;
  hull: string;
  marks: readonly Mark[];
}

/** A system that has both: only these can be drawn. */
export type Placed = QualityCostPoint & { cost: number; quality: number };

export function isPlaced(point: QualityCostPoint): point is Placed {
  return point.cost !== null && point.quality !== null;
}

/** Half of the extent of a mark, for its label. */
const SIZE = 6;

/** Places all systems whose quality and cost are known. */
export function layoutQualityCost(
  { points, front, hull, costUnit }: QualityCostChart,
  width: number,
  lookOf: (point: QualityCostPoint) => Series,
): QualityCostLayout {
  const placed = points.filter(isPlaced).sort((a, b) => a.cost - b.cost || a.quality - b.quality);
  const units = costWords({ costUnit });
  const { height, area, x, y } = axesFor(placed, width, units.tick);
  const drawn = placed.map((point) => pointAt(point, { x, y, look: lookOf(point) }));
  const onFront = membersOf(front, placed);
  return {
    height,
    area,
    x,
    y,
    points: drawn,
    labels: labelsFor(
      frontFirst(drawn).map(({ name, x: left, y: top }) => ({
        name,
        x: left,
        y: top,
        size: SIZE,
        ...noteOn(name, placed),
      })),
      area,
    ),
    step: stepPath(
      onFront.map(({ cost, quality }) => ({ x: x.place(cost), y: y.place(quality) })),
      area.right,
    ),
    hull: hullPath(membersOf(hull, placed), x, y),
    marks: placed.map((point, index) => markOf(point, drawn[index], units)),
  };
}

function axesFor(placed: readonly Placed[], width: number, tick: TickText) {
  const height = heightFor(width);
  const area = areaIn(width, height);
  const qualities = placed.flatMap(({ quality, low, high }) => [quality, low, high]);
  return {
    height,
    area,
    x: costAxis(
      placed.map(({ cost }) => cost),
      area,
      tick,
    ),
    y: linearAxis({ values: qualities, reach: [area.bottom, area.top], text: numberTick, count: 5, within: [0, 1] }),
  };
}

interface Drawing {
  x: Axis;
  y: Axis;
  look: Series;
}

function pointAt({ system, cost, quality, low, high, dominatedBy }: Placed, { x, y, look }: Drawing): ScatterPoint {
  return {
    name: system,
    x: x.place(cost),
    y: y.place(quality),
    area: 80,
    look,
    isDominated: dominatedBy.length > 0,
    whisker: low === null || high === null ? null : { low: y.place(low), high: y.place(high) },
  };
}

function membersOf(names: readonly string[], placed: readonly Placed[]): HullMember[] {
  const byName = new Map(placed.map((point) => [point.system, point]));
  return names.flatMap((name) => {
    const point = byName.get(name);
    return point === undefined ? [] : [{ cost: point.cost, quality: point.quality }];
  });
}

/** Who dominates a system stands beside its name, because a picture has no tooltip. */
function noteOn(name: string, placed: readonly Placed[]): { note?: string } {
  const { dominatedBy = [] } = placed.find(({ system }) => system === name) ?? {};
  return dominatedBy.length === 0 ? {} : { note: `(dominated by ${listed(dominatedBy, 2)})` };
}

/** Those on the front are named first when names are crowded. */
function frontFirst(points: readonly ScatterPoint[]): ScatterPoint[] {
  return [...points].sort((a, b) => Number(a.isDominated) - Number(b.isDominated));
}

function markOf(point: Placed, drawn: ScatterPoint | undefined, units: CostWords): Mark {
  const { system } = point;
  return {
    id: system,
    series: system,
    x: drawn?.x ?? 0,
    y: drawn?.y ?? 0,
    ...factsOf(point, units),
    picked: { system },
  };
}
