import { useId, useMemo } from "preact/hooks";
import type { HeatMap } from "../../../../src/report/dashboard/contract.js";
import { formatScore } from "../../ui/format.js";
import { ChartFrame } from "../frame/frame.js";
import type { LegendEntry } from "../frame/legend.js";
import { formatName } from "../names.js";
import { Plot } from "../plot/plot.js";
import { ARIA_HIDDEN } from "../plot/unheard.js";
import type { ChartProps } from "../props.js";
import { COLOR_STEPS, computeColorDomain, computeHeatMapLayout, type PlacedHeatCell } from "./layout.js";
import { buildHeatMapTable, describeHeatMap } from "./words.js";

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
