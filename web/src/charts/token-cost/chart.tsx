import { useId, useMemo, useState } from "preact/hooks";
import type { TokenCost } from "../../../../src/report/dashboard/contract.js";
import { AxisBelow } from "../axes/draw.js";
import { RowNames } from "../bars/names.js";
import { ChartFrame } from "../frame/frame.js";
import type { LegendEntry } from "../frame/legend.js";
import { Plot } from "../plot/plot.js";
import { Filled, type Texture, TextureDefs, textureUrl } from "../plot/textures.js";
import { UNHEARD } from "../plot/unheard.js";
import type { ChartProps } from "../props.js";
import { layoutTokenCosts } from "./layout.js";
import {
  CLASSES,
  type PartName,
  partsOf,
  partTitle,
  tokenCostNotes,
  tokenCostTable,
  tokenCostWords,
  totalOf,
  type Unit,
} from "./words.js";

interface Props extends ChartProps {
  data: readonly TokenCost[];
}

interface DrawnProps extends Pick<Props, "data" | "onPick"> {
  unit: Unit;
  width: number;
  words: string;
  prefix: string;
}

const LOOKS: Readonly<Record<PartName, { colour: string; texture: Texture }>> = {
  input: { colour: "var(--series-1)", texture: "plain" },
  cacheRead: { colour: "var(--series-1)", texture: "stripes" },
  cacheWrite: { colour: "var(--series-6)", texture: "dots" },
  output: { colour: "var(--series-2)", texture: "plain" },
  reasoning: { colour: "var(--series-5)", texture: "bars" },
  notSplit: { colour: "var(--series-8)", texture: "plain" },
};

/**
 * What the tokens of each class came to, in dollars where prices are known, or in tokens.
 * @example
 * <TokenCostChart data={run.charts.tokenCosts} onPick={({ system }) => goTo(["run", id], { system })} />
 */
export function TokenCostChart({ data, title = "Cost by class of token", onPick }: Props) {
  const prefix = useId();
  const canPrice = data.some((cost) => totalOf(cost, "dollars") !== null);
  const [wanted, setUnit] = useState<Unit>("dollars");
  const unit = canPrice ? wanted : "tokens";
  const words = tokenCostWords(data, unit);
  return (
    <ChartFrame
      title={title}
      words={words}
      table={() => tokenCostTable(data)}
      legend={legendOf(data, unit, prefix)}
      notes={tokenCostNotes(data, unit)}
      controls={canPrice && <UnitChoice unit={unit} title={title} onChange={setUnit} />}
    >
      {data.some((cost) => totalOf(cost, unit) !== null)
        ? (width) => (
            <Drawn data={data} unit={unit} width={width} words={`${title}. ${words}`} prefix={prefix} onPick={onPick} />
          )
        : null}
    </ChartFrame>
  );
}

function UnitChoice({ unit, title, onChange }: { unit: Unit; title: string; onChange: (unit: Unit) => void }) {
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

function legendOf(data: readonly TokenCost[], unit: Unit, prefix: string): LegendEntry[] {
  const parts = data.flatMap((cost) => partsOf(cost, unit));
  const used = new Set(parts.filter(({ tokens }) => tokens === null || tokens > 0).map(({ name }) => name));
  return ([...CLASSES, "notSplit"] as const)
    .filter((name) => used.has(name))
    .map((name) => ({
      name: partTitle(name),
      glyph: { kind: "area", colour: LOOKS[name].colour, texture: textureUrl(prefix, LOOKS[name].texture) },
    }));
}

function Drawn({ data, unit, width, words, prefix, onPick }: DrawnProps) {
  const layout = useMemo(() => layoutTokenCosts(data, unit, width), [data, unit, width]);
  const { rows, x, parts, totals, bills, marks } = layout;
  const drawing = useMemo(
    () => (
      <>
        <TextureDefs prefix={prefix} />
        <AxisBelow axis={x} area={rows} label={unit === "dollars" ? "dollars →" : "tokens →"} />
        <RowNames rows={rows} />
        <g class="stack">
          {parts.map(({ id, name, box }) => (
            <Filled key={id} box={box} colour={LOOKS[name].colour} texture={textureUrl(prefix, LOOKS[name].texture)} />
          ))}
        </g>
        {bills.map(({ system, x: at, top, bottom }) => (
          <line key={system} class="bill" x1={at} x2={at} y1={top} y2={bottom} />
        ))}
        <g class="names figures" {...UNHEARD}>
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
