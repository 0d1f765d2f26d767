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
import {
  computeLabelsHeight,
  fitLineLabels,
  LineLabels,
  measureLabelMargin,
  type PlacedLineLabel,
  placeLineLabels,
} from "./line-labels.js";
import { assignSystemLooks, buildShapePath, type SeriesLook } from "./looks.js";
import { formatName, shortenName, shortenSystemNames } from "./names.js";
import { type ChartProps, type Mark, Plot, type TooltipFact } from "./plot.js";

interface PassCurvesChartProps extends ChartProps {
  data: readonly PassCurve[];
  /** Called when the name of a system is pressed: shows only that system, or all again. */
  onIsolate?: ((system: string) => void) | undefined;
}

interface PassCurvesPlotProps extends Pick<PassCurvesChartProps, "data" | "onPick" | "onIsolate"> {
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
export function PassCurvesChart({
  data,
  title = "pass@k and pass^k",
  systems,
  onPick,
  onIsolate,
}: PassCurvesChartProps) {
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
    <ChartFrame title={title} words={words} table={() => buildPassCurveTable(data)} legend={CURVE_LEGEND}>
      {data.some(({ points }) => points.some(({ passAt, passHat }) => passAt !== null || passHat !== null))
        ? (width) => (
            <PassCurvesPlot
              data={data}
              width={width}
              words={`${title}. ${words}`}
              series={series}
              onPick={onPick}
              onIsolate={onIsolate}
            />
          )
        : null}
    </ChartFrame>
  );
}

/** Systems have their names at the ends of their curves. */
const CURVE_LEGEND: readonly LegendEntry[] = [
  { name: "pass@k: at least one of k passes", glyph: { kind: "line", color: "var(--quiet)" } },
  { name: "pass^k: all of k pass", glyph: { kind: "line", color: "var(--quiet)", isDashed: true } },
];

function PassCurvesPlot({ data, width, words, series, onPick, onIsolate }: PassCurvesPlotProps) {
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
        <LineLabels
          labels={layout.labels}
          getLook={series}
          active={layout.marks.find((mark) => mark.series === active)?.selection?.system ?? null}
          onIsolate={onIsolate}
        />
      </>
    ),
    [layout, series, data, onIsolate],
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
  labels: readonly PlacedLineLabel[];
  marks: readonly Mark[];
}

const CURVE_KINDS: readonly CurveKind[] = ["passAt", "passHat"];

export function computePassCurvesLayout(curves: readonly PassCurve[], width: number): PassCurvesLayout {
  const outside = computePlotArea(width, 0);
  const height = Math.max(computeChartHeight(width), computeLabelsHeight(curves.length) + outside.top - outside.bottom);
  const names = curves.map(({ system }) => system);
  const texts = fitLineLabels(names.map(shortenSystemNames(names)), width);
  const area = { ...computePlotArea(width, height), right: width - measureLabelMargin(texts) };
  const ks = curves.flatMap(({ points }) => points.map(({ k }) => k));
  const x = createWholeNumberAxis(ks, area);
  const y = createLinearAxis({ values: [0, 1], range: [area.bottom, area.top], text: formatShareTick, count: 5 });
  const drawn = curves.flatMap((curve) => CURVE_KINDS.map((kind) => placeCurve(curve, kind, { x, y })));
  const marks = curves.flatMap((curve) => CURVE_KINDS.flatMap((kind) => createCurveMarks(curve, kind, { x, y })));
  const ends = curves.flatMap(({ system }, index) => {
    const spots = drawn.filter((curve) => curve.system === system).flatMap((curve) => curve.spots.at(-1) ?? []);
    const [end] = spots;
    return end === undefined ? [] : [{ name: system, text: texts[index] ?? system, x: end.x, y: end.y }];
  });
  return { height, area, x, y, curves: drawn, labels: placeLineLabels(ends, area), marks };
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
  if (drawn.length === 0) return "Nothing to show: no trial was scored as pass or fail.";
  if (most === 1)
    return "Each example was tried once, so pass@1 and pass^1 both equal the pass rate. More trials show how reliable a system is.";
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
    `${shortenName(system)} passes at least 1 of ${last.k} trials on ${formatShare(last.passAt)} of tasks and all ${last.k} on ${formatShare(last.passHat)}`,
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
