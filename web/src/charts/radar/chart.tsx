import { useMemo } from "preact/hooks";
import type { RadarChart as RadarData } from "../../../../src/report/dashboard/contract.js";
import { BottomAxis } from "../axes/draw.js";
import { BarNames } from "../bars/names.js";
import { ChartFrame } from "../frame/frame.js";
import { Plot } from "../plot/plot.js";
import { buildShapePath } from "../plot/shapes.js";
import { ARIA_HIDDEN } from "../plot/unheard.js";
import type { ChartProps } from "../props.js";
import { assignSystemLooks, type SeriesLook } from "../series.js";
import { computeSpeedBars } from "./bars.js";
import { computeRadarLayout } from "./layout.js";
import { buildRadarTable, canDrawRadar, describeRadar, isMeasuredSpoke, listRadarNotes } from "./words.js";

interface SpeedRadarProps extends ChartProps {
  data: RadarData;
}

interface SpeedPlotProps extends Pick<SpeedRadarProps, "data" | "onPick"> {
  width: number;
  words: string;
  series: (name: string) => SeriesLook;
}

/**
 * The median time to success of each system, on spokes for three to twelve systems, else as bars.
 * @example
 * <SpeedRadar data={run.charts.radar} onPick={({ system }) => navigate(["run", id], { system })} />
 */
export function SpeedRadar({ data, title = "Speed Radar", systems, onPick }: SpeedRadarProps) {
  const words = describeRadar(data);
  const series = useMemo(
    () =>
      assignSystemLooks(
        systems,
        data.spokes.map(({ system }) => system),
      ),
    [data, systems],
  );
  const Drawn = canDrawRadar(data) ? RadarPlot : SpeedBarsPlot;
  return (
    <ChartFrame title={title} words={words} table={() => buildRadarTable(data)} notes={listRadarNotes(data)}>
      {data.spokes.some(isMeasuredSpoke)
        ? (width) => <Drawn data={data} width={width} words={`${title}. ${words}`} series={series} onPick={onPick} />
        : null}
    </ChartFrame>
  );
}

function RadarPlot({ data, width, words, series, onPick }: SpeedPlotProps) {
  const layout = useMemo(() => computeRadarLayout(data, width), [data, width]);
  const { height, middle, marks } = layout;
  const drawing = useMemo(
    () => (
      <>
        <g class="axis" {...ARIA_HIDDEN}>
          {layout.spokes.map(({ system, x, y }) => (
            <line key={system} class="grid" x1={middle.x} y1={middle.y} x2={x} y2={y} />
          ))}
          {layout.rings.map(({ radius, text }) => (
            <g key={radius}>
              <circle class="grid" cx={middle.x} cy={middle.y} r={radius} />
              <text x={middle.x + 4} y={middle.y - radius + 13}>
                {text}
              </text>
            </g>
          ))}
        </g>
        <path class="outline" d={layout.outline} />
        {layout.points.map(({ system, x, y, isClipped }) => (
          <RadarMark key={system} x={x} y={y} isClipped={isClipped} look={series(system)} />
        ))}
        <g class="names" {...ARIA_HIDDEN}>
          {layout.names.map(({ system, text, x, y, anchor }) => (
            <text key={system} x={x} y={y} text-anchor={anchor}>
              {text}
            </text>
          ))}
        </g>
      </>
    ),
    [layout, series],
  );
  return (
    <Plot width={width} height={height} label={words} marks={marks} onPick={onPick}>
      {drawing}
    </Plot>
  );
}

function RadarMark({ x, y, isClipped, look }: { x: number; y: number; isClipped: boolean; look: SeriesLook }) {
  return (
    <path
      class={isClipped ? "mark hollow" : "mark"}
      transform={`translate(${x},${y})`}
      d={buildShapePath(look.shape, 80)}
      fill={isClipped ? "var(--ground)" : look.color}
      stroke={look.color}
    />
  );
}

function SpeedBarsPlot({ data, width, words, series, onPick }: SpeedPlotProps) {
  const { rows, x, bars, marks } = useMemo(() => computeSpeedBars(data, width), [data, width]);
  const drawing = useMemo(
    () => (
      <>
        <BottomAxis axis={x} area={rows} label="median time to success →" />
        <BarNames rows={rows} />
        {bars.map(({ system, box, isClipped }) => (
          <g key={system}>
            <rect {...box} fill={series(system).color} />
            {isClipped && (
              <path class="cut" d={`M${box.x + box.width - 10},${box.y + box.height + 3}l6,${-box.height - 6}`} />
            )}
          </g>
        ))}
      </>
    ),
    [rows, x, bars, series],
  );
  return (
    <Plot width={width} height={rows.height} label={words} marks={marks} onPick={onPick}>
      {drawing}
    </Plot>
  );
}
