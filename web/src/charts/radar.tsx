import { useMemo, useState } from "preact/hooks";
import type { CostRadarChart, RadarChart } from "../../../src/report/dashboard/contract.js";
import { ARIA_HIDDEN, type Axis, BottomAxis, computeTickCount, createLinearAxis } from "./axes.js";
import { BarNames, type BarRows, computeBarRows } from "./bars.js";
import { ChartFrame, type ChartTableData } from "./frame.js";
import { assignSystemLooks, buildShapePath, type SeriesLook } from "./looks.js";
import { estimateTextWidth, formatName, formatNameList, shortenName } from "./names.js";
import { type Box, type ChartProps, type Mark, Plot } from "./plot.js";
import {
  computeRadarLayout,
  computeReach,
  describeSpoke,
  isMeasuredSpoke,
  type RadarMeasure,
  type RadarSpoke,
  UNIT_WORDS,
} from "./radar-layout.js";

interface SpeedRadarProps extends ChartProps {
  data: RadarChart;
}

interface CostRadarProps extends ChartProps {
  data: CostRadarChart;
}

/**
 * The median time to success of each system, as a radar or as bars.
 * @example
 * <SpeedRadar data={run.charts.radar} onPick={({ system }) => navigate(["run", id], { system })} />
 */
export function SpeedRadar({ data, title = "Speed Radar", ...props }: SpeedRadarProps) {
  const measure = useMemo(() => toSpeedMeasure(data), [data]);
  return <MeasureRadar measure={measure} title={title} {...props} />;
}

/**
 * Dollars per success of each system, or tokens per success where nothing has a price.
 * @example
 * <CostRadar data={run.charts.costRadar} onPick={({ system }) => navigate(["run", id], { system })} />
 */
export function CostRadar({ data, title = "Cost Radar", ...props }: CostRadarProps) {
  const measure = useMemo(() => toCostMeasure(data), [data]);
  return <MeasureRadar measure={measure} title={title} {...props} />;
}

/** Fastest first: beside each other are systems that take about as long. */
export function toSpeedMeasure({ limitSeconds, spokes }: RadarChart): RadarMeasure {
  const values = spokes.map(({ system, seconds, isClipped }) => ({ system, value: seconds, isClipped }));
  return { unit: "seconds", limit: limitSeconds, spokes: sortSpokes(values) };
}

/** Cheapest first. */
export function toCostMeasure({ unit, limit, spokes }: CostRadarChart): RadarMeasure {
  const values = spokes.map(({ system, cost, isClipped }) => ({ system, value: cost, isClipped }));
  return { unit, limit, spokes: sortSpokes(values) };
}

function sortSpokes(spokes: readonly RadarSpoke[]): RadarSpoke[] {
  return [...spokes].sort((a, b) => (a.value ?? Number.POSITIVE_INFINITY) - (b.value ?? Number.POSITIVE_INFINITY) || 0);
}

interface MeasureRadarProps extends ChartProps {
  measure: RadarMeasure;
  title: string;
}

type RadarView = "radar" | "bars";

function MeasureRadar({ measure, title, systems, onPick }: MeasureRadarProps) {
  const [wanted, setView] = useState<RadarView>("radar");
  const words = describeRadar(measure);
  const series = useMemo(
    () =>
      assignSystemLooks(
        systems,
        measure.spokes.map(({ system }) => system),
      ),
    [measure, systems],
  );
  const canChoose = canDrawRadar(measure);
  const Drawn = canChoose && wanted === "radar" ? RadarPlot : MeasureBarsPlot;
  return (
    <ChartFrame
      title={title}
      words={words}
      table={() => buildRadarTable(measure)}
      notes={listRadarNotes(measure)}
      controls={canChoose && <ViewChoice view={wanted} title={title} onChange={setView} />}
    >
      {measure.spokes.some(isMeasuredSpoke)
        ? (width) => (
            <Drawn measure={measure} width={width} words={`${title}. ${words}`} series={series} onPick={onPick} />
          )
        : null}
    </ChartFrame>
  );
}

function ViewChoice({
  view,
  title,
  onChange,
}: {
  view: RadarView;
  title: string;
  onChange: (view: RadarView) => void;
}) {
  return (
    <fieldset class="choice" aria-label={`View of ${title}`}>
      {(["radar", "bars"] as const).map((choice) => (
        <button key={choice} type="button" aria-pressed={choice === view} onClick={() => onChange(choice)}>
          {choice === "radar" ? "Radar" : "Bars"}
        </button>
      ))}
    </fieldset>
  );
}

interface MeasurePlotProps extends Pick<ChartProps, "onPick"> {
  measure: RadarMeasure;
  width: number;
  words: string;
  series: (name: string) => SeriesLook;
}

