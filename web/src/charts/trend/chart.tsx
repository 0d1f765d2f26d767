import { useCallback, useMemo } from "preact/hooks";
import type { CardFigure, RunCard } from "../../../../src/report/dashboard/contract.js";
import { AxisBelow, AxisLeft } from "../axes/draw.js";
import { ChartFrame } from "../frame/frame.js";
import type { LegendEntry } from "../frame/legend.js";
import { Plot } from "../plot/plot.js";
import { shapePath } from "../plot/shapes.js";
import type { ChartProps } from "../props.js";
import { whiskerPath } from "../scatter/points.js";
import { looksOf, type Series } from "../series.js";
import { type DrawnLine, layoutTrend, type TrendSpot } from "./layout.js";
import { hasValue, type TrendLine, trendLines } from "./series.js";
import { trendNotes, trendTable, trendWords } from "./words.js";

interface Props extends ChartProps {
  runs: readonly RunCard[];
  figure: CardFigure;
}

interface DrawnProps extends Pick<Props, "figure" | "onPick"> {
  lines: readonly TrendLine[];
  width: number;
  title: string;
  words: string;
  series: (name: string) => Series;
}

/** With more lines than this, bands would hide each other: then only the line that is pointed at shows its own. */
const MOST_BANDS = 3;

/**
 * One figure of each system over runs.
 * @example
 * <TrendChart runs={runs} figure="pass_rate" title="Success rate" onPick={({ run = "" }) => goTo(["run", run])} />
 */
export function TrendChart({ runs, figure, title = "Trend", systems, onPick }: Props) {
  const lines = useMemo(() => trendLines(runs, figure), [runs, figure]);
  const series = useMemo(
    () =>
      looksOf(
        systems,
        lines.map(({ system }) => system),
      ),
    [lines, systems],
  );
  const words = trendWords(lines, figure);
  const legend = lines.map(({ system }): LegendEntry => ({ name: system, glyph: { kind: "line", ...series(system) } }));
  return (
    <ChartFrame
      title={title}
      words={words}
      table={() => trendTable(lines, figure)}
      legend={legend}
      notes={trendNotes(lines, runs)}
    >
      {!lines.some(hasValue)
        ? null
        : (width) => (
            <Drawn
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

function Drawn({ lines, figure, width, title, words, series, onPick }: DrawnProps) {
  const layout = useMemo(() => layoutTrend(lines, figure, width), [lines, figure, width]);
  const { height, area, x, y } = layout;
  const drawing = useCallback(
    (active: string | null) => (
      <>
        <AxisLeft axis={y} area={area} label={`↑ ${title.toLowerCase()}`} lane="0" />
        <AxisBelow axis={x} area={area} label="time of the run →" />
        {layout.lines.map((line) => (
          <Line key={line.system} line={line} look={series(line.system)} active={active} count={layout.lines.length} />
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

interface LineProps {
  line: DrawnLine;
  look: Series;
  active: string | null;
  count: number;
}

function Line({ line: { system, path, band, spots }, look, active, count }: LineProps) {
  const isActive = active === system;
  const hasIntervals = isActive || count <= MOST_BANDS;
  return (
    <g class={active === null || isActive ? undefined : "behind"}>
      {hasIntervals && <path class="band" d={band} fill={look.colour} />}
      <path class="curve" d={path} stroke={look.colour} />
      {spots.map((spot, index) => (
        <Run key={index} spot={spot} look={look} isSmall={spots.length > 60} hasWhisker={hasIntervals} />
      ))}
    </g>
  );
}

interface RunProps {
  spot: TrendSpot;
  look: Series;
  isSmall: boolean;
  hasWhisker: boolean;
}

function Run({ spot: { x, y, isBlank, whisker }, look, isSmall, hasWhisker }: RunProps) {
  return (
    <>
      {hasWhisker && whisker !== null && <path class="whisker" d={whiskerPath(x, whisker)} stroke={look.colour} />}
      <path
        class={isBlank ? "mark hollow" : "mark"}
        transform={`translate(${x},${y})`}
        d={shapePath(look.shape, isSmall ? 20 : 44)}
        fill={isBlank ? "var(--ground)" : look.colour}
        stroke={look.colour}
      />
    </>
  );
}
