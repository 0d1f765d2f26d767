import { extent, greatest, groups, least } from "d3-array";
import { useId, useMemo } from "preact/hooks";
import type { HeatMap } from "../../../src/report/dashboard/contract.js";
import { formatPlural, formatScore } from "../ui/index.js";
import { ARIA_HIDDEN } from "./axes.js";
import { ChartFrame, type ChartTableData, type LegendEntry } from "./frame.js";
import { estimateTextWidth, formatName, shortenName, truncateName } from "./names.js";
import { type Box, type ChartProps, type Mark, Plot, type TooltipFact } from "./plot.js";

interface HeatMapChartProps extends ChartProps {
  /** Of one dataset and the same two facets, one per system. */
  maps: readonly HeatMap[];
}

interface HeatMapPlotProps extends Pick<HeatMapChartProps, "maps" | "onPick"> {
  width: number;
  words: string;
  prefix: string;
}

/** Maps that are drawn in one chart: those of one dataset and the same two facets. */
export function groupHeatMaps(maps: readonly HeatMap[]): HeatMap[][] {
  return groups(maps, ({ dataset, xField, yField }) => JSON.stringify([dataset, xField, yField])).map(
    ([, group]) => group,
  );
}

/**
 * Mean score by two facets, such as the depth and the length of a needle: one map per system, with one legend.
 * @example
 * <HeatMapChart maps={maps} onPick={({ facets }) => showRows(facets)} />
 */
export function HeatMapChart({ maps, title = formatHeatMapTitle(maps), onPick }: HeatMapChartProps) {
  const prefix = useId();
  const words = describeHeatMaps(maps);
  return (
    <ChartFrame
      title={title}
      words={words}
      table={() => buildHeatMapTable(maps)}
      legend={buildHeatMapLegend(maps, prefix)}
    >
      {listMeasuredCells(maps).length > 0
        ? (width) => (
            <HeatMapPlot maps={maps} width={width} words={`${title}. ${words}`} prefix={prefix} onPick={onPick} />
          )
        : null}
    </ChartFrame>
  );
}

function formatHeatMapTitle([map]: readonly HeatMap[]): string {
  return map === undefined
    ? "Heat map"
    : `${formatName(map.dataset)}: ${formatName(map.yField)} by ${formatName(map.xField)}`;
}

function formatFields([map]: readonly HeatMap[]): string {
  return map === undefined ? "" : `${formatName(map.yField)} ↓  ${formatName(map.xField)} →`;
}

