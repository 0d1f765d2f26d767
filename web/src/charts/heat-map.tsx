import { extent } from "d3-array";
import { useId, useMemo } from "preact/hooks";
import type { HeatMap } from "../../../src/report/dashboard/contract.js";
import { formatPlural, formatScore } from "../ui/index.js";
import { ARIA_HIDDEN } from "./axes.js";
import { ChartFrame, type ChartTableData, type LegendEntry } from "./frame.js";
import { estimateTextWidth, formatName, shortenName, truncateName } from "./names.js";
import { type Box, type ChartProps, type Mark, Plot, type TooltipFact } from "./plot.js";

interface HeatMapChartProps extends ChartProps {
  data: HeatMap;
}

interface HeatMapPlotProps extends Pick<HeatMapChartProps, "data" | "onPick"> {
  width: number;
  words: string;
  prefix: string;
}

/**
 * Mean score by two facets, such as the depth and the length of a needle.
 * @example
 * <HeatMapChart data={map} onPick={({ facets }) => showRows(facets)} />
 */
export function HeatMapChart({ data, title = formatHeatMapTitle(data), onPick }: HeatMapChartProps) {
  const prefix = useId();
  const words = describeHeatMap(data);
  return (
    <ChartFrame
      title={title}
      words={words}
      table={() => buildHeatMapTable(data)}
      legend={buildHeatMapLegend(data, prefix)}
    >
      {data.cells.some(({ mean, n }) => mean !== null && n > 0)
        ? (width) => (
            <HeatMapPlot data={data} width={width} words={`${title}. ${words}`} prefix={prefix} onPick={onPick} />
          )
        : null}
    </ChartFrame>
  );
}

function formatHeatMapTitle({ system, dataset, xField, yField }: HeatMap): string {
  return `${formatName(dataset)}: ${formatName(yField)} by ${formatName(xField)}, ${formatName(system)}`;
}

function buildHeatMapLegend(data: HeatMap, prefix: string): LegendEntry[] {
  const [low, high] = computeColorDomain(data);
  const at = (step: number) => formatScore(low + ((high - low) * step) / COLOR_STEPS);
  return [
    ...Array.from(
      { length: COLOR_STEPS },
      (_, step): LegendEntry => ({
        name: `${at(step)} to ${at(step + 1)}`,
        glyph: { kind: "area", color: `var(--heat-${step})`, texture: null },
      }),
    ),
    { name: "no data", glyph: { kind: "area", color: "var(--ground)", texture: `url(#${prefix}-hatch)` } },
  ];
}

function HeatMapPlot({ data, width, words, prefix, onPick }: HeatMapPlotProps) {
  const layout = useMemo(() => computeHeatMapLayout(data, width), [data, width]);
  const { height, cells, above, beside, marks } = layout;
  const drawing = useMemo(
    () => (
      <>
        <defs>
          <pattern
            id={`${prefix}-hatch`}
            width={7}
            height={7}
            patternUnits="userSpaceOnUse"
            patternTransform="rotate(45)"
          >
            <rect class="hatch" width={1.5} height={7} />
          </pattern>
        </defs>
        <g class="axis" {...ARIA_HIDDEN}>
          <text class="label" x={0} y={12}>{`${formatName(data.yField)} ↓  ${formatName(data.xField)} →`}</text>
          {above.map(({ key, text, x, y }) => (
            <text key={key} x={x} y={y} text-anchor="middle">
              {text}
            </text>
          ))}
          {beside.map(({ key, text, x, y }) => (
            <text key={key} x={x} y={y} text-anchor="end">
              {text}
            </text>
          ))}
        </g>
        {cells.map((cell) => (
          <HeatMapCell key={cell.id} cell={cell} hatch={`url(#${prefix}-hatch)`} />
        ))}
      </>
    ),
    [layout, data, prefix],
  );
  return (
    <Plot width={width} height={height} label={words} marks={marks} onPick={onPick}>
      {drawing}
    </Plot>
  );
}