function RadarPlot({ measure, width, words, series, onPick }: MeasurePlotProps) {
  const layout = useMemo(() => computeRadarLayout(measure, width), [measure, width]);
  const { height, middle, marks } = layout;
  const drawing = useMemo(
    () => (
      <>
        <g class="axis" {...ARIA_HIDDEN}>
          {layout.spokes.map(({ system, x, y }) => (
            <line key={system} class="grid" x1={middle.x} y1={middle.y} x2={x} y2={y} />
          ))}
          {layout.rings.map(({ radius, isCut }) => (
            <circle key={radius} class={isCut ? "cut-ring" : "grid"} cx={middle.x} cy={middle.y} r={radius} />
          ))}
          {layout.rings.map(({ radius, text }) => (
            <text key={text} class="ring-name" x={middle.x + 4} y={middle.y - radius + 4}>
              {text}
            </text>
          ))}
        </g>
        {layout.points.map(({ system, x, y, isClipped }) => (
          <g key={system}>
            <line class="curve" x1={middle.x} y1={middle.y} x2={x} y2={y} stroke={series(system).color} />
            <RadarMark x={x} y={y} isClipped={isClipped} look={series(system)} />
          </g>
        ))}
        <g class="names" {...ARIA_HIDDEN}>
          {layout.names.map(({ system, text, value, x, y, anchor }) => (
            <text key={system} x={x} y={y} text-anchor={anchor}>
              {text}
              <tspan class="value" x={x} dy="1.2em">
                {value}
              </tspan>
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

function MeasureBarsPlot({ measure, width, words, series, onPick }: MeasurePlotProps) {
  const { rows, x, bars, marks } = useMemo(() => computeMeasureBars(measure, width), [measure, width]);
  const drawing = useMemo(
    () => (
      <>
        <BottomAxis axis={x} area={rows} label={`${UNIT_WORDS[measure.unit].measure.toLowerCase()} →`} />
        <BarNames rows={rows} />
        {bars.map(({ system, box, isClipped, text }) => (
          <g key={system}>
            <rect {...box} fill={series(system).color} />
            {isClipped && (
              <path class="cut" d={`M${box.x + box.width - 10},${box.y + box.height + 3}l6,${-box.height - 6}`} />
            )}
            <g class="names figures" {...ARIA_HIDDEN}>
              <text x={box.x + box.width + 6} y={box.y + box.height / 2 + 4}>
                {text}
              </text>
            </g>
          </g>
        ))}
      </>
    ),
    [measure, rows, x, bars, series],
  );
  return (
    <Plot width={width} height={rows.height} label={words} marks={marks} onPick={onPick}>
      {drawing}
    </Plot>
  );
}

interface MeasureBarsLayout {
  rows: BarRows;
  x: Axis;
  bars: readonly { system: string; box: Box; isClipped: boolean; text: string }[];
  marks: readonly Mark[];
}

/** The same data as sorted bars with their values. */
export function computeMeasureBars(measure: RadarMeasure, width: number): MeasureBarsLayout {
  const { format, tick } = UNIT_WORDS[measure.unit];
  const measured = measure.spokes.filter(isMeasuredSpoke);
  const texts = measured.map(({ value, isClipped }) => `${format(value)}${isClipped ? " (clipped)" : ""}`);
  const rows = computeBarRows(
    measured.map(({ system }) => system),
    {
      width,
      band: measured.length > 12 ? 14 : 22,
      after: Math.min(Math.max(14, ...texts.map((text) => estimateTextWidth(text) + 10)), width * 0.35),
    },
  );
  const reach = computeReach(measure);
  const x = createLinearAxis({
    values: [0, reach],
    range: [rows.left, rows.right],
    text: tick,
    count: computeTickCount(rows, 90),
    ...(measure.unit === "seconds" ? { duration: "s" as const } : {}),
  });
  const bars = measured.flatMap(({ system, value, isClipped }, index) => {
    const row = rows.rows[index];
    if (row === undefined) return [];
    const end = x.toPixel(Math.min(value, reach));
    const box = { x: rows.left, y: row.top, width: Math.max(end - rows.left, 1), height: row.band };
    return [{ system, isClipped, text: texts[index] ?? "", box }];
  });
  const marks = bars.flatMap(({ box }, index): Mark[] => {
    const spoke = measured[index];
    const place = { x: box.x + box.width, y: box.y + box.height / 2 };
    return spoke === undefined ? [] : [{ ...describeSpoke(spoke, measure.unit), ...place, box }];
  });
  return { rows, x, bars, marks };
}

/** A radar is readable with three to twelve systems. */
function canDrawRadar({ spokes }: RadarMeasure): boolean {
  const count = spokes.filter(isMeasuredSpoke).length;
  return count >= 3 && count <= 12;
}

/** What the chart shows, or why it is empty. */
export function describeRadar({ unit, spokes }: RadarMeasure): string {
  const { format, measure, best, worst, missing } = UNIT_WORDS[unit];
  const measured = spokes.filter(isMeasuredSpoke);
  const [first, last] = [measured[0], measured.at(-1)];
  if (first === undefined || last === undefined) return missing;
  if (measured.length === 1) return `${measure} of ${shortenName(first.system)}: ${format(first.value)}.`;
  if (first.value === last.value) return `${measure}: ${format(first.value)} for all ${measured.length} systems.`;
  return `${measure}: ${shortenName(first.system)} is the ${best} with ${format(first.value)}, ${shortenName(last.system)} the ${worst} with ${format(last.value)}.`;
}

/** What the drawing clips or leaves out. */
export function listRadarNotes({ unit, spokes, limit }: RadarMeasure): string[] {
  const { format, notShown } = UNIT_WORDS[unit];
  const clipped = spokes.filter((spoke) => spoke.isClipped);
  const unmeasured = spokes.filter((spoke) => !isMeasuredSpoke(spoke)).map(({ system }) => system);
  const real = clipped.map(({ system, value }) => `${shortenName(system)} (${format(value)})`);
  if (unmeasured.length === spokes.length) return [];
  return [
    ...(clipped.length > 0
      ? [`Clipped at ${format(limit)}, five times the median of the systems. Actual: ${real.join("; ")}.`]
      : []),
    ...(unmeasured.length > 0 ? [`Not shown: ${formatNameList(unmeasured, 8)} (${notShown}).`] : []),
  ];
}

function buildRadarTable({ unit, spokes, limit }: RadarMeasure): ChartTableData {
  const { format, measure } = UNIT_WORDS[unit];
  return {
    columns: ["System", measure, `Clipped at ${format(limit)}`],
    rows: spokes.map(({ system, value, isClipped }) => [formatName(system), format(value), isClipped ? "yes" : "no"]),
  };
}
