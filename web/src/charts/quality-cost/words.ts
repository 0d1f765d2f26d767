import type { QualityCostChart, QualityCostPoint } from "../../../../src/report/dashboard/contract.js";
import { formatNumber, formatPlural, formatShare } from "../../ui/format.js";
import type { TableData } from "../frame/table.js";
import { listed, shown, told } from "../names.js";
import type { Fact } from "../plot/mark.js";
import { type CostWords, costWords } from "./units.js";

/** What a tooltip tells of a system. */
export function factsOf(point: QualityCostPoint, units: CostWords): { title: string; facts: Fact[] } {
  const { system, harness, cost, n, dominatedBy, membership } = point;
  const facts: (Fact | null)[] = [
    ["Quality", qualityText(point)],
    [units.name, cost === 0 ? units.nothing : units.text(cost)],
    ["Tasks", String(n)],
    harness === null ? null : ["Harness", shown(harness)],
    dominatedBy.length === 0 ? ["Front", "on it"] : ["Dominated by", listed(dominatedBy, 4)],
    membership === null ? null : ["On the front in", `${formatShare(membership)} of resamples`],
  ];
  return { title: shown(system), facts: facts.filter((fact) => fact !== null) };
}

function qualityText({ quality, low, high }: QualityCostPoint): string {
  const interval = low === null || high === null ? "no interval" : `${formatNumber(low)} to ${formatNumber(high)}`;
  return quality === null ? "–" : `${formatNumber(quality)} (${interval})`;
}

/** What the chart shows, or why there is none. */
export function qualityCostWords({ points, front, hull, costUnit }: QualityCostChart): string {
  const units = costWords({ costUnit });
  if (points.length === 0) return "There is nothing to draw: the run has no systems.";
  const placed = points.filter(({ cost, quality }) => cost !== null && quality !== null);
  if (placed.length === 0) return "There is nothing to draw: no system has both a score and a known cost.";
  const dominated = placed.filter(({ dominatedBy }) => dominatedBy.length > 0).length;
  const said = `${frontWords(front, units)} ${dominatedWords(dominated, placed.length, units)}${hullWords(front, hull)}`;
  return `${units.before}${said}`;
}

function frontWords(front: readonly string[], { least }: CostWords): string {
  const [cheapest, best] = [front[0], front.at(-1)];
  if (cheapest === undefined || best === undefined) return "No system is on the front.";
  if (front.length === 1) return `${told(cheapest)} alone is on the front.`;
  return `${told(cheapest)} ${least} and ${told(best)} is the best.`;
}

function dominatedWords(dominated: number, total: number, { asLittle }: CostWords): string {
  if (total === 1) return "There is no other system to hold against it.";
  if (dominated === 0) return `None of ${formatPlural(total, "system")} is dominated.`;
  const verb = dominated > 1 ? "are" : "is";
  return `${dominated} of ${formatPlural(total, "system")} ${verb} dominated: another is at least as good and ${asLittle}, and better in one.`;
}

function hullWords(front: readonly string[], hull: readonly string[]): string {
  const under = front.filter((name) => !hull.includes(name));
  return under.length === 0 || hull.length < 2
    ? ""
    : ` A mix of two others reaches what ${listed(under)} ${under.length > 1 ? "do" : "does"}.`;
}

/** Systems that have no place, and why. */
export function qualityCostNotes({ points, costUnit }: QualityCostChart): string[] {
  const { unknown } = costWords({ costUnit });
  const unscored = points.filter(({ quality }) => quality === null).map(({ system }) => system);
  const unpriced = points.filter(({ cost, quality }) => cost === null && quality !== null).map(({ system }) => system);
  return [
    ...(unpriced.length > 0 ? [`Not drawn, because ${unknown}: ${listed(unpriced, 8)}.`] : []),
    ...(unscored.length > 0 ? [`Not drawn, because nothing was scored: ${listed(unscored, 8)}.`] : []),
  ];
}

/** The same as a table. */
export function qualityCostTable({ points, front, hull, costUnit }: QualityCostChart): TableData {
  const units = costWords({ costUnit });
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
      shown(point.system),
      point.harness === null ? "–" : shown(point.harness),
      point.dominatedBy.length === 0 ? "–" : point.dominatedBy.map(shown).join(", "),
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
