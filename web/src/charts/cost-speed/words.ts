import type { CostSpeedChart, CostSpeedPoint } from "../../../../src/report/dashboard/contract.js";
import { formatDollars, formatPlural, formatSeconds, formatShare } from "../../ui/format.js";
import type { TableData } from "../frame/table.js";
import { listed, shown, told } from "../names.js";
import type { Fact } from "../plot/mark.js";
import { isPlaced } from "./layout.js";

/** What a tooltip tells of a system. */
export function factsOf(point: CostSpeedPoint): { title: string; facts: Fact[] } {
  const { system, harness, costPerPassUsd, secondsPerPass, passRate, dominatedBy } = point;
  const facts: (Fact | null)[] = [
    ["Cost of a pass", costPerPassUsd === 0 ? "free" : formatDollars(costPerPassUsd)],
    ["Time of a pass", formatSeconds(secondsPerPass)],
    ["Success rate", formatShare(passRate)],
    harness === null ? null : ["Harness", shown(harness)],
    dominatedBy.length === 0 ? ["Frontier", "on it"] : ["Dominated by", listed(dominatedBy, 4)],
  ];
  return { title: shown(system), facts: facts.filter((fact) => fact !== null) };
}

/** What the chart shows, or why there is none. */
export function costSpeedWords({ points, front }: CostSpeedChart): string {
  if (points.length === 0) return "There is nothing to draw: the run has no systems.";
  const placed = points.filter(isPlaced);
  if (placed.length === 0) return "There is nothing to draw: no system has both a cost and a time of a pass.";
  const dominated = placed.filter(({ dominatedBy }) => dominatedBy.length > 0).length;
  const rest =
    placed.length > 1
      ? ` ${dominated === 0 ? "None" : dominated} of ${formatPlural(placed.length, "system")} ${dominated > 1 ? "are" : "is"} dominated.`
      : "";
  return `${frontWords(front)}${rest} Dollars and seconds are of all trials, failures included, for each pass. Towards the lower left is cheaper and faster; larger marks succeed more often.`;
}

function frontWords(front: readonly string[]): string {
  const [cheapest, fastest] = [front[0], front.at(-1)];
  if (cheapest === undefined || fastest === undefined) return "No system is on the frontier.";
  if (front.length === 1) return `${told(cheapest)} alone is on the frontier: the cheapest and the fastest for a pass.`;
  return `On the frontier, ${told(cheapest)} is the cheapest for a pass and ${told(fastest)} the fastest.`;
}

/** Systems that have no place, each with the reason. */
export function costSpeedNotes({ points }: CostSpeedChart): string[] {
  const out = points.filter((point) => !isPlaced(point));
  const reasons = out.map(({ system, leftOut }) => `${shown(system)} (${leftOut ?? "cost or time is not known"})`);
  return out.length === 0 ? [] : [`Left out: ${reasons.join("; ")}.`];
}

/** The same as a table. */
export function costSpeedTable({ points, front }: CostSpeedChart): TableData {
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
      shown(point.system),
      point.harness === null ? "–" : shown(point.harness),
      point.dominatedBy.length === 0 ? "–" : point.dominatedBy.map(shown).join(", "),
      point.leftOut ?? "–",
      formatDollars(point.costPerPassUsd),
      formatSeconds(point.secondsPerPass),
      formatShare(point.passRate),
      front.includes(point.system) ? "yes" : "no",
    ]),
  };
}
