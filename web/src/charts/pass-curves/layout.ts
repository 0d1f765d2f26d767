import { area as areaShape, line as lineShape } from "d3-shape";
import type { PassCurve, PassCurveChartPoint } from "../../../../src/report/dashboard/contract.js";
import { type Axis, createLinearAxis } from "../axes/axis.js";
import type { PlotArea } from "../axes/draw.js";
import { formatShareTick } from "../axes/ticks.js";
import { computeChartHeight, computePlotArea, computeTickCount } from "../layout.js";
import type { Mark } from "../plot/mark.js";
import { type CurveKind, describeCurvePoint, getCurveValue } from "./words.js";

export interface PlacedCurve {
  readonly system: string;
  readonly kind: CurveKind;
  readonly path: string;
  readonly band: string;
  readonly spots: readonly { readonly x: number; readonly y: number }[];
}

export interface PassCurvesLayout {
  height: number;
  area: PlotArea;
  x: Axis;
  y: Axis;
  curves: readonly PlacedCurve[];
  marks: readonly Mark[];
}

const CURVE_KINDS: readonly CurveKind[] = ["passAt", "passHat"];

/** Places both curves of every system. */
export function computePassCurvesLayout(curves: readonly PassCurve[], width: number): PassCurvesLayout {
  const height = computeChartHeight(width);
  const area = computePlotArea(width, height);
  const ks = curves.flatMap(({ points }) => points.map(({ k }) => k));
  const x = createWholeNumberAxis(ks, area);
  const y = createLinearAxis({ values: [0, 1], range: [area.bottom, area.top], text: formatShareTick, count: 5 });
  const drawn = curves.flatMap((curve) => CURVE_KINDS.map((kind) => placeCurve(curve, kind, { x, y })));
  const marks = curves.flatMap((curve) => CURVE_KINDS.flatMap((kind) => createCurveMarks(curve, kind, { x, y })));
  return { height, area, x, y, curves: drawn, marks };
}

/** k is a whole number, and so are all ticks; the first and the last keep off the edges. */
function createWholeNumberAxis(ks: readonly number[], { left, right }: PlotArea): Axis {
  const [least, most] = [Math.min(...ks, 1), Math.max(...ks, 1)];
  const step = Math.max(1, Math.ceil((most - least + 1) / computeTickCount({ left, right, top: 0, bottom: 0 }, 40)));
  const spread = most - least;
  const place = (k: number) =>
    spread === 0 ? (left + right) / 2 : left + 16 + ((k - least) / spread) * (right - left - 32);
  const ticks = Array.from({ length: Math.floor(spread / step) + 1 }, (_, index) => least + index * step);
  return { zeroPosition: null, toPixel: place, ticks: ticks.map((k) => ({ at: place(k), text: String(k) })) };
}

interface CurveAxes {
  x: Axis;
  y: Axis;
}

function placeCurve({ system, points }: PassCurve, kind: CurveKind, { x, y }: CurveAxes): PlacedCurve {
  const across = ({ k }: PassCurveChartPoint) => x.toPixel(k);
  const at = (part: "value" | "low" | "high") => (point: PassCurveChartPoint) =>
    y.toPixel(getCurveValue(point, kind)[part] ?? 0);
  const known = points.filter((point) => point[kind] !== null);
  const band = areaShape(across, at("low"), at("high"))
    .defined((point) => getCurveValue(point, kind).low !== null && getCurveValue(point, kind).high !== null)
    .digits(1);
  return {
    system,
    kind,
    path: lineShape(across, at("value")).digits(1)(known) ?? "",
    band: band(known) ?? "",
    spots: known.map((point) => ({ x: across(point), y: at("value")(point) })),
  };
}

function createCurveMarks({ system, points }: PassCurve, kind: CurveKind, { x, y }: CurveAxes): Mark[] {
  return points.flatMap((point): Mark[] => {
    const { value } = getCurveValue(point, kind);
    if (value === null) return [];
    const place = { x: x.toPixel(point.k), y: y.toPixel(value) };
    const id = JSON.stringify([system, kind, point.k]);
    return [
      {
        id,
        series: JSON.stringify([system, kind]),
        ...place,
        ...describeCurvePoint(system, point, kind),
        selection: { system },
      },
    ];
  });
}
