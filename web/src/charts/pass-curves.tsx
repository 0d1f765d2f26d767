import { area as areaShape, line as lineShape } from "d3-shape";
import { useCallback, useMemo } from "preact/hooks";
import type { PassCurve, PassCurveChartPoint } from "../../../src/report/dashboard/contract.js";
import { formatInterval, formatPlural, formatShare } from "../ui/index.js";
import {
  type Axis,
  BottomAxis,
  computeChartHeight,
  computePlotArea,
  computeTickCount,
  createLinearAxis,
  formatShareTick,
  LeftAxis,
  type PlotArea,
} from "./axes.js";
import { ChartFrame, type ChartTableData, type LegendEntry } from "./frame.js";
import { assignSystemLooks, buildShapePath, type SeriesLook } from "./looks.js";
import { formatName, shortenName } from "./names.js";
import { type ChartProps, type Mark, Plot, type TooltipFact } from "./plot.js";

interface PassCurvesChartProps extends ChartProps {
  data: readonly PassCurve[];
}

interface PassCurvesPlotProps extends Pick<PassCurvesChartProps, "data" | "onPick"> {
  width: number;
  words: string;
  series: (name: string) => SeriesLook;
}

/** With more systems, only the highlighted curve shows its band. */
const MAX_CURVE_BANDS = 3;

/**
 * pass@k and pass^k of each system for every k.
 * @example
 * <PassCurvesChart data={run.charts.passCurves} onPick={({ system }) => navigate(["run", id], { system })} />
 */
export function PassCurvesChart({ data, title = "pass@k and pass^k", systems, onPick }: PassCurvesChartProps) {
  const words = describePassCurves(data);
  const series = useMemo(
    () =>
      assignSystemLooks(
        systems,
        data.map(({ system }) => system),
      ),
    [data, systems],
  );
  return (
    <ChartFrame
      title={title}
      words={words}
      table={() => buildPassCurveTable(data)}
      legend={buildPassCurveLegend(data, series)}
    >
      {data.some(({ points }) => points.some(({ passAt, passHat }) => passAt !== null || passHat !== null))
        ? (width) => (
            <PassCurvesPlot data={data} width={width} words={`${title}. ${words}`} series={series} onPick={onPick} />
          )
        : null}
    </ChartFrame>
  );
}

function buildPassCurveLegend(data: readonly PassCurve[], series: (name: string) => SeriesLook): LegendEntry[] {
  return [
    ...data.map(({ system }): LegendEntry => ({ name: system, glyph: { kind: "line", ...series(system) } })),
    { name: `${CURVE_NAMES.passAt}: at least one of k passes`, glyph: { kind: "line", color: "var(--quiet)" } },
    { name: `${CURVE_NAMES.passHat}: all of k pass`, glyph: { kind: "line", color: "var(--quiet)", isDashed: true } },
  ];
}

function PassCurvesPlot({ data, width, words, series, onPick }: PassCurvesPlotProps) {
  const layout = useMemo(() => computePassCurvesLayout(data, width), [data, width]);
  const { height, area, x, y } = layout;
  const drawing = useCallback(
    (active: string | null) => (
      <>
        <LeftAxis axis={y} area={area} label="↑ share of tasks" />
        <BottomAxis axis={x} area={area} label="trials (k) →" />
        {layout.curves.map((curve) => {
          const name = JSON.stringify([curve.system, curve.kind]);
          const hasBand = active === name || data.length <= MAX_CURVE_BANDS;
          const isBehind = active !== null && active !== name;
          return (
            <PassCurveShape
              key={name}
              curve={curve}
              look={series(curve.system)}
              hasBand={hasBand}
              isBehind={isBehind}
            />
          );
        })}
      </>
    ),
    [layout, series, data],
  );
  return <Plot width={width} height={height} label={words} marks={layout.marks} onPick={onPick} draw={drawing} />;
}

interface PassCurveShapeProps {
  curve: PlacedCurve;
  look: SeriesLook;
  hasBand: boolean;
  isBehind: boolean;
}

