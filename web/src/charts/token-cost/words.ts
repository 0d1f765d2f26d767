import type { TokenClass, TokenCost } from "../../../../src/views/contract.js";
import { formatCount, formatDollars, formatShare, plural } from "../../ui/format.js";
import type { TableData } from "../frame/table.js";
import { listed, shown, told } from "../names.js";
import type { Fact } from "../plot/mark.js";

/** What the bars are made of. */
export type Unit = "dollars" | "tokens";

export const CLASS_NAMES: Readonly<Record<TokenClass, string>> = {
  input: "input",
  cacheRead: "cache read",
  cacheWrite: "cache write",
  output: "output",
  reasoning: "reasoning",
};

export const CLASSES = Object.keys(CLASS_NAMES) as readonly TokenClass[];

/** Whether the cost of every class that was used is known. */
export function isPriced({ classes }: TokenCost): boolean {
  return classes.length > 0 && classes.every(({ tokens, costUsd }) => tokens === 0 || costUsd !== null);
}

/** How much of a class there is. */
export function amountOf({ tokens, costUsd }: TokenCost["classes"][number], unit: Unit): number {
  return Math.max(unit === "dollars" ? (costUsd ?? 0) : tokens, 0);
}

/** All classes together; null when not known in this unit. */
export function totalOf(cost: TokenCost, unit: Unit): number | null {
  if (cost.classes.length === 0 || (unit === "dollars" && !isPriced(cost))) return null;
  return cost.classes.reduce((sum, part) => sum + amountOf(part, unit), 0);
}

export function formatAmount(value: number | null, unit: Unit): string {
  return unit === "dollars" ? formatDollars(value) : formatCount(value);
}

export function factsOf(
  cost: TokenCost,
  part: TokenCost["classes"][number],
  unit: Unit,
): { title: string; facts: Fact[] } {
  const total = totalOf(cost, unit) ?? 0;
  return {
    title: `${shown(cost.system)}: ${CLASS_NAMES[part.name]}`,
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
    const total = totalOf(cost, unit);
    return total === null ? [] : [{ cost, total }];
  });
  const dearest = known.sort((a, b) => b.total - a.total)[0];
  if (dearest === undefined) return "There is nothing to draw: nobody reported which tokens were used.";
  const { system, classes } = dearest.cost;
  const largest = [...classes].sort((a, b) => amountOf(b, unit) - amountOf(a, unit))[0];
  const share =
    largest === undefined || dearest.total === 0
      ? ""
      : `, ${formatShare(amountOf(largest, unit) / dearest.total)} of it for ${CLASS_NAMES[largest.name]}`;
  const all = formatAmount(dearest.total, unit);
  // One without a bar may have cost more.
  const among = known.length < costs.length ? `Of ${plural(known.length, "system")} with a bar, ` : "";
  return unit === "dollars"
    ? `${among}${told(system)} is the dearest with ${all}${share}.`
    : `${among}${told(system)} used the most tokens, ${all}${share}. The bars are tokens, not dollars.`;
}

/** Systems without a bar, and totals that the bars do not add up to. */
export function tokenCostNotes(costs: readonly TokenCost[], unit: Unit): string[] {
  const unreported = costs.filter(({ classes }) => classes.length === 0).map(({ system }) => system);
  const unpriced = costs.filter((cost) => cost.classes.length > 0 && !isPriced(cost)).map(({ system }) => system);
  const hasMore = unit === "dollars" && costs.some(isBilledOtherwise);
  return [
    ...(unit === "dollars" && unpriced.length > 0
      ? [`No bar, because the price of the tokens is not known: ${listed(unpriced, 8)}.`]
      : []),
    ...(unreported.length > 0
      ? [`No bar, because nobody reported which tokens were used: ${listed(unreported, 8)}.`]
      : []),
    ...(hasMore ? ["The upright line is what was billed, where it is not the sum of the classes."] : []),
  ];
}

/** Whether the bill differs from the sum of the classes by more than a rounding. */
export function isBilledOtherwise(cost: TokenCost): boolean {
  const total = totalOf(cost, "dollars");
  return (
    cost.costUsd !== null && total !== null && Math.abs(cost.costUsd - total) > Math.max(cost.costUsd, total) * 0.005
  );
}

/** The same as a table. */
export function tokenCostTable(costs: readonly TokenCost[]): TableData {
  return {
    columns: ["System", "Class", "Tokens", "Cost"],
    words: 2,
    rows: costs.flatMap((cost) => [
      ...cost.classes.map(({ name, tokens, costUsd }) => [
        shown(cost.system),
        CLASS_NAMES[name],
        formatCount(tokens),
        formatDollars(costUsd),
      ]),
      [shown(cost.system), "billed in all", formatCount(totalOf(cost, "tokens")), formatDollars(cost.costUsd)],
    ]),
  };
}
