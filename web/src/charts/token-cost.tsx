import { useId, useMemo, useState } from "preact/hooks";
import type { TokenClass, TokenCost } from "../../../src/report/dashboard/contract.js";
import { formatCount, formatDollars, formatPlural, formatShare } from "../ui/index.js";
import {
  ARIA_HIDDEN,
  type Axis,
  BottomAxis,
  computeTickCount,
  createLinearAxis,
  formatCountTick,
  formatDollarTick,
} from "./axes.js";
import { BarNames, type BarRows, computeBarRows, stackParts } from "./bars.js";
import { ChartFrame, type ChartTableData, type LegendEntry } from "./frame.js";
import { getTextureUrl, type Texture, TextureDefs, TexturedBox } from "./looks.js";
import { formatName, formatNameList, shortenName } from "./names.js";
import { type Box, type ChartProps, type Mark, Plot, type TooltipFact } from "./plot.js";

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
 * The cost of each class of tokens, in dollars where prices are known, or in tokens.
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

interface TokenCostLayout {
  rows: BarRows;
  x: Axis;
  parts: readonly { readonly id: string; readonly name: CostPartName; readonly box: Box }[];
  totals: readonly { readonly system: string; readonly text: string; readonly x: number; readonly y: number }[];
  /** The bill, where the classes do not add up to it. */
  bills: readonly { readonly system: string; readonly x: number; readonly top: number; readonly bottom: number }[];
  marks: readonly Mark[];
}

export function computeTokenCostLayout(costs: readonly TokenCost[], unit: CostUnit, width: number): TokenCostLayout {
  const rows = computeBarRows(
    costs.map(({ system }) => system),
    { width, band: costs.length > 12 ? 14 : 22, after: 76 },
  );
  const bills = unit === "dollars" ? costs.filter(isBilledLess) : [];
  const values = [...costs.map((cost) => computeTotal(cost, unit)), ...bills.map(({ costUsd }) => costUsd)];
  const x = createLinearAxis({
    values,
    include: [0],
    range: [rows.left, rows.right],
    text: unit === "dollars" ? formatDollarTick : formatCountTick,
    count: computeTickCount(rows, 90),
  });
  const bars = costs.flatMap((cost, index) =>
    placeCostParts(cost, { unit, x, top: rows.rows[index]?.top ?? 0, band: rows.rows[index]?.band ?? 0 }),
  );
  return {
    rows,
    x,
    parts: bars.map(({ id, name, box }) => ({ id, name, box })),
    totals: costs.map((cost, index) =>
      placeTotal(cost, { unit, x, top: (rows.rows[index]?.top ?? 0) + (rows.rows[index]?.band ?? 0) / 2 + 4, band: 0 }),
    ),
    bills: bills.map(({ system, costUsd }) => {
      const row = rows.rows.find((candidate) => candidate.system === system);
      return {
        system,
        x: x.toPixel(costUsd ?? 0),
        top: (row?.top ?? 0) - 2,
        bottom: (row?.top ?? 0) + (row?.band ?? 0) + 2,
      };
    }),
    marks: bars.map(({ mark }) => mark),
  };
}

interface TokenCostRow {
  unit: CostUnit;
  x: Axis;
  top: number;
  band: number;
}

