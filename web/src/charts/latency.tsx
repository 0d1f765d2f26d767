import { max } from "d3-array";
import { useMemo } from "preact/hooks";
import type { LatencySpread } from "../../../src/report/dashboard/contract.js";
import { formatCount, formatSeconds, formatShare } from "../ui/index.js";
import { type Axis, BottomAxis, computeTickCount, createLogAxis, formatSecondsTick } from "./axes.js";
import { BarNames, type BarRow, type BarRows, computeBarRows } from "./bars.js";
import { ChartFrame, type ChartTableData, type LegendEntry } from "./frame.js";
import { assignSystemLooks, type SeriesLook } from "./looks.js";
import { formatName, formatNameList, shortenName } from "./names.js";
import { type Box, type ChartProps, type Mark, Plot, type TooltipFact } from "./plot.js";

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
 * The distribution of trial times of each system.
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
        <BottomAxis axis={x} area={rows} label="time per trial (heights not comparable) →" zeroLabel="0 s" />
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

/** In pixels. */
interface PlacedSpread {
  readonly system: string;
  /** The outline of the histogram, closed at the bottom. */
  readonly path: string;
  readonly base: number;
  readonly top: number;
  readonly p50: number;
  readonly p95: number;
}

interface LatencyLayout {
  rows: BarRows;
  x: Axis;
  spreads: readonly PlacedSpread[];
  marks: readonly Mark[];
}

/** Histograms under each other on one axis. */
export function computeLatencyLayout(spreads: readonly MeasuredSpread[], width: number): LatencyLayout {
  const rows = computeBarRows(
    spreads.map(({ system }) => system),
    { width, band: spreads.length > 10 ? 26 : 44 },
  );
  const edges = spreads.flatMap(({ bins, quantiles }) => [
    ...bins.flatMap(({ from, to }) => [from, to]),
    quantiles.p50,
    quantiles.p95,
  ]);
  const x = createLogAxis({
    values: edges,
    range: [rows.left, rows.right],
    text: formatSecondsTick,
    count: computeTickCount(rows),
    duration: "s",
  });
  const drawn = spreads.flatMap((spread, index) => {
    const row = rows.rows[index];
    return row === undefined ? [] : [placeSpread(spread, row, x)];
  });
  return {
    rows,
    x,
    spreads: drawn.map(({ marks: _, ...spread }) => spread),
    marks: drawn.flatMap(({ marks }) => marks),
  };
}

function placeSpread(spread: MeasuredSpread, { top, band }: BarRow, x: Axis): PlacedSpread & { marks: Mark[] } {
  const base = top + band;
  const most = max(spread.bins, ({ count }) => count) || 1;
  const boxes = spread.bins.map((bin) => ({ bin, box: computeBinBox(bin, { x, base, scale: (band - 2) / most }) }));
  return {
    system: spread.system,
    path: buildHistogramPath(
      boxes.map(({ box }) => box),
      base,
    ),
    base,
    top,
    p50: x.toPixel(spread.quantiles.p50),
    p95: x.toPixel(spread.quantiles.p95),
    marks: boxes
      .filter(({ bin }) => bin.count > 0)
      .map(({ bin, box }) => createBinMark(spread, bin, { box, top, band })),
  };
}

type LatencyBin = LatencySpread["bins"][number];

/** A bin of equal times has no width of its own. */
function computeBinBox(
  { from, to, count }: LatencyBin,
  { x, base, scale }: { x: Axis; base: number; scale: number },
): Box {
  const [left, right] = [x.toPixel(from), x.toPixel(to)];
  const width = Math.max(right - left, 4);
  return { x: right - left < 4 ? left - 2 : left, y: base - count * scale, width, height: count * scale };
}

function buildHistogramPath(boxes: readonly Box[], base: number): string {
  const px = (value: number) => Math.round(value * 10) / 10;
  const steps = boxes.map((box) => `L${px(box.x)},${px(box.y)}H${px(box.x + box.width)}`);
  const [first, last] = [boxes[0], boxes.at(-1)];
  if (first === undefined || last === undefined) return "";
  return `M${px(first.x)},${px(base)}${steps.join("")}V${px(base)}Z`;
}

function createBinMark(
  spread: MeasuredSpread,
  bin: LatencyBin,
  { box, top, band }: { box: Box; top: number; band: number },
): Mark {
  const { system } = spread;
  return {
    id: JSON.stringify([system, bin.from]),
    series: system,
    x: box.x + box.width / 2,
    y: box.y,
    // The full height of the row, because a low bin could not be clicked.
    box: { ...box, y: top, height: band },
    ...describeLatencyBin(spread, bin),
    selection: { system, latency: { from: bin.from, to: bin.to } },
  };
}

type MeasuredSpread = LatencySpread & { quantiles: NonNullable<LatencySpread["quantiles"]> };

function isMeasuredSpread(spread: LatencySpread): spread is MeasuredSpread {
  return spread.quantiles !== null && spread.n > 0;
}

function describeLatencyBin(
  { system, n, quantiles }: MeasuredSpread,
  { from, to, count }: LatencySpread["bins"][number],
): { title: string; facts: TooltipFact[] } {
  return {
    title: formatName(system),
    facts: [
      ["From", `${formatSeconds(from)} to ${formatSeconds(to)}`],
      ["Trials", `${formatCount(count)} of ${formatCount(n)} (${formatShare(count / n)})`],
      ["Median", formatSeconds(quantiles.p50)],
      ["p95", formatSeconds(quantiles.p95)],
    ],
  };
}

/** What the chart shows, or why it is empty. */
export function describeLatencies(spreads: readonly LatencySpread[]): string {
  const known = spreads.filter(isMeasuredSpread).sort((a, b) => a.quantiles.p50 - b.quantiles.p50);
  const [fastest, slowest] = [known[0], known.at(-1)];
  if (fastest === undefined || slowest === undefined) return "Nothing to show: no trial has a measured time.";
  const { p50, p95 } = fastest.quantiles;
  if (fastest === slowest)
    return `${shortenName(fastest.system)} has a median of ${formatSeconds(p50)}; 95 % of its trials are within ${formatSeconds(p95)}.`;
  const text = ({ system, quantiles }: MeasuredSpread) =>
    `${shortenName(system)}, with a median of ${formatSeconds(quantiles.p50)} and 95 % within ${formatSeconds(quantiles.p95)}`;
  return `The fastest is ${text(fastest)}; the slowest is ${text(slowest)}.`;
}

function listLatencyNotes(spreads: readonly LatencySpread[]): string[] {
  const unknown = spreads.filter((spread) => !isMeasuredSpread(spread)).map(({ system }) => system);
  return unknown.length === 0 ? [] : [`Not measured: ${formatNameList(unknown, 8)}.`];
}

function buildLatencyTable(spreads: readonly LatencySpread[]): ChartTableData {
  const quantiles = ["min", "p25", "p50", "p75", "p95", "p99", "max"] as const;
  return {
    columns: ["System", "Trials", ...quantiles],
    rows: spreads.map((spread) => [
      formatName(spread.system),
      formatCount(spread.n),
      ...quantiles.map((name) => formatSeconds(spread.quantiles?.[name])),
    ]),
  };
}
