import { useMemo } from "preact/hooks";
import type { QualityCostPoint } from "../../../src/report/dashboard/contract.js";
import { formatScore } from "../ui/index.js";
import { type Axis, BottomAxis, computeTickCount, createLinearAxis, formatNumberTick } from "./axes.js";
import { BAR_GAP, BarNames, type BarRows, computeBarRows } from "./bars.js";
import { ChartFrame, type ChartTableData } from "./frame.js";
import { assignSystemLooks, buildShapePath } from "./looks.js";
import { formatName, shortenName } from "./names.js";
import { type ChartProps, type Mark, Plot } from "./plot.js";

type QualityPoint = Pick<QualityCostPoint, "system" | "quality" | "low" | "high" | "n">;

interface QualityBarsProps extends ChartProps {
  data: readonly QualityPoint[];
}

/** The quality of each system with its interval, best first. */
export function QualityBars({ data, title = "Quality", systems, onPick }: QualityBarsProps) {
  const ranked = useMemo(() => rankByQuality(data), [data]);
  const getLook = useMemo(
    () =>
      assignSystemLooks(
        systems,
        data.map(({ system }) => system),
      ),
    [systems, data],
  );
  const words = describeQualityBars(ranked, data.length);
  return (
    <ChartFrame title={title} words={words} table={() => buildQualityTable(ranked)}>
      {ranked.length === 0
        ? null
        : (width) => {
            const { rows, x, marks } = computeQualityBars(ranked, width);
            return (
              <Plot width={width} height={rows.height} label={words} marks={marks} onPick={onPick}>
                <BottomAxis axis={x} area={rows} label="mean score, with its 95 % interval" />
                <BarNames rows={rows} />
                {ranked.map(({ system, quality, low, high }, index) => {
                  const row = rows.rows[index];
                  if (row === undefined) return null;
                  const y = row.top + row.band / 2;
                  const { color, shape } = getLook(system);
                  return (
                    <g key={system}>
                      {low !== null && high !== null && (
                        <line class="range" x1={x.toPixel(low)} x2={x.toPixel(high)} y1={y} y2={y} stroke={color} />
                      )}
                      <path
                        class="mark"
                        transform={`translate(${x.toPixel(quality)},${y})`}
                        d={buildShapePath(shape, 80)}
                        fill={color}
                        stroke={color}
                      />
                      <text class="value" x={rows.right + 12} y={y} dy="0.32em">
                        {formatScore(quality, 3)}
                      </text>
                    </g>
                  );
                })}
              </Plot>
            );
          }}
    </ChartFrame>
  );
}

interface RankedPoint extends QualityPoint {
  quality: number;
}

function rankByQuality(points: readonly QualityPoint[]): RankedPoint[] {
  return points
    .flatMap((point) => (point.quality === null ? [] : [{ ...point, quality: point.quality }]))
    .sort((a, b) => b.quality - a.quality);
}

interface QualityBarsLayout {
  rows: BarRows;
  x: Axis;
  marks: readonly Mark[];
}

const MIN_BAND = 18;
const MAX_BAND = 40;
/** About as high as the quality–cost picture beside it. */
const ROWS_HEIGHT = 240;

/** Few systems get higher rows, so that they do not cling to the top of the page. */
function chooseBand(systems: number): number {
  return Math.min(MAX_BAND, Math.max(MIN_BAND, Math.floor(ROWS_HEIGHT / systems) - BAR_GAP));
}

function computeQualityBars(ranked: readonly RankedPoint[], width: number): QualityBarsLayout {
  const rows = computeBarRows(
    ranked.map(({ system }) => system),
    { width, band: chooseBand(ranked.length), after: 60 },
  );
  const x = createLinearAxis({
    values: ranked.flatMap(({ quality, low, high }) => [quality, low, high]),
    range: [rows.left, rows.right],
    text: formatNumberTick,
    count: computeTickCount(rows, 90),
    within: [0, 1],
  });
  const marks = ranked.map((point, index): Mark => {
    const row = rows.rows[index];
    return {
      id: point.system,
      series: "all",
      x: x.toPixel(point.quality),
      y: (row?.top ?? 0) + (row?.band ?? 0) / 2,
      box: { x: rows.left, y: row?.top ?? 0, width: rows.right - rows.left, height: row?.band ?? 0 },
      title: formatName(point.system),
      facts: [
        ["Mean score", formatQuality(point)],
        ["Examples", String(point.n)],
      ],
      selection: { system: point.system },
    };
  });
  return { rows, x, marks };
}

function formatQuality({ quality, low, high }: RankedPoint): string {
  const interval = low === null || high === null ? "" : ` [${formatScore(low, 3)}, ${formatScore(high, 3)}]`;
  return `${formatScore(quality, 3)}${interval}`;
}

/** What the chart shows, or why it is empty. */
export function describeQualityBars(ranked: readonly RankedPoint[], systems: number): string {
  const [best, ...others] = ranked;
  if (best === undefined) return "No quality yet: no trial was scored.";
  const missing = systems - ranked.length;
  const rest = missing > 0 ? ` ${missing} without a score ${missing === 1 ? "is" : "are"} left out.` : "";
  if (others.length === 0) return `Mean score of ${shortenName(best.system)}: ${formatScore(best.quality, 3)}.${rest}`;
  const near = others.filter(({ high }) => high !== null && best.low !== null && high >= best.low).length;
  const overlap = describeOverlap(near, others.length);
  return `Best: ${shortenName(best.system)} (${formatScore(best.quality, 3)}); ${overlap}.${rest}`;
}

function describeOverlap(near: number, others: number): string {
  if (near === 0) return "no other interval overlaps its own";
  if (others === 1) return "the interval of the other overlaps its own";
  return near === others
    ? `the intervals of all ${others} others overlap its own`
    : `the intervals of ${near} of ${others} others overlap its own`;
}

function buildQualityTable(ranked: readonly RankedPoint[]): ChartTableData {
  return {
    columns: ["System", "Mean score", "from", "to", "Examples"],
    rows: ranked.map(({ system, quality, low, high, n }) => [
      formatName(system),
      formatScore(quality, 3),
      formatScore(low, 3),
      formatScore(high, 3),
      String(n),
    ]),
  };
}
