import { useCallback, useMemo } from "preact/hooks";
import type { PassCurve } from "../../../../src/report/dashboard/contract.js";
import { AxisBelow, AxisLeft } from "../axes/draw.js";
import { ChartFrame } from "../frame/frame.js";
import type { LegendEntry } from "../frame/legend.js";
import { Plot } from "../plot/plot.js";
import { shapePath } from "../plot/shapes.js";
import type { ChartProps } from "../props.js";
import { looksOf, type Series } from "../series.js";
import { type DrawnCurve, layoutPassCurves } from "./layout.js";
import { CURVE_NAMES, passCurveTable, passCurveWords } from "./words.js";

interface Props extends ChartProps {
  data: readonly PassCurve[];
}

interface DrawnProps extends Pick<Props, "data" | "onPick"> {
  width: number;
  words: string;
  series: (name: string) => Series;
}

/** With more systems than this, only the curve that is pointed at shows its band. */
const MOST_BANDS = 3;

/**
 * pass@k and pass^k of each system for every k.
 * @example
 * <PassCurvesChart data={run.charts.passCurves} onPick={({ system }) => goTo(["run", id], { system })} />
 */
export function PassCurvesChart({ data, title = "pass@k and pass^k", systems, onPick }: Props) {
  const words = passCurveWords(data);
  const series = useMemo(
    () =>
      looksOf(
        systems,
        data.map(({ system }) => system),
      ),
    [data, systems],
  );
  return (
    <ChartFrame title={title} words={words} table={() => passCurveTable(data)} legend={legendOf(data, series)}>
      {data.some(({ points }) => points.some(({ passAt, passHat }) => passAt !== null || passHat !== null))
        ? (width) => <Drawn data={data} width={width} words={`${title}. ${words}`} series={series} onPick={onPick} />
        : null}
    </ChartFrame>
  );
}

function legendOf(data: readonly PassCurve[], series: (name: string) => Series): LegendEntry[] {
  return [
    ...data.map(({ system }): LegendEntry => ({ name: system, glyph: { kind: "line", ...series(system) } })),
    { name: `${CURVE_NAMES.passAt}: at least one of k passes`, glyph: { kind: "line", colour: "var(--quiet)" } },
    { name: `${CURVE_NAMES.passHat}: all of k pass`, glyph: { kind: "line", colour: "var(--quiet)", isDashed: true } },
  ];
}

function Drawn({ data, width, words, series, onPick }: DrawnProps) {
  const layout = useMemo(() => layoutPassCurves(data, width), [data, width]);
  const { height, area, x, y } = layout;
  const drawing = useCallback(
    (active: string | null) => (
      <>
        <AxisLeft axis={y} area={area} label="↑ share of tasks" />
        <AxisBelow axis={x} area={area} label="trials (k) →" />
        {layout.curves.map((curve) => {
          const name = JSON.stringify([curve.system, curve.kind]);
          const hasBand = active === name || data.length <= MOST_BANDS;
          const isBehind = active !== null && active !== name;
          return <Curve key={name} curve={curve} look={series(curve.system)} hasBand={hasBand} isBehind={isBehind} />;
        })}
      </>
    ),
    [layout, series, data],
  );
  return <Plot width={width} height={height} label={words} marks={layout.marks} onPick={onPick} draw={drawing} />;
}

interface CurveProps {
  curve: DrawnCurve;
  look: Series;
  hasBand: boolean;
  isBehind: boolean;
}

function Curve({ curve: { kind, path, band, spots }, look, hasBand, isBehind }: CurveProps) {
  const isHat = kind === "passHat";
  return (
    <g class={isBehind ? "behind" : undefined}>
      {hasBand && <path class="band" d={band} fill={look.colour} />}
      <path class={isHat ? "curve dashed" : "curve"} d={path} stroke={look.colour} />
      {spots.map(({ x, y }) => (
        <path
          key={x}
          class={isHat ? "mark hollow" : "mark"}
          transform={`translate(${x},${y})`}
          d={shapePath(look.shape, 44)}
          fill={isHat ? "var(--ground)" : look.colour}
          stroke={look.colour}
        />
      ))}
    </g>
  );
}
