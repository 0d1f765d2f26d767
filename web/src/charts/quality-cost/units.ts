import type { QualityCostChart as QualityCostData } from "../../../../src/report/dashboard/contract.js";
import { formatCount, formatDollars } from "../../ui/format.js";
import { formatCountTick, formatDollarTick, type TickFormatter } from "../axes/ticks.js";

/** How costs are told: in dollars, or in the tokens that stand for them. */
export interface CostUnitWords {
  readonly title: string;
  /** Of one attempt, in tooltips and tables. */
  readonly name: string;
  readonly axis: string;
  /** Of what costs nothing. */
  readonly nothing: string;
  readonly text: (cost: number | null) => string;
  readonly tick: TickFormatter;
  /** Of the first on the front. */
  readonly least: string;
  /** Of one that dominates. */
  readonly asLittle: string;
  readonly unknown: string;
  /** What has to be said before anything else. */
  readonly before: string;
}

const COST_UNITS: Readonly<Record<QualityCostData["costUnit"], CostUnitWords>> = {
  usd: {
    title: "Quality and cost",
    name: "Cost of an attempt",
    axis: "mean cost of an attempt →",
    nothing: "free",
    text: formatDollars,
    tick: formatDollarTick,
    least: "is the cheapest on the front",
    asLittle: "as cheap",
    unknown: "the cost is not known",
    before: "",
  },
  tokens: {
    title: "Quality and output tokens",
    name: "Output tokens of an attempt",
    axis: "mean output tokens of an attempt →",
    nothing: "none",
    text: (cost) => formatCount(cost === null ? null : Math.round(cost)),
    tick: formatCountTick,
    least: "writes the least on the front",
    asLittle: "as short",
    unknown: "its output tokens are not known",
    before: "No cost is known here, so output tokens stand in for it. ",
  },
};

/** The words for the unit of a chart. */
export function getCostUnitWords({ costUnit }: Pick<QualityCostData, "costUnit">): CostUnitWords {
  return COST_UNITS[costUnit];
}
