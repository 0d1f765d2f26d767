import type {
  QualityCostChart as QualityCostData,
  QualityCostPoint,
} from "../../../../src/report/dashboard/contract.js";
import { type Axis, createLinearAxis } from "../axes/axis.js";
import type { PlotArea } from "../axes/draw.js";
import { formatNumberTick, type TickFormatter } from "../axes/ticks.js";
import { computeChartHeight, computePlotArea } from "../layout.js";
import { formatNameList } from "../names.js";
import type { Mark } from "../plot/mark.js";
import { createCostAxis } from "../scatter/cost-axis.js";
import { buildHullPath, buildStepPath, type HullMember } from "../scatter/front.js";
import { type PlacedLabel, placeLabels } from "../scatter/labels.js";
import type { ScatterPoint } from "../scatter/points.js";
import type { SeriesLook } from "../series.js";
import { type CostUnitWords, getCostUnitWords } from "./units.js";
import { describeQualityCostPoint } from "./words.js";

/** Everything of the chart in pixels. */
export interface QualityCostLayout {
  height: number;
  area: PlotArea;
  x: Axis;
  y: Axis;
  points: readonly ScatterPoint[];
  labels: readonly PlacedLabel[];
  step: string;
  hull: string;
  marks: readonly Mark[];
}

/** A system that has both: only these can be drawn. */
export type PlacedQualityCostPoint = QualityCostPoint & { cost: number; quality: number };

export function hasCostAndQuality(point: QualityCostPoint): point is PlacedQualityCostPoint {
  return point.cost !== null && point.quality !== null;
}

/** Half of the extent of a mark, for its label. */
const MARK_RADIUS = 6;

/** Places all systems whose quality and cost are known. */
export function computeQualityCostLayout(
  { points, front, hull, costUnit }: QualityCostData,
  width: number,
  getLook: (point: QualityCostPoint) => SeriesLook,
): QualityCostLayout {
  const placed = points.filter(hasCostAndQuality).sort((a, b) => a.cost - b.cost || a.quality - b.quality);
  const units = getCostUnitWords({ costUnit });
  const { height, area, x, y } = createQualityCostAxes(placed, width, units.tick);
  const drawn = placed.map((point) => placeQualityCostPoint(point, { x, y, look: getLook(point) }));
  const onFront = findHullMembers(front, placed);
  return {
    height,
    area,
    x,
    y,
    points: drawn,
    labels: placeLabels(
      sortFrontFirst(drawn).map(({ name, x: left, y: top }) => ({
        name,
        x: left,
        y: top,
        size: MARK_RADIUS,
        ...buildDominatedNote(name, placed),
      })),
      area,
    ),
    step: buildStepPath(
      onFront.map(({ cost, quality }) => ({ x: x.toPixel(cost), y: y.toPixel(quality) })),
      area.right,
    ),
    hull: buildHullPath(findHullMembers(hull, placed), x, y),
    marks: placed.map((point, index) => createQualityCostMark(point, drawn[index], units)),
  };
}

function createQualityCostAxes(placed: readonly PlacedQualityCostPoint[], width: number, tick: TickFormatter) {
  const height = computeChartHeight(width);
  const area = computePlotArea(width, height);
  const qualities = placed.flatMap(({ quality, low, high }) => [quality, low, high]);
  return {
    height,
    area,
    x: createCostAxis(
      placed.map(({ cost }) => cost),
      area,
      tick,
    ),
    y: createLinearAxis({
      values: qualities,
      range: [area.bottom, area.top],
      text: formatNumberTick,
      count: 5,
      within: [0, 1],
    }),
  };
}

interface PointAxes {
  x: Axis;
  y: Axis;
  look: SeriesLook;
}

function placeQualityCostPoint(
  { system, cost, quality, low, high, dominatedBy }: PlacedQualityCostPoint,
  { x, y, look }: PointAxes,
): ScatterPoint {
  return {
    name: system,
    x: x.toPixel(cost),
    y: y.toPixel(quality),
    area: 80,
    look,
    isDominated: dominatedBy.length > 0,
    whisker: low === null || high === null ? null : { low: y.toPixel(low), high: y.toPixel(high) },
  };
}

function findHullMembers(names: readonly string[], placed: readonly PlacedQualityCostPoint[]): HullMember[] {
  const byName = new Map(placed.map((point) => [point.system, point]));
  return names.flatMap((name) => {
    const point = byName.get(name);
    return point === undefined ? [] : [{ cost: point.cost, quality: point.quality }];
  });
}

/** Who dominates a system stands beside its name, because a picture has no tooltip. */
function buildDominatedNote(name: string, placed: readonly PlacedQualityCostPoint[]): { note?: string } {
  const { dominatedBy = [] } = placed.find(({ system }) => system === name) ?? {};
  return dominatedBy.length === 0 ? {} : { note: `(dominated by ${formatNameList(dominatedBy, 2)})` };
}

/** Those on the front are named first when names are crowded. */
function sortFrontFirst(points: readonly ScatterPoint[]): ScatterPoint[] {
  return [...points].sort((a, b) => Number(a.isDominated) - Number(b.isDominated));
}

function createQualityCostMark(
  point: PlacedQualityCostPoint,
  drawn: ScatterPoint | undefined,
  units: CostUnitWords,
): Mark {
  const { system } = point;
  return {
    id: system,
    series: system,
    x: drawn?.x ?? 0,
    y: drawn?.y ?? 0,
    ...describeQualityCostPoint(point, units),
    selection: { system },
  };
}
