import type {
  QualityCostChart as QualityCostData,
  QualityCostPoint,
} from "../../../../src/report/dashboard/contract.js";
import { formatNumber, formatPlural, formatShare } from "../../ui/format.js";
import type { ChartTableData } from "../frame/table.js";
import { formatName, formatNameList, shortenName } from "../names.js";
import type { TooltipFact } from "../plot/mark.js";
import { type CostUnitWords, getCostUnitWords } from "./units.js";

/** What a tooltip tells of a system. */
export function describeQualityCostPoint(
  point: QualityCostPoint,
  units: CostUnitWords,
): { title: string; facts: TooltipFact[] } {
  const { system, harness, cost, n, dominatedBy, membership } = point;
  const facts: (TooltipFact | null)[] = [
    ["Quality", formatQuality(point)],
    [units.name, cost === 0 ? units.nothing : units.text(cost)],
    ["Tasks", String(n)],
    harness === null ? null : ["Harness", formatName(harness)],
    dominatedBy.length === 0 ? ["Front", "on it"] : ["Dominated by", formatNameList(dominatedBy, 4)],
    membership === null ? null : ["On the front in", `${formatShare(membership)} of resamples`],
  ];
  return { title: formatName(system), facts: facts.filter((fact) => fact !== null) };
}

function formatQuality({ quality, low, high }: QualityCostPoint): string {
  const interval = low === null || high === null ? "no interval" : `${formatNumber(low)} to ${formatNumber(high)}`;
  return quality === null ? "–" : `${formatNumber(quality)} (${interval})`;
}

/** What the chart shows, or why there is none. */
export function describeQualityCost({ points, front, hull, costUnit }: QualityCostData): string {
  const units = getCostUnitWords({ costUnit });
  if (points.length === 0) return "There is nothing to draw: the run has no systems.";
  const placed = points.filter(({ cost, quality }) => cost !== null && quality !== null);
  if (placed.length === 0) return "There is nothing to draw: no system has both a score and a known cost.";
  const dominated = placed.filter(({ dominatedBy }) => dominatedBy.length > 0).length;
  const said = `${describeFront(front, units)} ${describeDominated(dominated, placed.length, units)}${describeHull(front, hull)}`;
  return `${units.before}${said}`;
}

function describeFront(front: readonly string[], { least }: CostUnitWords): string {
  const [cheapest, best] = [front[0], front.at(-1)];
  if (cheapest === undefined || best === undefined) return "No system is on the front.";
  if (front.length === 1) return `${shortenName(cheapest)} alone is on the front.`;
  return `${shortenName(cheapest)} ${least} and ${shortenName(best)} is the best.`;
}

function describeDominated(dominated: number, total: number, { asLittle }: CostUnitWords): string {
  if (total === 1) return "There is no other system to hold against it.";
  if (dominated === 0) return `None of ${formatPlural(total, "system")} is dominated.`;
  const verb = dominated > 1 ? "are" : "is";
  return `${dominated} of ${formatPlural(total, "system")} ${verb} dominated: another is at least as good and ${asLittle}, and better in one.`;
}

function describeHull(front: readonly string[], hull: readonly string[]): string {
  const under = front.filter((name) => !hull.includes(name));
  return under.length === 0 || hull.length < 2
    ? ""
    : ` A mix of two others reaches what ${formatNameList(under)} ${under.length > 1 ? "do" : "does"}.`;
}

/** Systems that have no place, and why. */
export function listQualityCostNotes({ points, costUnit }: QualityCostData): string[] {
  const { unknown } = getCostUnitWords({ costUnit });
  const unscored = points.filter(({ quality }) => quality === null).map(({ system }) => system);
  const unpriced = points.filter(({ cost, quality }) => cost === null && quality !== null).map(({ system }) => system);
  return [
    ...(unpriced.length > 0 ? [`Not drawn, because ${unknown}: ${formatNameList(unpriced, 8)}.`] : []),
    ...(unscored.length > 0 ? [`Not drawn, because nothing was scored: ${formatNameList(unscored, 8)}.`] : []),
  ];
}

/** The same as a table. */
export function buildQualityCostTable({ points, front, hull, costUnit }: QualityCostData): ChartTableData {
  const units = getCostUnitWords({ costUnit });
  return {
    columns: [
      "System",
      "Harness",
      "Dominated by",
      "Quality",
      "from",
      "to",
      units.name,
      "Tasks",
      "On the front",
      "On the hull",
      "Resamples on the front",
    ],
    words: 3,
    rows: points.map((point) => [
      formatName(point.system),
      point.harness === null ? "–" : formatName(point.harness),
      point.dominatedBy.length === 0 ? "–" : point.dominatedBy.map(formatName).join(", "),
      formatNumber(point.quality),
      formatNumber(point.low),
      formatNumber(point.high),
      units.text(point.cost),
      String(point.n),
      front.includes(point.system) ? "yes" : "no",
      hull.includes(point.system) ? "yes" : "no",
      formatShare(point.membership),
    ]),
  };
}
