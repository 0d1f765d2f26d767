import type { CostSpeedChart as CostSpeedData, CostSpeedPoint } from "../../../../src/report/dashboard/contract.js";
import { formatDollars, formatPlural, formatSeconds, formatShare } from "../../ui/format.js";
import type { ChartTableData } from "../frame/table.js";
import { formatName, formatNameList, shortenName } from "../names.js";
import type { TooltipFact } from "../plot/mark.js";
import { hasCostAndTime } from "./layout.js";

/** What a tooltip tells of a system. */
export function describeCostSpeedPoint(point: CostSpeedPoint): { title: string; facts: TooltipFact[] } {
  const { system, harness, costPerPassUsd, secondsPerPass, passRate, dominatedBy } = point;
  const facts: (TooltipFact | null)[] = [
    ["Cost of a pass", costPerPassUsd === 0 ? "free" : formatDollars(costPerPassUsd)],
    ["Time of a pass", formatSeconds(secondsPerPass)],
    ["Success rate", formatShare(passRate)],
    harness === null ? null : ["Harness", formatName(harness)],
    dominatedBy.length === 0 ? ["Frontier", "on it"] : ["Dominated by", formatNameList(dominatedBy, 4)],
  ];
  return { title: formatName(system), facts: facts.filter((fact) => fact !== null) };
}

/** What the chart shows, or why there is none. */
export function describeCostSpeed({ points, front }: CostSpeedData): string {
  if (points.length === 0) return "There is nothing to draw: the run has no systems.";
  const placed = points.filter(hasCostAndTime);
  if (placed.length === 0) return "There is nothing to draw: no system has both a cost and a time of a pass.";
  const dominated = placed.filter(({ dominatedBy }) => dominatedBy.length > 0).length;
  const rest =
    placed.length > 1
      ? ` ${dominated === 0 ? "None" : dominated} of ${formatPlural(placed.length, "system")} ${dominated > 1 ? "are" : "is"} dominated.`
      : "";
  return `${describeFrontier(front)}${rest} Dollars and seconds are of all trials, failures included, for each pass. Towards the lower left is cheaper and faster; larger marks succeed more often.`;
}

function describeFrontier(front: readonly string[]): string {
  const [cheapest, fastest] = [front[0], front.at(-1)];
  if (cheapest === undefined || fastest === undefined) return "No system is on the frontier.";
  if (front.length === 1)
    return `${shortenName(cheapest)} alone is on the frontier: the cheapest and the fastest for a pass.`;
  return `On the frontier, ${shortenName(cheapest)} is the cheapest for a pass and ${shortenName(fastest)} the fastest.`;
}

/** Systems that have no place, each with the reason. */
export function listCostSpeedNotes({ points }: CostSpeedData): string[] {
  const out = points.filter((point) => !hasCostAndTime(point));
  const reasons = out.map(({ system, leftOut }) => `${formatName(system)} (${leftOut ?? "cost or time is not known"})`);
  return out.length === 0 ? [] : [`Left out: ${reasons.join("; ")}.`];
}

/** The same as a table. */
export function buildCostSpeedTable({ points, front }: CostSpeedData): ChartTableData {
  return {
    columns: [
      "System",
      "Harness",
      "Dominated by",
      "Left out because",
      "Cost of a pass",
      "Time of a pass",
      "Success rate",
      "On the frontier",
    ],
    words: 4,
    rows: points.map((point) => [
      formatName(point.system),
      point.harness === null ? "–" : formatName(point.harness),
      point.dominatedBy.length === 0 ? "–" : point.dominatedBy.map(formatName).join(", "),
      point.leftOut ?? "–",
      formatDollars(point.costPerPassUsd),
      formatSeconds(point.secondsPerPass),
      formatShare(point.passRate),
      front.includes(point.system) ? "yes" : "no",
    ]),
  };
}
