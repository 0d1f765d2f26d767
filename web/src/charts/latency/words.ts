import type { LatencySpread } from "../../../../src/report/dashboard/contract.js";
import { formatCount, formatSeconds, formatShare } from "../../ui/format.js";
import type { ChartTableData } from "../frame/table.js";
import { formatName, formatNameList, shortenName } from "../names.js";
import type { TooltipFact } from "../plot/mark.js";

/** A system of which times are known. */
export type MeasuredSpread = LatencySpread & { quantiles: NonNullable<LatencySpread["quantiles"]> };

export function isMeasuredSpread(spread: LatencySpread): spread is MeasuredSpread {
  return spread.quantiles !== null && spread.n > 0;
}

/** What a tooltip tells of a bin. */
export function describeLatencyBin(
  { system, n, quantiles }: MeasuredSpread,
  { from, to, count }: LatencySpread["bins"][number],
): { title: string; facts: TooltipFact[] } {
  return {
    title: formatName(system),
    facts: [
      ["From", `${formatSeconds(from)} to ${formatSeconds(to)}`],
      ["Trials", `${formatCount(count)} of ${formatCount(n)} (${formatShare(count / n)})`],
      ["Median", formatSeconds(quantiles.p50)],
      ["p95", formatSeconds(quantiles.p95)],
    ],
  };
}

/** What the chart shows, or why there is none. */
export function describeLatencies(spreads: readonly LatencySpread[]): string {
  const known = spreads.filter(isMeasuredSpread).sort((a, b) => a.quantiles.p50 - b.quantiles.p50);
  const [fastest, slowest] = [known[0], known.at(-1)];
  if (fastest === undefined || slowest === undefined) return "There is nothing to draw: no trial has a measured time.";
  const text = ({ system, quantiles }: MeasuredSpread) =>
    `${shortenName(system)}, with a median of ${formatSeconds(quantiles.p50)} and 95 % within ${formatSeconds(quantiles.p95)}`;
  return fastest === slowest
    ? `${text(fastest)}.`
    : `The fastest is ${text(fastest)}; the slowest is ${text(slowest)}.`;
}

export function listLatencyNotes(spreads: readonly LatencySpread[]): string[] {
  const unknown = spreads.filter((spread) => !isMeasuredSpread(spread)).map(({ system }) => system);
  return unknown.length === 0 ? [] : [`Not measured: ${formatNameList(unknown, 8)}.`];
}

/** The same as a table. */
export function buildLatencyTable(spreads: readonly LatencySpread[]): ChartTableData {
  const quantiles = ["min", "p25", "p50", "p75", "p95", "p99", "max"] as const;
  return {
    columns: ["System", "Trials", ...quantiles],
    rows: spreads.map((spread) => [
      formatName(spread.system),
      formatCount(spread.n),
      ...quantiles.map((name) => formatSeconds(spread.quantiles?.[name])),
    ]),
  };
}