function placeCostParts(cost: TokenCost, { unit, x, top, band }: TokenCostRow) {
  if (computeTotal(cost, unit) === null) return [];
  const parts = listCostParts(cost, unit);
  const byName = new Map(parts.map((part) => [part.name, part]));
  return stackParts(parts.map((part) => [part.name, getAmount(part, unit)] as const)).flatMap(({ name, from, to }) => {
    const part = byName.get(name);
    if (part === undefined) return [];
    const box: Box = {
      x: x.toPixel(from),
      y: top,
      width: Math.max(x.toPixel(to) - x.toPixel(from), 0.5),
      height: band,
    };
    const id = JSON.stringify([cost.system, name]);
    const place = { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    const mark: Mark = {
      id,
      series: cost.system,
      ...place,
      box,
      ...describeCostPart(cost, part, unit),
      selection: { system: cost.system },
    };
    return [{ id, name, box, mark }];
  });
}

function placeTotal(cost: TokenCost, { unit, x, top }: TokenCostRow) {
  const total = computeTotal(cost, unit);
  const shownTotal = unit === "dollars" ? (cost.costUsd ?? total) : total;
  const end = Math.max(total ?? 0, unit === "dollars" ? (shownTotal ?? 0) : 0);
  const text = total === null ? "not known" : formatSpent(cost, unit);
  return { system: cost.system, text, x: x.toPixel(total === null ? 0 : end) + 6, y: top };
}

type CostUnit = "dollars" | "tokens";

const TOKEN_CLASS_NAMES: Readonly<Record<TokenClass, string>> = {
  input: "input",
  cacheRead: "cache read",
  cacheWrite: "cache write",
  output: "output",
  reasoning: "reasoning",
};

const TOKEN_CLASSES = Object.keys(TOKEN_CLASS_NAMES) as readonly TokenClass[];

/** A class of tokens, or billed cost that cannot be split, such as that of a stopped trial. */
type CostPartName = TokenClass | "notSplit";

interface CostPart {
  readonly name: CostPartName;
  readonly tokens: number | null;
  readonly costUsd: number | null;
}

function formatPartName(name: CostPartName): string {
  return name === "notSplit" ? "not split" : TOKEN_CLASS_NAMES[name];
}

/** A bill and a sum of prices count as equal up to this share of the larger. */
const ROUNDING_TOLERANCE = 0.005;

/** In dollars; 0 where prices are not known. */
function sumPricedUsd(cost: TokenCost): number {
  return isFullyPriced(cost) ? cost.classes.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0) : 0;
}

/** Billed beyond the classes: the tokens were not reported, or have no known price. */
function computeUnsplitUsd(cost: TokenCost): number {
  const rest = (cost.costUsd ?? 0) - sumPricedUsd(cost);
  return rest > (cost.costUsd ?? 0) * ROUNDING_TOLERANCE ? rest : 0;
}

export function listCostParts(cost: TokenCost, unit: CostUnit): CostPart[] {
  if (unit === "tokens") return [...cost.classes];
  const rest = computeUnsplitUsd(cost);
  const classes = isFullyPriced(cost) ? cost.classes : [];
  return rest === 0 ? [...classes] : [...classes, { name: "notSplit", tokens: null, costUsd: rest }];
}

/** Whether the cost of every class that was used is known. */
export function isFullyPriced({ classes }: TokenCost): boolean {
  return classes.length > 0 && classes.every(({ tokens, costUsd }) => tokens === 0 || costUsd !== null);
}

function getAmount({ tokens, costUsd }: CostPart, unit: CostUnit): number {
  return Math.max((unit === "dollars" ? costUsd : tokens) ?? 0, 0);
}

/** Null when not known in this unit. */
export function computeTotal(cost: TokenCost, unit: CostUnit): number | null {
  const isKnown = unit === "dollars" ? isFullyPriced(cost) || cost.costUsd !== null : cost.classes.length > 0;
  return isKnown ? listCostParts(cost, unit).reduce((sum, part) => sum + getAmount(part, unit), 0) : null;
}

/** The bill, where there is one. */
function computeSpent(cost: TokenCost, unit: CostUnit): number | null {
  return unit === "dollars" ? (cost.costUsd ?? computeTotal(cost, unit)) : computeTotal(cost, unit);
}

function formatAmount(value: number | null, unit: CostUnit): string {
  return unit === "dollars" ? formatDollars(value) : formatCount(value);
}

/**
 * The bill with "≥" where trials without a known cost are missing from it.
 * @example
 * formatSpent({ system: "a", classes: [], costUsd: 2, unknownCosts: 1 }, "dollars"); // "≥ $2.00"
 */
function formatSpent(cost: TokenCost, unit: CostUnit): string {
  const text = formatAmount(computeSpent(cost, unit), unit);
  return unit === "dollars" && hasPartialBill(cost) ? `≥ ${text}` : text;
}

function formatBill(cost: TokenCost): string {
  return cost.costUsd === null ? formatDollars(null) : formatSpent(cost, "dollars");
}

function hasPartialBill({ costUsd, unknownCosts }: TokenCost): boolean {
  return costUsd !== null && unknownCosts > 0;
}

function describeCostPart(cost: TokenCost, part: CostPart, unit: CostUnit): { title: string; facts: TooltipFact[] } {
  const total = computeTotal(cost, unit) ?? 0;
  return {
    title: `${formatName(cost.system)}: ${formatPartName(part.name)}`,
    facts: [
      ["Cost", formatDollars(part.costUsd)],
      ["Tokens", formatCount(part.tokens)],
      ["Share", total === 0 ? "–" : formatShare(getAmount(part, unit) / total)],
      ["Billed in all", formatBill(cost)],
    ],
  };
}

