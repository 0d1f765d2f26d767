import { useMemo } from "preact/hooks";
import type { RadarChart as RadarData } from "../../../../src/report/dashboard/contract.js";
import { AxisBelow } from "../axes/draw.js";
import { RowNames } from "../bars/names.js";
import { ChartFrame } from "../frame/frame.js";
import { Plot } from "../plot/plot.js";
import { shapePath } from "../plot/shapes.js";
import { UNHEARD } from "../plot/unheard.js";
import type { ChartProps } from "../props.js";
import { looksOf, type Series } from "../series.js";
import { layoutSpeedBars } from "./bars.js";
import { layoutRadar } from "./layout.js";
import { isMeasured, isRadar, radarNotes, radarTable, radarWords } from "./words.js";

interface Props extends ChartProps {
  data: RadarData;
}

interface DrawnProps extends Pick<Props, "data" | "onPick"> {
  width: number;
  words: string;
  series: (name: string) => Series;
}

/**
 * The median time to success of each system, on spokes for three to twelve systems, else as bars.
 * @example
 * <SpeedRadar data={run.charts.radar} onPick={({ system }) => goTo(["run", id], { system })} />
 */
export function SpeedRadar({ data, title = "Speed Radar", systems, onPick }: Props) {
  const words = radarWords(data);
  const series = useMemo(
    () =>
      looksOf(
        systems,
        data.spokes.map(({ system }) => system),
      ),
    [data, systems],
  );
  const Drawn = isRadar(data) ? Radar : Bars;
  return (
    <ChartFrame title={title} words={words} table={() => radarTable(data)} notes={radarNotes(data)}>
      {data.spokes.some(isMeasured)
        ? (width) => <Drawn data={data} width={width} words={`${title}. ${words}`} series={series} onPick={onPick} />
        : null}
    </ChartFrame>
  );
}

function Radar({ data, width, words, series, onPick }: DrawnProps) {
  const layout = useMemo(() => layoutRadar(data, width), [data, width]);
  const { height, middle, marks } = layout;
  const drawing = useMemo(
    () => (
      <>
        <g class="axis" {...UNHEARD}>
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
          <Spot key={system} x={x} y={y} isClipped={isClipped} look={series(system)} />
        ))}
        <g class="names" {...UNHEARD}>
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

function Spot({ x, y, isClipped, look }: { x: number; y: number; isClipped: boolean; look: Series }) {
  return (
    <path
      class={isClipped ? "mark hollow" : "mark"}
      transform={`translate(${x},${y})`}
      d={shapePath(look.shape, 80)}
      fill={isClipped ? "var(--ground)" : look.colour}
      stroke={look.colour}
    />
  );
}

function Bars({ data, width, words, series, onPick }: DrawnProps) {
  const { rows, x, bars, marks } = useMemo(() => layoutSpeedBars(data, width), [data, width]);
  const drawing = useMemo(
    () => (
      <>
        <AxisBelow axis={x} area={rows} label="median time to success →" />
        <RowNames rows={rows} />
        {bars.map(({ system, box, isClipped }) => (
          <g key={system}>
            <rect {...box} fill={series(system).colour} />
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
