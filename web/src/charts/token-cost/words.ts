import type { TokenClass, TokenCost } from "../../../../src/report/dashboard/contract.js";
import { formatCount, formatDollars, formatPlural, formatShare } from "../../ui/format.js";
import type { TableData } from "../frame/table.js";
import { listed, shown, told } from "../names.js";
import type { Fact } from "../plot/mark.js";

/** What the bars are made of. */
export type Unit = "dollars" | "tokens";

const CLASS_NAMES: Readonly<Record<TokenClass, string>> = {
  input: "input",
  cacheRead: "cache read",
  cacheWrite: "cache write",
  output: "output",
  reasoning: "reasoning",
};

export const CLASSES = Object.keys(CLASS_NAMES) as readonly TokenClass[];

/** A part of a bar: a class of tokens, or what was billed and nobody can split, such as a trial that was stopped. */
export type PartName = TokenClass | "notSplit";

export interface CostPart {
  readonly name: PartName;
  readonly tokens: number | null;
  readonly costUsd: number | null;
}

export function partTitle(name: PartName): string {
  return name === "notSplit" ? "not split" : CLASS_NAMES[name];
}

/** Sums of prices and a bill differ by roundings; up to this share of the larger they are the same. */
const TOLERANCE = 0.005;

/** What the classes come to in dollars; 0 where their prices are not known. */
function pricedUsd(cost: TokenCost): number {
  return isPriced(cost) ? cost.classes.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0) : 0;
}

/** What was billed beyond the classes: nobody reported its tokens, or nobody knows their price. */
function notSplitUsd(cost: TokenCost): number {
  const rest = (cost.costUsd ?? 0) - pricedUsd(cost);
  return rest > (cost.costUsd ?? 0) * TOLERANCE ? rest : 0;
}

/** The parts of a system's bar, one after the other. */
export function partsOf(cost: TokenCost, unit: Unit): CostPart[] {
  if (unit === "tokens") return [...cost.classes];
  const rest = notSplitUsd(cost);
  const classes = isPriced(cost) ? cost.classes : [];
  return rest === 0 ? [...classes] : [...classes, { name: "notSplit", tokens: null, costUsd: rest }];
}

/** Whether the cost of every class that was used is known. */
export function isPriced({ classes }: TokenCost): boolean {
  return classes.length > 0 && classes.every(({ tokens, costUsd }) => tokens === 0 || costUsd !== null);
}

/** How much of a class there is. */
export function amountOf({ tokens, costUsd }: CostPart, unit: Unit): number {
  return Math.max((unit === "dollars" ? costUsd : tokens) ?? 0, 0);
}

/** All parts together; null when not known in this unit. */
export function totalOf(cost: TokenCost, unit: Unit): number | null {
  const isKnown = unit === "dollars" ? isPriced(cost) || cost.costUsd !== null : cost.classes.length > 0;
  return isKnown ? partsOf(cost, unit).reduce((sum, part) => sum + amountOf(part, unit), 0) : null;
}

/** What a system came to: its bill, where there is one. */
function spentOf(cost: TokenCost, unit: Unit): number | null {
  return unit === "dollars" ? (cost.costUsd ?? totalOf(cost, unit)) : totalOf(cost, unit);
}

export function formatAmount(value: number | null, unit: Unit): string {
  return unit === "dollars" ? formatDollars(value) : formatCount(value);
}

export function factsOf(cost: TokenCost, part: CostPart, unit: Unit): { title: string; facts: Fact[] } {
  const total = totalOf(cost, unit) ?? 0;
  return {
    title: `${shown(cost.system)}: ${partTitle(part.name)}`,
    facts: [
      ["Cost", formatDollars(part.costUsd)],
      ["Tokens", formatCount(part.tokens)],
      ["Share", total === 0 ? "–" : formatShare(amountOf(part, unit) / total)],
      ["Billed in all", formatDollars(cost.costUsd)],
    ],
  };
}

/** What the chart shows, or why there is none. */
export function tokenCostWords(costs: readonly TokenCost[], unit: Unit): string {
  if (costs.length === 0) return "There is nothing to draw: the run has no systems.";
  const known = costs.flatMap((cost) => {
    const total = spentOf(cost, unit);
    return total === null ? [] : [{ cost, total }];
  });
  const dearest = known.sort((a, b) => b.total - a.total)[0];
  if (dearest === undefined) return "There is nothing to draw: nobody reported which tokens were used.";
  const { system } = dearest.cost;
  const largest = partsOf(dearest.cost, unit).sort((a, b) => amountOf(b, unit) - amountOf(a, unit))[0];
  const share = largest === undefined || dearest.total === 0 ? "" : shareWords(largest, dearest.total, unit);
  const all = formatAmount(dearest.total, unit);
  // One without a bar may have cost more.
  const among = known.length < costs.length ? `Of ${formatPlural(known.length, "system")} with a bar, ` : "";
  return unit === "dollars"
    ? `${among}${told(system)} is the dearest with ${all}${share}.`
    : `${among}${told(system)} used the most tokens, ${all}${share}. The bars are tokens, not dollars.`;
}

function shareWords(part: CostPart, total: number, unit: Unit): string {
  const share = formatShare(Math.min(1, amountOf(part, unit) / total));
  return part.name === "notSplit"
    ? `, ${share} of it not split by class`
    : `, ${share} of it for ${partTitle(part.name)}`;
}

/** Systems without a bar, and totals that the bars do not add up to. */
export function tokenCostNotes(costs: readonly TokenCost[], unit: Unit): string[] {
  const without = costs.filter((cost) => totalOf(cost, unit) === null);
  const unreported = without.filter(({ classes }) => classes.length === 0).map(({ system }) => system);
  const unpriced = without.filter(({ classes }) => classes.length > 0).map(({ system }) => system);
  const hasRest = unit === "dollars" && costs.some((cost) => notSplitUsd(cost) > 0);
  const hasMore = unit === "dollars" && costs.some(isBilledOtherwise);
  return [
    ...(unit === "dollars" && unpriced.length > 0
      ? [`No bar, because the price of the tokens is not known: ${listed(unpriced, 8)}.`]
      : []),
    ...(unreported.length > 0
      ? [`No bar, because nobody reported which tokens were used: ${listed(unreported, 8)}.`]
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
export function isBilledOtherwise(cost: TokenCost): boolean {
  const total = pricedUsd(cost);
  return cost.costUsd !== null && total - cost.costUsd > total * TOLERANCE;
}

/** The same as a table. */
export function tokenCostTable(costs: readonly TokenCost[]): TableData {
  return {
    columns: ["System", "Class", "Tokens", "Cost"],
    words: 2,
    rows: costs.flatMap((cost) => [
      ...[...cost.classes, ...partsOf(cost, "dollars").filter(({ name }) => name === "notSplit")].map(
        ({ name, tokens, costUsd }) => [
          shown(cost.system),
          partTitle(name),
          formatCount(tokens),
          formatDollars(costUsd),
        ],
      ),
      [shown(cost.system), "billed in all", formatCount(totalOf(cost, "tokens")), formatDollars(cost.costUsd)],
    ]),
  };
}