/** What the chart shows, or why it is empty. */
export function describeTokenCosts(costs: readonly TokenCost[], unit: CostUnit): string {
  if (costs.length === 0) return "Nothing to show: the run has no systems.";
  const known = costs.flatMap((cost) => {
    const total = computeSpent(cost, unit);
    return total === null ? [] : [{ cost, total }];
  });
  const costliest = known.sort((a, b) => b.total - a.total)[0];
  if (costliest === undefined) return "Nothing to show: no system reported its tokens.";
  const { system } = costliest.cost;
  const largest = listCostParts(costliest.cost, unit).sort((a, b) => getAmount(b, unit) - getAmount(a, unit))[0];
  const share = largest === undefined || costliest.total === 0 ? "" : describeShare(largest, costliest.total, unit);
  const all = formatSpent(costliest.cost, unit);
  // A system without a bar may have cost more.
  const among = known.length < costs.length ? `Of ${formatPlural(known.length, "system")} with a bar, ` : "";
  const mayBeExceeded = known.some(({ cost }) => cost !== costliest.cost && hasPartialBill(cost));
  const onlyRank = costs.length === 1 ? "cost" : "is the most expensive with";
  const rank = mayBeExceeded ? "has the largest known bill," : onlyRank;
  return unit === "dollars"
    ? `${among}${shortenName(system)} ${rank} ${all}${share}.`
    : `${among}${shortenName(system)} ${costs.length === 1 ? `used ${all} tokens` : `used the most tokens, ${all}`}${share}. The bars are tokens, not dollars.`;
}

function describeShare(part: CostPart, total: number, unit: CostUnit): string {
  if (part.name === "notSplit" && getAmount(part, unit) >= total) return "; none of it could be split by class";
  const share = formatShare(Math.min(1, getAmount(part, unit) / total));
  return part.name === "notSplit"
    ? `, ${share} of it not split by class`
    : `, ${share} of it for ${formatPartName(part.name)}`;
}

/** Systems without a bar, and bills that differ from their bars. */
export function listTokenCostNotes(costs: readonly TokenCost[], unit: CostUnit): string[] {
  const without = costs.filter((cost) => computeTotal(cost, unit) === null);
  const unreported = without.filter(({ classes }) => classes.length === 0).map(({ system }) => system);
  const unpriced = without.filter(({ classes }) => classes.length > 0).map(({ system }) => system);
  const hasRest = unit === "dollars" && costs.some((cost) => computeUnsplitUsd(cost) > 0);
  const partial = costs.filter(hasPartialBill);
  const hasMore = unit === "dollars" && costs.some(isBilledLess);
  return [
    ...(unit === "dollars" && unpriced.length > 0
      ? [`No bar: ${formatNameList(unpriced, 8)} (the price of the tokens is unknown).`]
      : []),
    ...(unreported.length > 0 ? [`No bar: ${formatNameList(unreported, 8)} (no tokens were reported).`] : []),
    ...(hasRest
      ? [
          "Not split: the cost of trials that did not report all of their tokens, such as stopped ones, or whose price by class is unknown.",
        ]
      : []),
    ...(unit === "dollars" && partial.length > 0
      ? [
          `≥: the cost of some trials is unknown: ${formatNameList(
            partial.map(({ system, unknownCosts }) => `${system} (${formatPlural(unknownCosts, "trial")})`),
            8,
          )}.`,
        ]
      : []),
    ...(hasMore ? ["A vertical line marks the bill where it differs from the sum of the classes."] : []),
  ];
}

/** Whether the bill is less than the sum of the classes by more than a rounding. */
function isBilledLess(cost: TokenCost): boolean {
  const total = sumPricedUsd(cost);
  return cost.costUsd !== null && total - cost.costUsd > total * ROUNDING_TOLERANCE;
}

export function buildTokenCostTable(costs: readonly TokenCost[]): ChartTableData {
  return {
    columns: ["System", "Class", "Tokens", "Cost"],
    words: 2,
    rows: costs.flatMap((cost) => [
      ...[...cost.classes, ...listCostParts(cost, "dollars").filter(({ name }) => name === "notSplit")].map(
        ({ name, tokens, costUsd }) => [
          formatName(cost.system),
          formatPartName(name),
          formatCount(tokens),
          formatDollars(costUsd),
        ],
      ),
      [formatName(cost.system), "billed in all", formatCount(computeTotal(cost, "tokens")), formatBill(cost)],
    ]),
  };
}
