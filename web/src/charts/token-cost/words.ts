import type { TokenClass, TokenCost } from "../../../../src/report/dashboard/contract.js";
import { formatCount, formatDollars, formatPlural, formatShare } from "../../ui/format.js";
import type { ChartTableData } from "../frame/table.js";
import { formatName, formatNameList, shortenName } from "../names.js";
import type { TooltipFact } from "../plot/mark.js";

/** What the bars are made of. */
export type CostUnit = "dollars" | "tokens";

const TOKEN_CLASS_NAMES: Readonly<Record<TokenClass, string>> = {
  input: "input",
  cacheRead: "cache read",
  cacheWrite: "cache write",
  output: "output",
  reasoning: "reasoning",
};

export const TOKEN_CLASSES = Object.keys(TOKEN_CLASS_NAMES) as readonly TokenClass[];

/** A part of a bar: a class of tokens, or what was billed and nobody can split, such as a trial that was stopped. */
export type CostPartName = TokenClass | "notSplit";

export interface CostPart {
  readonly name: CostPartName;
  readonly tokens: number | null;
  readonly costUsd: number | null;
}

export function formatPartName(name: CostPartName): string {
  return name === "notSplit" ? "not split" : TOKEN_CLASS_NAMES[name];
}

/** Sums of prices and a bill differ by roundings; up to this share of the larger they are the same. */
const ROUNDING_TOLERANCE = 0.005;

/** What the classes come to in dollars; 0 where their prices are not known. */
function sumPricedUsd(cost: TokenCost): number {
  return isFullyPriced(cost) ? cost.classes.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0) : 0;
}

/** What was billed beyond the classes: nobody reported its tokens, or nobody knows their price. */
function computeUnsplitUsd(cost: TokenCost): number {
  const rest = (cost.costUsd ?? 0) - sumPricedUsd(cost);
  return rest > (cost.costUsd ?? 0) * ROUNDING_TOLERANCE ? rest : 0;
}

/** The parts of a system's bar, one after the other. */
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

/** How much of a class there is. */
export function getAmount({ tokens, costUsd }: CostPart, unit: CostUnit): number {
  return Math.max((unit === "dollars" ? costUsd : tokens) ?? 0, 0);
}

/** All parts together; null when not known in this unit. */
export function computeTotal(cost: TokenCost, unit: CostUnit): number | null {
  const isKnown = unit === "dollars" ? isFullyPriced(cost) || cost.costUsd !== null : cost.classes.length > 0;
  return isKnown ? listCostParts(cost, unit).reduce((sum, part) => sum + getAmount(part, unit), 0) : null;
}

/** What a system came to: its bill, where there is one. */
function computeSpent(cost: TokenCost, unit: CostUnit): number | null {
  return unit === "dollars" ? (cost.costUsd ?? computeTotal(cost, unit)) : computeTotal(cost, unit);
}

export function formatAmount(value: number | null, unit: CostUnit): string {
  return unit === "dollars" ? formatDollars(value) : formatCount(value);
}

export function describeCostPart(
  cost: TokenCost,
  part: CostPart,
  unit: CostUnit,
): { title: string; facts: TooltipFact[] } {
  const total = computeTotal(cost, unit) ?? 0;
  return {
    title: `${formatName(cost.system)}: ${formatPartName(part.name)}`,
    facts: [
      ["Cost", formatDollars(part.costUsd)],
      ["Tokens", formatCount(part.tokens)],
      ["Share", total === 0 ? "–" : formatShare(getAmount(part, unit) / total)],
      ["Billed in all", formatDollars(cost.costUsd)],
    ],
  };
}

/** What the chart shows, or why there is none. */
export function describeTokenCosts(costs: readonly TokenCost[], unit: CostUnit): string {
  if (costs.length === 0) return "There is nothing to draw: the run has no systems.";
  const known = costs.flatMap((cost) => {
    const total = computeSpent(cost, unit);
    return total === null ? [] : [{ cost, total }];
  });
  const dearest = known.sort((a, b) => b.total - a.total)[0];
  if (dearest === undefined) return "There is nothing to draw: nobody reported which tokens were used.";
  const { system } = dearest.cost;
  const largest = listCostParts(dearest.cost, unit).sort((a, b) => getAmount(b, unit) - getAmount(a, unit))[0];
  const share = largest === undefined || dearest.total === 0 ? "" : describeShare(largest, dearest.total, unit);
  const all = formatAmount(dearest.total, unit);
  // One without a bar may have cost more.
  const among = known.length < costs.length ? `Of ${formatPlural(known.length, "system")} with a bar, ` : "";
  return unit === "dollars"
    ? `${among}${shortenName(system)} is the dearest with ${all}${share}.`
    : `${among}${shortenName(system)} used the most tokens, ${all}${share}. The bars are tokens, not dollars.`;
}

function describeShare(part: CostPart, total: number, unit: CostUnit): string {
  const share = formatShare(Math.min(1, getAmount(part, unit) / total));
  return part.name === "notSplit"
    ? `, ${share} of it not split by class`
    : `, ${share} of it for ${formatPartName(part.name)}`;
}

/** Systems without a bar, and totals that the bars do not add up to. */
export function listTokenCostNotes(costs: readonly TokenCost[], unit: CostUnit): string[] {
  const without = costs.filter((cost) => computeTotal(cost, unit) === null);
  const unreported = without.filter(({ classes }) => classes.length === 0).map(({ system }) => system);
  const unpriced = without.filter(({ classes }) => classes.length > 0).map(({ system }) => system);
  const hasRest = unit === "dollars" && costs.some((cost) => computeUnsplitUsd(cost) > 0);
  const hasMore = unit === "dollars" && costs.some(isBilledLess);
  return [
    ...(unit === "dollars" && unpriced.length > 0
      ? [`No bar, because the price of the tokens is not known: ${formatNameList(unpriced, 8)}.`]
      : []),
    ...(unreported.length > 0
      ? [`No bar, because nobody reported which tokens were used: ${formatNameList(unreported, 8)}.`]
      : []),
    ...(hasRest
      ? [
          "Not split: billed for trials of which not all tokens were reported, such as stopped ones, or without a price by class.",
        ]
      : []),
    ...(hasMore ? ["The upright line is what was billed, where it is not the sum of the classes."] : []),
  ];
}

/** Whether the bill is less than the sum of the classes by more than a rounding. */
export function isBilledLess(cost: TokenCost): boolean {
  const total = sumPricedUsd(cost);
  return cost.costUsd !== null && total - cost.costUsd > total * ROUNDING_TOLERANCE;
}

/** The same as a table. */
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
      [
        formatName(cost.system),
        "billed in all",
        formatCount(computeTotal(cost, "tokens")),
        formatDollars(cost.costUsd),
      ],
    ]),
  };
}
