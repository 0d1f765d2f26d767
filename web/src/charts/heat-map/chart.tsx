import { useId, useMemo } from "preact/hooks";
import type { HeatMap } from "../../../../src/report/dashboard/contract.js";
import { formatScore } from "../../ui/format.js";
import { ChartFrame } from "../frame/frame.js";
import type { LegendEntry } from "../frame/legend.js";
import { shown } from "../names.js";
import { Plot } from "../plot/plot.js";
import { UNHEARD } from "../plot/unheard.js";
import type { ChartProps } from "../props.js";
import { domainOf, type HeatCell, layoutHeatMap, STEPS } from "./layout.js";
import { heatMapTable, heatMapWords } from "./words.js";

interface Props extends ChartProps {
  data: HeatMap;
}

interface DrawnProps extends Pick<Props, "data" | "onPick"> {
  width: number;
  words: string;
  prefix: string;
}

/**
 * Mean score by two facets, such as the depth and the length of a needle.
 * @example
 * <HeatMapChart data={map} onPick={({ facets }) => showRows(facets)} />
 */
export function HeatMapChart({ data, title = titleOf(data), onPick }: Props) {
  const prefix = useId();
  const words = heatMapWords(data);
  return (
    <ChartFrame title={title} words={words} table={() => heatMapTable(data)} legend={legendOf(data, prefix)}>
      {data.cells.some(({ mean, n }) => mean !== null && n > 0)
        ? (width) => <Drawn data={data} width={width} words={`${title}. ${words}`} prefix={prefix} onPick={onPick} />
        : null}
    </ChartFrame>
  );
}

function titleOf({ system, dataset, xField, yField }: HeatMap): string {
  return `${shown(dataset)}: ${shown(yField)} by ${shown(xField)}, ${shown(system)}`;
}

function legendOf(data: HeatMap, prefix: string): LegendEntry[] {
  const [low, high] = domainOf(data);
  const at = (step: number) => formatScore(low + ((high - low) * step) / STEPS);
  return [
    ...Array.from(
      { length: STEPS },
      (_, step): LegendEntry => ({
        name: `${at(step)} to ${at(step + 1)}`,
        glyph: { kind: "area", colour: `var(--heat-${step})`, texture: null },
      }),
    ),
    { name: "no data", glyph: { kind: "area", colour: "var(--ground)", texture: `url(#${prefix}-hatch)` } },
  ];
}

function Drawn({ data, width, words, prefix, onPick }: DrawnProps) {
  const layout = useMemo(() => layoutHeatMap(data, width), [data, width]);
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
        <g class="axis" {...UNHEARD}>
          <text class="label" x={0} y={12}>{`${shown(data.yField)} ↓  ${shown(data.xField)} →`}</text>
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
          <Cell key={cell.id} cell={cell} hatch={`url(#${prefix}-hatch)`} />
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

function Cell({ cell: { box, step, text }, hatch }: { cell: HeatCell; hatch: string }) {
  return (
    <g class="cell" {...UNHEARD}>
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
