import { useCallback, useMemo } from "preact/hooks";
import type { PassCurve } from "../../../../src/report/dashboard/contract.js";
import { BottomAxis, LeftAxis } from "../axes/draw.js";
import { ChartFrame } from "../frame/frame.js";
import type { LegendEntry } from "../frame/legend.js";
import { Plot } from "../plot/plot.js";
import { buildShapePath } from "../plot/shapes.js";
import type { ChartProps } from "../props.js";
import { assignSystemLooks, type SeriesLook } from "../series.js";
import { computePassCurvesLayout, type PlacedCurve } from "./layout.js";
import { buildPassCurveTable, CURVE_NAMES, describePassCurves } from "./words.js";

interface PassCurvesChartProps extends ChartProps {
  data: readonly PassCurve[];
}

interface PassCurvesPlotProps extends Pick<PassCurvesChartProps, "data" | "onPick"> {
  width: number;
  words: string;
  series: (name: string) => SeriesLook;
}

/** With more systems than this, only the curve that is pointed at shows its band. */
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
