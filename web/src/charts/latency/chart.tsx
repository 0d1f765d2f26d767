import { useMemo } from "preact/hooks";
import type { LatencySpread } from "../../../../src/report/dashboard/contract.js";
import { AxisBelow } from "../axes/draw.js";
import { RowNames } from "../bars/names.js";
import { ChartFrame } from "../frame/frame.js";
import type { LegendEntry } from "../frame/legend.js";
import { Plot } from "../plot/plot.js";
import type { ChartProps } from "../props.js";
import { looksOf, type Series } from "../series.js";
import { type DrawnSpread, layoutLatency } from "./layout.js";
import { isKnown, type KnownSpread, latencyNotes, latencyTable, latencyWords } from "./words.js";

interface Props extends ChartProps {
  data: readonly LatencySpread[];
}

interface DrawnProps extends Pick<Props, "onPick"> {
  spreads: readonly KnownSpread[];
  width: number;
  words: string;
  series: (name: string) => Series;
}

const LEGEND: readonly LegendEntry[] = [
  { name: "median", glyph: { kind: "line", colour: "var(--text)" } },
  { name: "p95", glyph: { kind: "line", colour: "var(--text)", isDashed: true } },
];

/**
 * How long the trials of each system took.
 * @example
 * <LatencyChart data={run.charts.latencies} onPick={({ system }) => goTo(["run", id], { system })} />
 */
export function LatencyChart({ data, title = "Latency", systems, onPick }: Props) {
  const words = latencyWords(data);
  const spreads = useMemo(() => data.filter(isKnown), [data]);
  const series = useMemo(
    () =>
      looksOf(
        systems,
        data.map(({ system }) => system),
      ),
    [data, systems],
  );
  return (
    <ChartFrame title={title} words={words} table={() => latencyTable(data)} legend={LEGEND} notes={latencyNotes(data)}>
      {spreads.length === 0
        ? null
        : (width) => (
            <Drawn spreads={spreads} width={width} words={`${title}. ${words}`} series={series} onPick={onPick} />
          )}
    </ChartFrame>
  );
}

function Drawn({ spreads, width, words, series, onPick }: DrawnProps) {
  const layout = useMemo(() => layoutLatency(spreads, width), [spreads, width]);
  const { rows, x, marks } = layout;
  const drawing = useMemo(
    () => (
      <>
        <AxisBelow axis={x} area={rows} label="seconds of a trial, each row to its own height →" lane="0 s" />
        {layout.spreads.map((spread) => (
          <Spread
            key={spread.system}
            spread={spread}
            colour={series(spread.system).colour}
            right={rows.right}
            left={rows.left}
          />
        ))}
        <RowNames rows={rows} />
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

interface SpreadProps {
  spread: DrawnSpread;
  colour: string;
  left: number;
  right: number;
}

function Spread({ spread: { path, base, top, p50, p95 }, colour, left, right }: SpreadProps) {
  return (
    <g>
      <line class="foot" x1={left} x2={right} y1={base} y2={base} />
      <path class="spread" d={path} fill={colour} stroke={colour} />
      <line class="quantile" x1={p50} x2={p50} y1={top - 2} y2={base} />
      <line class="quantile dashed" x1={p95} x2={p95} y1={top - 2} y2={base} />
    </g>
  );
}
