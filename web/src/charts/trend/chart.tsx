import { useCallback, useMemo } from "preact/hooks";
import type { CardFigure, RunCard } from "../../../../src/report/dashboard/contract.js";
import { BottomAxis, LeftAxis } from "../axes/draw.js";
import { ChartFrame } from "../frame/frame.js";
import type { LegendEntry } from "../frame/legend.js";
import { Plot } from "../plot/plot.js";
import { buildShapePath } from "../plot/shapes.js";
import type { ChartProps } from "../props.js";
import { buildWhiskerPath } from "../scatter/points.js";
import { assignSystemLooks, type SeriesLook } from "../series.js";
import { computeTrendLayout, type PlacedTrendLine, type PlacedTrendPoint } from "./layout.js";
import { buildTrendLines, hasTrendValue, type TrendLine } from "./series.js";
import { buildTrendTable, describeTrend, listTrendNotes } from "./words.js";

interface TrendChartProps extends ChartProps {
  runs: readonly RunCard[];
  figure: CardFigure;
}

interface TrendPlotProps extends Pick<TrendChartProps, "figure" | "onPick"> {
  lines: readonly TrendLine[];
  width: number;
  title: string;
  words: string;
  series: (name: string) => SeriesLook;
}

/** With more lines than this, bands would hide each other: then only the line that is pointed at shows its own. */
const MAX_TREND_BANDS = 3;

/**
 * One figure of each system over runs.
 * @example
 * <TrendChart runs={runs} figure="pass_rate" title="Success rate" onPick={({ run = "" }) => navigate(["run", run])} />
 */
export function TrendChart({ runs, figure, title = "Trend", systems, onPick }: TrendChartProps) {
  const lines = useMemo(() => buildTrendLines(runs, figure), [runs, figure]);
  const series = useMemo(
    () =>
      assignSystemLooks(
        systems,
        lines.map(({ system }) => system),
      ),
    [lines, systems],
  );
  const words = describeTrend(lines, figure);
  const legend = lines.map(({ system }): LegendEntry => ({ name: system, glyph: { kind: "line", ...series(system) } }));
  return (
    <ChartFrame
      title={title}
      words={words}
      table={() => buildTrendTable(lines, figure)}
      legend={legend}
      notes={listTrendNotes(lines, runs)}
    >
      {!lines.some(hasTrendValue)
        ? null
        : (width) => (
            <TrendPlot
              lines={lines}
              figure={figure}
              width={width}
              title={title}
              words={words}
              series={series}
              onPick={onPick}
            />
          )}
    </ChartFrame>
  );
}

function TrendPlot({ lines, figure, width, title, words, series, onPick }: TrendPlotProps) {
  const layout = useMemo(() => computeTrendLayout(lines, figure, width), [lines, figure, width]);
  const { height, area, x, y } = layout;
  const drawing = useCallback(
    (active: string | null) => (
      <>
        <LeftAxis axis={y} area={area} label={`↑ ${title.toLowerCase()}`} zeroLabel="0" />
        <BottomAxis axis={x} area={area} label="time of the run →" />
        {layout.lines.map((line) => (
          <TrendLineShape
            key={line.system}
            line={line}
            look={series(line.system)}
            active={active}
            count={layout.lines.length}
          />
        ))}
      </>
    ),
    [layout, series, title],
  );
  return (
    <Plot
      width={width}
      height={height}
      label={`${title}. ${words}`}
      marks={layout.marks}
      onPick={onPick}
      draw={drawing}
    />
  );
}

interface TrendLineShapeProps {
  line: PlacedTrendLine;
  look: SeriesLook;
  active: string | null;
  count: number;
}

function TrendLineShape({ line: { system, path, band, spots }, look, active, count }: TrendLineShapeProps) {
  const isActive = active === system;
  const hasIntervals = isActive || count <= MAX_TREND_BANDS;
  return (
    <g class={active === null || isActive ? undefined : "behind"}>
      {hasIntervals && <path class="band" d={band} fill={look.color} />}
      <path class="curve" d={path} stroke={look.color} />
      {spots.map((spot, index) => (
        <TrendMark key={index} spot={spot} look={look} isSmall={spots.length > 60} hasWhisker={hasIntervals} />
      ))}
    </g>
  );
}

interface TrendMarkProps {
  spot: PlacedTrendPoint;
  look: SeriesLook;
  isSmall: boolean;
  hasWhisker: boolean;
}

function TrendMark({ spot: { x, y, isBlank, whisker }, look, isSmall, hasWhisker }: TrendMarkProps) {
  return (
    <>
      {hasWhisker && whisker !== null && <path class="whisker" d={buildWhiskerPath(x, whisker)} stroke={look.color} />}
      <path
        class={isBlank ? "mark hollow" : "mark"}
        transform={`translate(${x},${y})`}
        d={buildShapePath(look.shape, isSmall ? 20 : 44)}
        fill={isBlank ? "var(--ground)" : look.color}
        stroke={look.color}
      />
    </>
  );
}