function PassCurveShape({ curve: { kind, path, band, spots }, look, hasBand, isBehind }: PassCurveShapeProps) {
  const isHat = kind === "passHat";
  return (
    <g class={isBehind ? "behind" : undefined}>
      {hasBand && <path class="band" d={band} fill={look.color} />}
      <path class={isHat ? "curve dashed" : "curve"} d={path} stroke={look.color} />
      {spots.map(({ x, y }) => (
        <path
          key={x}
          class={isHat ? "mark hollow" : "mark"}
          transform={`translate(${x},${y})`}
          d={buildShapePath(look.shape, 44)}
          fill={isHat ? "var(--ground)" : look.color}
          stroke={look.color}
        />
      ))}
    </g>
  );
}

interface PlacedCurve {
  readonly system: string;
  readonly kind: CurveKind;
  readonly path: string;
  readonly band: string;
  readonly spots: readonly { readonly x: number; readonly y: number }[];
}

interface PassCurvesLayout {
  height: number;
  area: PlotArea;
  x: Axis;
  y: Axis;
  curves: readonly PlacedCurve[];
  marks: readonly Mark[];
}

const CURVE_KINDS: readonly CurveKind[] = ["passAt", "passHat"];

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

/** k is a whole number, and so are its ticks; the first and the last keep away from the edges. */
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

/** pass@k: at least one of k trials passes. pass^k: all of them do. */
type CurveKind = "passAt" | "passHat";

const CURVE_NAMES: Readonly<Record<CurveKind, string>> = { passAt: "pass@k", passHat: "pass^k" };

function getCurveValue(
  point: PassCurveChartPoint,
  kind: CurveKind,
): { value: number | null; low: number | null; high: number | null } {
  return { value: point[kind], low: point[`${kind}Low`], high: point[`${kind}High`] };
}

function describeCurvePoint(
  system: string,
  point: PassCurveChartPoint,
  kind: CurveKind,
): { title: string; facts: TooltipFact[] } {
  const meaning = kind === "passAt" ? "at least one passes" : "all pass";
  return {
    title: formatName(system),
    facts: [
      [`${kind === "passAt" ? "pass@" : "pass^"}${point.k}`, formatInterval(getCurveValue(point, kind), formatShare)],
      ["Of", `${formatPlural(point.k, "trial")}, ${meaning}`],
      ["Tasks", String(point.n)],
    ],
  };
}

/** What the chart shows, or why it is empty. */
export function describePassCurves(curves: readonly PassCurve[]): string {
  const drawn = curves.filter(({ points }) => points.some(hasPassValue));
  const most = Math.max(0, ...drawn.flatMap(({ points }) => points.filter(hasPassValue).map(({ k }) => k)));
  if (drawn.length === 0) return "There is nothing to draw: no trial was scored as pass or fail.";
  if (most === 1)
    return "Each example was tried once, so that pass@1 and pass^1 are both the pass rate. More trials show how dependable a system is.";
  const sentences = drawn.slice(0, 3).flatMap((curve) => describeLastPoint(curve));
  const more = drawn.length > 3 ? `; ${drawn.length - 3} more in the table` : "";
  return `${sentences.join("; ")}${more}. The wider the gap between the two curves, the less a single trial can be relied on.`;
}

function hasPassValue({ passAt, passHat }: PassCurveChartPoint): boolean {
  return passAt !== null || passHat !== null;
}

function describeLastPoint({ system, points }: PassCurve): string[] {
  const last = points.filter(hasPassValue).at(-1);
  if (last === undefined) return [];
  return [
    `${shortenName(system)} passes at least once in ${last.k} for ${formatShare(last.passAt)} of tasks and every time for ${formatShare(last.passHat)}`,
  ];
}

function buildPassCurveTable(curves: readonly PassCurve[]): ChartTableData {
  return {
    columns: ["System", "k", "pass@k", "from", "to", "pass^k", "from ", "to ", "Tasks"],
    rows: curves.flatMap(({ system, points }) =>
      points.map((point) => [
        formatName(system),
        String(point.k),
        ...[point.passAt, point.passAtLow, point.passAtHigh, point.passHat, point.passHatLow, point.passHatHigh].map(
          formatShare,
        ),
        String(point.n),
      ]),
    ),
  };
}