function buildHeatMapLegend(maps: readonly HeatMap[], prefix: string): LegendEntry[] {
  const [low, high] = computeColorDomain(maps);
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

function HeatMapPlot({ maps, width, words, prefix, onPick }: HeatMapPlotProps) {
  const layout = useMemo(() => computeHeatMapLayout(maps, width), [maps, width]);
  const { height, names, cells, above, beside, marks } = layout;
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
          <text class="label" x={0} y={12}>
            {formatFields(maps)}
          </text>
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
        <g class="names" {...ARIA_HIDDEN}>
          {names.map(({ key, text, x, y }) => (
            <text key={key} x={x} y={y}>
              {text}
            </text>
          ))}
        </g>
        {cells.map((cell) => (
          <HeatMapCell key={cell.id} cell={cell} hatch={`url(#${prefix}-hatch)`} />
        ))}
      </>
    ),
    [layout, maps, prefix],
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

interface HeatMapPanel {
  cells: readonly PlacedHeatCell[];
  above: readonly HeatMapLabel[];
  beside: readonly HeatMapLabel[];
  marks: readonly Mark[];
}

interface HeatMapLayout extends HeatMapPanel {
  height: number;
  /** Of the systems, each above its map. */
  names: readonly HeatMapLabel[];
}

/** From the lowest to the highest value. */
const COLOR_STEPS = 7;
const LABEL_WIDTH = 22;
const FIELDS_HEIGHT = 22;
/** Above each map: the name of the system, and the values of the facet. */
const PANEL_HEAD_HEIGHT = 38;
const PANEL_GAP = 24;
const MIN_PANEL_WIDTH = 320;

/** The range of the colors of all maps: 0 to 1 for scores. */
export function computeColorDomain(maps: readonly HeatMap[]): [number, number] {
  const [low = 0, high = 1] = extent(
    maps.flatMap(({ cells }) => cells),
    ({ mean }) => mean ?? undefined,
  );
  if (low >= 0 && high <= 1) return [0, 1];
  return low === high ? [low - 1, high] : [low, high];
}

export function computeColorStep(value: number, [low, high]: readonly [number, number]): number {
  return Math.min(Math.max(Math.floor(((value - low) / (high - low)) * COLOR_STEPS), 0), COLOR_STEPS - 1);
}

/** Maps side by side, as many in a row as can be read. */
export function computeHeatMapLayout(maps: readonly HeatMap[], width: number): HeatMapLayout {
  const columns = Math.min(Math.max(Math.floor((width + PANEL_GAP) / (MIN_PANEL_WIDTH + PANEL_GAP)), 1), maps.length);
  const panelWidth = (width - PANEL_GAP * (columns - 1)) / columns;
  const cellHeight = Math.min(Math.max(360 / Math.max(1, ...maps.map(({ ys }) => ys.length)), 20), 40);
  const panelHeight = PANEL_HEAD_HEIGHT + Math.max(0, ...maps.map(({ ys }) => ys.length)) * cellHeight;
  const domain = computeColorDomain(maps);
  const boxes = maps.map((_, index) => ({
    x: (index % columns) * (panelWidth + PANEL_GAP),
    y: FIELDS_HEIGHT + Math.floor(index / columns) * (panelHeight + PANEL_GAP),
    width: panelWidth,
    height: panelHeight,
  }));
  const panels = maps.map((map, index) =>
    placeHeatMap(map, {
      box: boxes[index] ?? { x: 0, y: 0, width, height: 0 },
      cellHeight,
      domain,
      prefix: `${index}`,
    }),
  );
  const last = boxes.at(-1);
  return {
    height: last === undefined ? FIELDS_HEIGHT : last.y + last.height + 4,
    names: boxes.map(({ x, y }, index) => {
      const label = createHeatMapLabel(maps[index]?.system ?? "", { x, y: y + 12, room: panelWidth });
      return { ...label, key: `${index}` };
    }),
    cells: panels.flatMap(({ cells }) => cells),
    above: panels.flatMap(({ above }) => above),
    beside: panels.flatMap(({ beside }) => beside),
    marks: panels.flatMap(({ marks }) => marks),
  };
}

interface HeatMapPlace {
  box: Box;
  cellHeight: number;
  domain: readonly [number, number];
  /** Of the keys of all that is drawn. */
  prefix: string;
}

/** Cells without data are drawn too. */
function placeHeatMap(map: HeatMap, { box, cellHeight, domain, prefix }: HeatMapPlace): HeatMapPanel {
  const { xs, ys } = map;
  const sideRoom = Math.min(
    Math.max(40, ...ys.map((value) => estimateTextWidth(formatName(String(value))) + 12)),
    box.width * 0.3,
  );
  const top = box.y + PANEL_HEAD_HEIGHT;
  const cellWidth = (box.width - sideRoom - 2) / Math.max(xs.length, 1);
  const computeBox = (x: number, y: number): Box => ({
    x: box.x + sideRoom + x * cellWidth,
    y: top + y * cellHeight,
    width: cellWidth,
    height: cellHeight,
  });
  const found = new Map(map.cells.map((cell) => [`${cell.x},${cell.y}`, cell]));
  const places = ys.flatMap((_, y) => xs.map((__, x) => found.get(`${x},${y}`) ?? { x, y, mean: null, n: 0 }));
  const every = Math.max(1, Math.ceil((LABEL_WIDTH * 1.6) / cellWidth));
  const addPrefix = (label: HeatMapLabel) => ({ ...label, key: `${prefix} ${label.key}` });
  return {
    cells: places.map((cell) => {
      const placed = placeHeatCell(cell, computeBox(cell.x, cell.y), domain);
      return { ...placed, id: `${prefix} ${placed.id}` };
    }),
    above: xs
      .map((value, index) =>
        createHeatMapLabel(value, { x: computeBox(index, 0).x + cellWidth / 2, y: top - 6, room: cellWidth * every }),
      )
      .filter((_, index) => index % every === 0)
      .map(addPrefix),
    beside: ys
      .map((value, index) =>
        createHeatMapLabel(value, {
          x: box.x + sideRoom - 6,
          y: computeBox(0, index).y + cellHeight / 2 + 4,
          room: sideRoom - 8,
        }),
      )
      .map(addPrefix),
    marks: places.map((cell) => {
      const mark = createHeatMapMark(map, cell, computeBox(cell.x, cell.y));
      return { ...mark, id: `${prefix} ${mark.id}`, series: `${prefix} ${mark.series}` };
    }),
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

function describeCellPosition({ xs, ys, xField, yField }: HeatMap, { x, y }: HeatMapDatum): string {
  return `${formatName(yField)} ${formatName(String(ys[y] ?? ""))}, ${formatName(xField)} ${formatName(String(xs[x] ?? ""))}`;
}

function describeHeatCell(map: HeatMap, cell: HeatMapDatum): { title: string; facts: TooltipFact[] } {
  const mean: TooltipFact = ["Mean score", cell.mean === null || cell.n === 0 ? "no data" : formatScore(cell.mean, 3)];
  return {
    title: describeCellPosition(map, cell),
    facts: [["System", formatName(map.system)], mean, ["Tasks", String(cell.n)]],
  };
}

interface MeasuredCell {
  map: HeatMap;
  cell: HeatMapDatum;
  mean: number;
}

function listMeasuredCells(maps: readonly HeatMap[]): MeasuredCell[] {
  return maps.flatMap((map) =>
    map.cells.flatMap((cell) => (cell.mean !== null && cell.n > 0 ? [{ map, cell, mean: cell.mean }] : [])),
  );
}

/** What the chart shows, or why it is empty. */
export function describeHeatMaps(maps: readonly HeatMap[]): string {
  const known = listMeasuredCells(maps);
  const [lowest, highest] = [least(known, ({ mean }) => mean), greatest(known, ({ mean }) => mean)];
  if (lowest === undefined || highest === undefined)
    return `Nothing to show: no task of ${shortenName(maps[0]?.dataset ?? "the dataset")} was scored.`;
  const empty = maps.reduce((sum, { xs, ys }) => sum + xs.length * ys.length, 0) - known.length;
  const gaps = empty === 0 ? "" : ` ${formatPlural(empty, "cell")} ${empty === 1 ? "has" : "have"} no data.`;
  if (lowest.mean === highest.mean) return `The mean score is ${formatScore(lowest.mean)} everywhere.${gaps}`;
  return `Lowest mean score: ${describeMeasuredCell(lowest)}. Highest: ${describeMeasuredCell(highest)}.${gaps}`;
}

function describeMeasuredCell({ map, cell, mean }: MeasuredCell): string {
  return `${formatScore(mean)}, ${shortenName(map.system)} at ${describeCellPosition(map, cell)}`;
}

/** One row per system and value of the vertical facet. */
export function buildHeatMapTable(maps: readonly HeatMap[]): ChartTableData {
  const columns = [...new Set(maps.flatMap(({ xs }) => xs))];
  const formatCell = (cell: HeatMapDatum | undefined) =>
    cell === undefined || cell.mean === null ? "no data" : `${formatScore(cell.mean, 3)} (${cell.n})`;
  return {
    columns: ["System", formatFields(maps), ...columns.map((x) => formatName(String(x)))],
    words: 2,
    rows: maps.flatMap(({ system, xs, ys, cells }) => {
      const found = new Map(cells.map((cell) => [`${cell.x},${cell.y}`, cell]));
      return ys.map((value, y) => [
        formatName(system),
        formatName(String(value)),
        ...columns.map((column) => formatCell(found.get(`${xs.indexOf(column)},${y}`))),
      ]);
    }),
  };
}