function HeatMapCell({ cell: { box, step, text }, hatch }: { cell: PlacedHeatCell; hatch: string }) {
  return (
    <g class="cell" {...ARIA_HIDDEN}>
      <rect {...box} fill={step === null ? hatch : `var(--heat-${step})`} />
      <text
        x={box.x + box.width / 2}
        y={box.y + box.height / 2}
        dy="0.35em"
        text-anchor="middle"
        fill={step === null ? "var(--text)" : `var(--heat-ink-${step})`}
      >
        {text}
      </text>
    </g>
  );
}

/** In pixels. `step` is 0 for the lowest values, and null without data. */
interface PlacedHeatCell {
  readonly id: string;
  readonly box: Box;
  readonly step: number | null;
  /** Empty when the text does not fit. */
  readonly text: string;
}

interface HeatMapLabel {
  readonly key: string;
  readonly text: string;
  readonly x: number;
  readonly y: number;
}

interface HeatMapLayout {
  height: number;
  cells: readonly PlacedHeatCell[];
  above: readonly HeatMapLabel[];
  beside: readonly HeatMapLabel[];
  marks: readonly Mark[];
}

/** From the lowest to the highest value. */
const COLOR_STEPS = 7;
const LABEL_WIDTH = 22;
const HEAT_MAP_HEAD_HEIGHT = 40;

/** The range of the colors: 0 to 1 for scores, so that maps of different systems can be compared. */
export function computeColorDomain({ cells }: HeatMap): [number, number] {
  const [low = 0, high = 1] = extent(cells, ({ mean }) => mean ?? undefined);
  if (low >= 0 && high <= 1) return [0, 1];
  return low === high ? [low - 1, high] : [low, high];
}

export function computeColorStep(value: number, [low, high]: readonly [number, number]): number {
  return Math.min(Math.max(Math.floor(((value - low) / (high - low)) * COLOR_STEPS), 0), COLOR_STEPS - 1);
}

/** Cells without data are drawn too. */
export function computeHeatMapLayout(map: HeatMap, width: number): HeatMapLayout {
  const { xs, ys } = map;
  const sideRoom = Math.min(
    Math.max(40, ...ys.map((value) => estimateTextWidth(formatName(String(value))) + 12)),
    width * 0.3,
  );
  const cellWidth = (width - sideRoom - 2) / Math.max(xs.length, 1);
  const cellHeight = Math.min(Math.max(360 / Math.max(ys.length, 1), 20), 40);
  const computeBox = (x: number, y: number): Box => ({
    x: sideRoom + x * cellWidth,
    y: HEAT_MAP_HEAD_HEIGHT + y * cellHeight,
    width: cellWidth,
    height: cellHeight,
  });
  const found = new Map(map.cells.map((cell) => [`${cell.x},${cell.y}`, cell]));
  const places = ys.flatMap((_, y) => xs.map((__, x) => found.get(`${x},${y}`) ?? { x, y, mean: null, n: 0 }));
  const domain = computeColorDomain(map);
  const every = Math.max(1, Math.ceil((LABEL_WIDTH * 1.6) / cellWidth));
  return {
    height: HEAT_MAP_HEAD_HEIGHT + ys.length * cellHeight + 4,
    cells: places.map((cell) => placeHeatCell(cell, computeBox(cell.x, cell.y), domain)),
    above: xs.flatMap((value, index) =>
      index % every === 0
        ? [
            createHeatMapLabel(value, {
              x: computeBox(index, 0).x + cellWidth / 2,
              y: HEAT_MAP_HEAD_HEIGHT - 6,
              room: cellWidth * every,
            }),
          ]
        : [],
    ),
    beside: ys.map((value, index) =>
      createHeatMapLabel(value, {
        x: sideRoom - 6,
        y: computeBox(0, index).y + cellHeight / 2 + 4,
        room: sideRoom - 8,
      }),
    ),
    marks: places.map((cell) => createHeatMapMark(map, cell, computeBox(cell.x, cell.y))),
  };
}

