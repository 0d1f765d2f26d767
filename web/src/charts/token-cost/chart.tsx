import { useId, useMemo, useState } from "preact/hooks";
import type { TokenCost } from "../../../../src/report/dashboard/contract.js";
import { BottomAxis } from "../axes/draw.js";
import { BarNames } from "../bars/names.js";
import { ChartFrame } from "../frame/frame.js";
import type { LegendEntry } from "../frame/legend.js";
import { Plot } from "../plot/plot.js";
import { getTextureUrl, type Texture, TextureDefs, TexturedBox } from "../plot/textures.js";
import { ARIA_HIDDEN } from "../plot/unheard.js";
import type { ChartProps } from "../props.js";
import { computeTokenCostLayout } from "./layout.js";
import {
  buildTokenCostTable,
  type CostPartName,
  type CostUnit,
  computeTotal,
  describeTokenCosts,
  formatPartName,
  listCostParts,
  listTokenCostNotes,
  TOKEN_CLASSES,
} from "./words.js";

interface TokenCostChartProps extends ChartProps {
  data: readonly TokenCost[];
}

interface TokenCostPlotProps extends Pick<TokenCostChartProps, "data" | "onPick"> {
  unit: CostUnit;
  width: number;
  words: string;
  prefix: string;
}

const PART_LOOKS: Readonly<Record<CostPartName, { color: string; texture: Texture }>> = {
  input: { color: "var(--series-1)", texture: "plain" },
  cacheRead: { color: "var(--series-1)", texture: "stripes" },
  cacheWrite: { color: "var(--series-6)", texture: "dots" },
  output: { color: "var(--series-2)", texture: "plain" },
  reasoning: { color: "var(--series-5)", texture: "bars" },
  notSplit: { color: "var(--series-8)", texture: "plain" },
};

/**
 * What the tokens of each class came to, in dollars where prices are known, or in tokens.
 * @example
 * <TokenCostChart data={run.charts.tokenCosts} onPick={({ system }) => navigate(["run", id], { system })} />
 */
export function TokenCostChart({ data, title = "Cost by class of token", onPick }: TokenCostChartProps) {
  const prefix = useId();
  const canPrice = data.some((cost) => computeTotal(cost, "dollars") !== null);
  const [wanted, setUnit] = useState<CostUnit>("dollars");
  const unit = canPrice ? wanted : "tokens";
  const words = describeTokenCosts(data, unit);
  return (
    <ChartFrame
      title={title}
      words={words}
      table={() => buildTokenCostTable(data)}
      legend={buildTokenCostLegend(data, unit, prefix)}
      notes={listTokenCostNotes(data, unit)}
      controls={canPrice && <UnitChoice unit={unit} title={title} onChange={setUnit} />}
    >
      {data.some((cost) => computeTotal(cost, unit) !== null)
        ? (width) => (
            <TokenCostPlot
              data={data}
              unit={unit}
              width={width}
              words={`${title}. ${words}`}
              prefix={prefix}
              onPick={onPick}
            />
          )
        : null}
    </ChartFrame>
  );
}

function UnitChoice({ unit, title, onChange }: { unit: CostUnit; title: string; onChange: (unit: CostUnit) => void }) {
  return (
    <fieldset class="choice" aria-label={`Unit of ${title}`}>
      {(["dollars", "tokens"] as const).map((choice) => (
        <button key={choice} type="button" aria-pressed={choice === unit} onClick={() => onChange(choice)}>
          {choice === "dollars" ? "Dollars" : "Tokens"}
        </button>
      ))}
    </fieldset>
  );
}

function buildTokenCostLegend(data: readonly TokenCost[], unit: CostUnit, prefix: string): LegendEntry[] {
  const parts = data.flatMap((cost) => listCostParts(cost, unit));
  const used = new Set(parts.filter(({ tokens }) => tokens === null || tokens > 0).map(({ name }) => name));
  return ([...TOKEN_CLASSES, "notSplit"] as const)
    .filter((name) => used.has(name))
    .map((name) => ({
      name: formatPartName(name),
      glyph: { kind: "area", color: PART_LOOKS[name].color, texture: getTextureUrl(prefix, PART_LOOKS[name].texture) },
    }));
}

function TokenCostPlot({ data, unit, width, words, prefix, onPick }: TokenCostPlotProps) {
  const layout = useMemo(() => computeTokenCostLayout(data, unit, width), [data, unit, width]);
  const { rows, x, parts, totals, bills, marks } = layout;
  const drawing = useMemo(
    () => (
      <>
        <TextureDefs prefix={prefix} />
        <BottomAxis axis={x} area={rows} label={unit === "dollars" ? "dollars →" : "tokens →"} />
        <BarNames rows={rows} />
        <g class="stack">
          {parts.map(({ id, name, box }) => (
            <TexturedBox
              key={id}
              box={box}
              color={PART_LOOKS[name].color}
              texture={getTextureUrl(prefix, PART_LOOKS[name].texture)}
            />
          ))}
        </g>
        {bills.map(({ system, x: at, top, bottom }) => (
          <line key={system} class="bill" x1={at} x2={at} y1={top} y2={bottom} />
        ))}
        <g class="names figures" {...ARIA_HIDDEN}>
          {totals.map(({ system, text, x: at, y }) => (
            <text key={system} x={at} y={y}>
              {text}
            </text>
          ))}
        </g>
      </>
    ),
    [layout, unit, prefix],
  );
  return (
    <Plot width={width} height={rows.height} label={words} marks={marks} onPick={onPick}>
      {drawing}
    </Plot>
  );
}
