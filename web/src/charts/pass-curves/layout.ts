import { area as areaShape, line as lineShape } from "d3-shape";
import type { PassCurve, PassCurveChartPoint } from "../../../../src/report/dashboard/contract.js";
import { type Axis, linearAxis } from "../axes/axis.js";
import type { Area } from "../axes/draw.js";
import { shareTick } from "../axes/ticks.js";
import { areaIn, heightFor, ticksAcross } from "../layout.js";
import type { Mark } from "../plot/mark.js";
import { type CurveKind, factsOf, valueAt } from "./words.js";

export interface DrawnCurve {
  readonly system: string;
  readonly kind: CurveKind;
  readonly path: string;
  readonly band: string;
  readonly spots: readonly { readonly x: number; readonly y: number }[];
}

export interface PassCurvesLayout {
  height: number;
  area: Area;
  x: Axis;
  y: Axis;
  curves: readonly DrawnCurve[];
  marks: readonly Mark[];
}

const KINDS: readonly CurveKind[] = ["passAt", "passHat"];

/** Places both curves of every system. */
export function layoutPassCurves(curves: readonly PassCurve[], width: number): PassCurvesLayout {
  const height = heightFor(width);
  const area = areaIn(width, height);
  const ks = curves.flatMap(({ points }) => points.map(({ k }) => k));
  const x = wholeAxis(ks, area);
  const y = linearAxis({ values: [0, 1], reach: [area.bottom, area.top], text: shareTick, count: 5 });
  const drawn = curves.flatMap((curve) => KINDS.map((kind) => drawCurve(curve, kind, { x, y })));
  const marks = curves.flatMap((curve) => KINDS.flatMap((kind) => marksOf(curve, kind, { x, y })));
  return { height, area, x, y, curves: drawn, marks };
}

/** k is a whole number, and so are all ticks; the first and the last keep off the edges. */
function wholeAxis(ks: readonly number[], { left, right }: Area): Axis {
  const [least, most] = [Math.min(...ks, 1), Math.max(...ks, 1)];
  const step = Math.max(1, Math.ceil((most - least + 1) / ticksAcross({ left, right, top: 0, bottom: 0 }, 40)));
  const spread = most - least;
  const place = (k: number) =>
    spread === 0 ? (left + right) / 2 : left + 16 + ((k - least) / spread) * (right - left - 32);
  const ticks = Array.from({ length: Math.floor(spread / step) + 1 }, (_, index) => least + index * step);
  return { lane: null, place, ticks: ticks.map((k) => ({ at: place(k), text: String(k) })) };
}

interface Axes {
  x: Axis;
  y: Axis;
}

function drawCurve({ system, points }: PassCurve, kind: CurveKind, { x, y }: Axes): DrawnCurve {
  const across = ({ k }: PassCurveChartPoint) => x.place(k);
  const at = (part: "value" | "low" | "high") => (point: PassCurveChartPoint) =>
    y.place(valueAt(point, kind)[part] ?? 0);
  const known = points.filter((point) => point[kind] !== null);
  const band = areaShape(across, at("low"), at("high"))
    .defined((point) => valueAt(point, kind).low !== null && valueAt(point, kind).high !== null)
    .digits(1);
  return {
    system,
    kind,
    path: lineShape(across, at("value")).digits(1)(known) ?? "",
    band: band(known) ?? "",
    spots: known.map((point) => ({ x: across(point), y: at("value")(point) })),
  };
}

function marksOf({ system, points }: PassCurve, kind: CurveKind, { x, y }: Axes): Mark[] {
  return points.flatMap((point): Mark[] => {
    const { value } = valueAt(point, kind);
    if (value === null) return [];
    const place = { x: x.place(point.k), y: y.place(value) };
    const id = JSON.stringify([system, kind, point.k]);
    return [
      { id, series: JSON.stringify([system, kind]), ...place, ...factsOf(system, point, kind), picked: { system } },
    ];
  });
}