function placeHeatCell({ x, y, mean, n }: HeatMapDatum, box: Box, domain: readonly [number, number]): PlacedHeatCell {
  const isEmpty = mean === null || n === 0;
  const text = isEmpty ? "–" : formatScore(mean);
  return {
    id: `${x},${y}`,
    box,
    step: isEmpty ? null : computeColorStep(mean, domain),
    text: estimateTextWidth(text) + 4 <= box.width ? text : "",
  };
}

function createHeatMapLabel(
  value: string | number | boolean,
  { x, y, room }: { x: number; y: number; room: number },
): HeatMapLabel {
  return { key: String(value), text: truncateName(String(value), room), x, y };
}

function createHeatMapMark(map: HeatMap, cell: HeatMapDatum, box: Box): Mark {
  const [x, y] = [map.xs[cell.x], map.ys[cell.y]];
  return {
    id: `${cell.x},${cell.y}`,
    series: String(cell.y),
    x: box.x + box.width / 2,
    y: box.y + box.height / 2,
    box,
    ...describeHeatCell(map, cell),
    selection: {
      system: map.system,
      dataset: map.dataset,
      facets: { ...(x === undefined ? {} : { [map.xField]: x }), ...(y === undefined ? {} : { [map.yField]: y }) },
    },
  };
}

type HeatMapDatum = HeatMap["cells"][number];
type MeasuredHeatMapDatum = HeatMapDatum & { mean: number };

function describeCellPosition({ xs, ys, xField, yField }: HeatMap, { x, y }: HeatMapDatum): string {
  return `${formatName(yField)} ${formatName(String(ys[y] ?? ""))}, ${formatName(xField)} ${formatName(String(xs[x] ?? ""))}`;
}

function describeHeatCell(map: HeatMap, cell: HeatMapDatum): { title: string; facts: TooltipFact[] } {
  const mean: TooltipFact = ["Mean score", cell.mean === null || cell.n === 0 ? "no data" : formatScore(cell.mean, 3)];
  return { title: describeCellPosition(map, cell), facts: [mean, ["Tasks", String(cell.n)]] };
}

/** What the chart shows, or why it is empty. */
export function describeHeatMap(map: HeatMap): string {
  const known = map.cells.filter((cell): cell is MeasuredHeatMapDatum => cell.mean !== null && cell.n > 0);
  const sorted = [...known].sort((a, b) => a.mean - b.mean);
  const [lowest, highest] = [sorted[0], sorted.at(-1)];
  if (lowest === undefined || highest === undefined)
    return `There is nothing to draw: no task of ${shortenName(map.dataset)} was scored.`;
  const empty = map.xs.length * map.ys.length - known.length;
  const gaps = empty === 0 ? "" : ` ${formatPlural(empty, "cell")} ${empty === 1 ? "has" : "have"} no data.`;
  if (lowest.mean === highest.mean)
    return `${shortenName(map.system)} has a mean score of ${formatScore(lowest.mean)} everywhere.${gaps}`;
  return `${shortenName(map.system)} has its lowest mean score, ${formatScore(lowest.mean)}, at ${describeCellPosition(map, lowest)}, and its highest, ${formatScore(highest.mean)}, at ${describeCellPosition(map, highest)}.${gaps}`;
}

export function buildHeatMapTable(map: HeatMap): ChartTableData {
  const found = new Map(map.cells.map((cell) => [`${cell.x},${cell.y}`, cell]));
  const text = (cell: HeatMapDatum | undefined) =>
    cell === undefined || cell.mean === null ? "no data" : `${formatScore(cell.mean, 3)} (${cell.n})`;
  return {
    columns: [`${formatName(map.yField)} ↓ ${formatName(map.xField)} →`, ...map.xs.map((x) => formatName(String(x)))],
    rows: map.ys.map((value, y) => [formatName(String(value)), ...map.xs.map((_, x) => text(found.get(`${x},${y}`)))]),
  };
}
