import { useMemo } from "preact/hooks";
import type { LatencySpread } from "../../../../src/report/dashboard/contract.js";
import { BottomAxis } from "../axes/draw.js";
import { BarNames } from "../bars/names.js";
import { ChartFrame } from "../frame/frame.js";
import type { LegendEntry } from "../frame/legend.js";
import { Plot } from "../plot/plot.js";
import type { ChartProps } from "../props.js";
import { assignSystemLooks, type SeriesLook } from "../series.js";
import { computeLatencyLayout, type PlacedSpread } from "./layout.js";
import {
  buildLatencyTable,
  describeLatencies,
  isMeasuredSpread,
  listLatencyNotes,
  type MeasuredSpread,
} from "./words.js";

interface LatencyChartProps extends ChartProps {
  data: readonly LatencySpread[];
}

interface LatencyPlotProps extends Pick<LatencyChartProps, "onPick"> {
  spreads: readonly MeasuredSpread[];
  width: number;
  words: string;
  series: (name: string) => SeriesLook;
}

const LATENCY_LEGEND: readonly LegendEntry[] = [
  { name: "median", glyph: { kind: "line", color: "var(--text)" } },
  { name: "p95", glyph: { kind: "line", color: "var(--text)", isDashed: true } },
];

/**
 * How long the trials of each system took.
 * @example
 * <LatencyChart data={run.charts.latencies} onPick={({ system }) => navigate(["run", id], { system })} />
 */
export function LatencyChart({ data, title = "Latency", systems, onPick }: LatencyChartProps) {
  const words = describeLatencies(data);
  const spreads = useMemo(() => data.filter(isMeasuredSpread), [data]);
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
      table={() => buildLatencyTable(data)}
      legend={LATENCY_LEGEND}
      notes={listLatencyNotes(data)}
    >
      {spreads.length === 0
        ? null
        : (width) => (
            <LatencyPlot spreads={spreads} width={width} words={`${title}. ${words}`} series={series} onPick={onPick} />
          )}
    </ChartFrame>
  );
}

function LatencyPlot({ spreads, width, words, series, onPick }: LatencyPlotProps) {
  const layout = useMemo(() => computeLatencyLayout(spreads, width), [spreads, width]);
  const { rows, x, marks } = layout;
  const drawing = useMemo(
    () => (
      <>
        <BottomAxis axis={x} area={rows} label="seconds of a trial, each row to its own height →" zeroLabel="0 s" />
        {layout.spreads.map((spread) => (
          <SpreadShape
            key={spread.system}
            spread={spread}
            color={series(spread.system).color}
            right={rows.right}
            left={rows.left}
          />
        ))}
        <BarNames rows={rows} />
      </>
    ),
    [layout, series],
  );
  return (
    <Plot width={width} height={rows.height} label={words} marks={marks} onPick={onPick}>
      {drawing}
    </Plot>
  );
}

interface SpreadShapeProps {
  spread: PlacedSpread;
  color: string;
  left: number;
  right: number;
}

function SpreadShape({ spread: { path, base, top, p50, p95 }, color, left, right }: SpreadShapeProps) {
  return (
    <g>
      <line class="foot" x1={left} x2={right} y1={base} y2={base} />
      <path class="spread" d={path} fill={color} stroke={color} />
      <line class="quantile" x1={p50} x2={p50} y1={top - 2} y2={base} />
      <line class="quantile dashed" x1={p95} x2={p95} y1={top - 2} y2={base} />
    </g>
  );
}
