import { max } from "d3-array";
import { scaleLinear } from "d3-scale";
import { useMemo } from "preact/hooks";
import type { RadarChart as RadarData } from "../../../src/report/dashboard/contract.js";
import { formatSeconds } from "../ui/index.js";
import {
  ARIA_HIDDEN,
  type Axis,
  BottomAxis,
  computeTickCount,
  createLinearAxis,
  formatSecondsTick,
  listDurationTicks,
} from "./axes.js";
import { BarNames, type BarRows, computeBarRows } from "./bars.js";
import { ChartFrame, type ChartTableData } from "./frame.js";
import { assignSystemLooks, buildShapePath, type SeriesLook } from "./looks.js";
import { formatName, formatNameList, shortenName, truncateName } from "./names.js";
import { type Box, type ChartProps, type Mark, Plot } from "./plot.js";

interface SpeedRadarProps extends ChartProps {
  data: RadarData;
}

interface SpeedPlotProps extends Pick<SpeedRadarProps, "data" | "onPick"> {
  width: number;
  words: string;
  series: (name: string) => SeriesLook;
}

/**
 * The median time to success of each system, as a radar for three to twelve systems, else as bars.
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

interface RadarPoint {
  system: string;
  isClipped: boolean;
  x: number;
  y: number;
}

interface RadarLayout {
  height: number;
  middle: { x: number; y: number };
  rings: readonly { radius: number; text: string }[];
  spokes: readonly { system: string; x: number; y: number }[];
  names: readonly { system: string; text: string; x: number; y: number; anchor: "start" | "middle" | "end" }[];
  points: readonly RadarPoint[];
  /** Connects neighbors; open where one was not measured. */
  outline: string;
  marks: readonly Mark[];
}

/** The end of the spokes, in seconds. */
function computeMaxSeconds({ spokes, limitSeconds }: RadarData): number {
  const longest = max(spokes, ({ seconds }) => seconds ?? 0) ?? 0;
  const reach = Math.min(longest, limitSeconds ?? longest);
  return reach > 0 ? reach : 1;
}

const MAX_RADAR_NAME_WIDTH = 130;

/** The first system is at the top, the others follow clockwise. */
export function computeRadarLayout(data: RadarData, width: number): RadarLayout {
  const height = Math.round(Math.min(Math.max(width * 0.6, 280), 400));
  const middle = { x: width / 2, y: height / 2 };
  const radius = Math.max(50, Math.min(height / 2 - 30, width / 2 - Math.min(MAX_RADAR_NAME_WIDTH, width * 0.24)));
  const scale = scaleLinear([0, computeMaxSeconds(data)], [0, radius]).clamp(true);
  const at = (index: number, distance: number) =>
    computePointAtAngle(middle, computeAngle(index, data.spokes.length), distance);
  const points = data.spokes.map((spoke, index) =>
    isMeasuredSpoke(spoke)
      ? { system: spoke.system, isClipped: spoke.isClipped, ...at(index, scale(spoke.seconds)) }
      : null,
  );
  return {
    height,
    middle,
    rings: listDurationTicks([0, computeMaxSeconds(data)], { count: 4, duration: "s" })
      .filter((seconds) => seconds > 0 && seconds <= computeMaxSeconds(data))
      .map((seconds) => ({ radius: scale(seconds), text: formatSecondsTick(seconds) })),
    spokes: data.spokes.map(({ system }, index) => ({ system, ...at(index, radius) })),
    names: data.spokes.map(({ system }, index) => placeRadarName(system, { ...at(index, radius + 12), middle, width })),
    points: points.filter((point) => point !== null),
    outline: buildRadarOutline(points),
    marks: data.spokes.flatMap((spoke, index) => createRadarMark(spoke, points[index] ?? null)),
  };
}

function computeAngle(index: number, count: number): number {
  return (index / count) * 2 * Math.PI - Math.PI / 2;
}

function computePointAtAngle(
  middle: { x: number; y: number },
  angle: number,
  distance: number,
): { x: number; y: number } {
  return { x: middle.x + Math.cos(angle) * distance, y: middle.y + Math.sin(angle) * distance };
}

interface RadarNamePosition {
  x: number;
  y: number;
  middle: { x: number; y: number };
  width: number;
}

function placeRadarName(system: string, { x, y, middle, width }: RadarNamePosition): RadarLayout["names"][number] {
  const isCentered = Math.abs(x - middle.x) < 8;
  const anchor = isCentered ? "middle" : x > middle.x ? "start" : "end";
  const room = isCentered ? 200 : x > middle.x ? width - x : x;
  return { system, text: truncateName(system, room), x, y: y + (isCentered && y < middle.y ? 0 : 4), anchor };
}

/** Lines between neighbors that were both measured; the last is a neighbor of the first. */
function buildRadarOutline(points: readonly (RadarPoint | null)[]): string {
  return points
    .map((from, index) => {
      const to = points[(index + 1) % points.length] ?? null;
      return from === null || to === null ? "" : `M${from.x},${from.y}L${to.x},${to.y}`;
    })
    .join("");
}

function createRadarMark(spoke: RadarSpoke, point: RadarPoint | null): Mark[] {
  return point === null ? [] : [{ ...describeSpoke(spoke), x: point.x, y: point.y }];
}

/** A mark without its position. */
function describeSpoke({ system, seconds, isClipped }: RadarSpoke): Omit<Mark, "x" | "y"> {
  return {
    id: system,
    series: "all",
    title: formatName(system),
    facts: [["Median time to success", `${formatSeconds(seconds)}${isClipped ? " (cut in the drawing)" : ""}`]],
    selection: { system },
  };
}

interface SpeedBarsLayout {
  rows: BarRows;
  x: Axis;
  bars: readonly { system: string; box: Box; isClipped: boolean }[];
  marks: readonly Mark[];
}

/** The same data as bars, for fewer or more systems than a radar can show. */
export function computeSpeedBars(data: RadarData, width: number): SpeedBarsLayout {
  const rows = computeBarRows(
    data.spokes.map(({ system }) => system),
    { width, band: data.spokes.length > 12 ? 14 : 22 },
  );
  const reach = computeMaxSeconds(data);
  const x = createLinearAxis({
    values: [0, reach],
    range: [rows.left, rows.right],
    text: formatSecondsTick,
    count: computeTickCount(rows, 90),
    duration: "s",
  });
  const clip = scaleLinear([0, reach], [0, reach]).clamp(true);
  const bars = data.spokes.flatMap(({ system, seconds, isClipped }, index) => {
    const row = rows.rows[index];
    if (row === undefined || seconds === null) return [];
    const end = x.toPixel(clip(seconds));
    return [
      { system, isClipped, box: { x: rows.left, y: row.top, width: Math.max(end - rows.left, 1), height: row.band } },
    ];
  });
  const spokes = new Map(data.spokes.map((spoke) => [spoke.system, spoke]));
  const marks = bars.flatMap(({ system, box }): Mark[] => {
    const spoke = spokes.get(system);
    return spoke === undefined
      ? []
      : [{ ...describeSpoke(spoke), x: box.x + box.width, y: box.y + box.height / 2, box }];
  });
  return { rows, x, bars, marks };
}

type RadarSpoke = RadarData["spokes"][number];

type MeasuredSpoke = RadarSpoke & { seconds: number };

function isMeasuredSpoke(spoke: RadarSpoke): spoke is MeasuredSpoke {
  return spoke.seconds !== null;
}

/** A radar is readable with three to twelve systems. */
function canDrawRadar({ spokes }: RadarData): boolean {
  return spokes.length >= 3 && spokes.length <= 12;
}

/** What the chart shows, or why it is empty. */
export function describeRadar(data: RadarData): string {
  const { spokes } = data;
  const measured = spokes.filter(isMeasuredSpoke).sort((a, b) => a.seconds - b.seconds);
  const [fastest, slowest] = [measured[0], measured.at(-1)];
  if (fastest === undefined || slowest === undefined)
    return spokes.length === 0
      ? "There is nothing to draw: the run has no systems."
      : "There is nothing to draw: no system has a measured time to success.";
  if (measured.length === 1)
    return `${shortenName(fastest.system)} needs ${formatSeconds(fastest.seconds)} to a success in the median.`;
  if (fastest.seconds === slowest.seconds)
    return `All ${measured.length} systems need ${formatSeconds(fastest.seconds)} to a success in the median.`;
  return `${shortenName(fastest.system)} is the fastest to a success with ${formatSeconds(fastest.seconds)} in the median, ${shortenName(slowest.system)} the slowest with ${formatSeconds(slowest.seconds)}. ${canDrawRadar(data) ? "Nearer to the middle" : "Shorter"} is faster.`;
}

/** What the drawing clips or leaves out. */
export function listRadarNotes({ spokes, limitSeconds }: RadarData): string[] {
  const clipped = spokes.filter((spoke) => spoke.isClipped);
  const unmeasured = spokes.filter((spoke) => !isMeasuredSpoke(spoke)).map(({ system }) => system);
  const real = clipped.map(({ system, seconds }) => `${shortenName(system)} (${formatSeconds(seconds)})`);
  return [
    ...(clipped.length > 0
      ? [`Cut at ${formatSeconds(limitSeconds)}, with their real times: ${real.join("; ")}.`]
      : []),
    ...(unmeasured.length > 0 ? [`Not measured: ${formatNameList(unmeasured, 8)}.`] : []),
  ];
}

function buildRadarTable({ spokes, limitSeconds }: RadarData): ChartTableData {
  return {
    columns: ["System", "Median time to success", `Cut at ${formatSeconds(limitSeconds)}`],
    rows: spokes.map(({ system, seconds, isClipped }) => [
      formatName(system),
      formatSeconds(seconds),
      isClipped ? "yes" : "no",
    ]),
  };
}
