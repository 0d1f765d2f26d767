import type { CardFigure, RunCard } from "../../../../src/report/dashboard/contract.js";
import { formatMoment } from "../../ui/dates.js";
import { formatDollars, formatInterval, formatPlural, formatSeconds } from "../../ui/format.js";
import type { ChartTableData } from "../frame/table.js";
import { formatName, shortenName } from "../names.js";
import type { TooltipFact } from "../plot/mark.js";
import { getFigureStyle } from "./figures.js";
import { listDatedRuns, type TrendLine, type TrendPoint } from "./series.js";

/** What a tooltip tells of a system in a run: its figure, and what the run itself cost and took. */
export function describeTrendPoint(point: TrendPoint, figure: CardFigure): { title: string; facts: TooltipFact[] } {
  const { run, card, blank } = point;
  const facts: (TooltipFact | null)[] = [
    ["Value", blank === null ? formatInterval(point, getFigureStyle(figure).format) : "left blank"],
    blank === null ? null : ["Because", blank],
    ["Run", formatName(run.title || run.id)],
    ["Begun", formatMoment(run.createdAt)],
    ["Cost", formatDollars(card.costUsd)],
    ["Time of the run", formatSeconds(run.wallSeconds)],
    run.status === "complete" ? null : ["Status", run.status],
  ];
  return { title: formatName(card.system), facts: facts.filter((fact) => fact !== null) };
}

/** What the chart shows, or why there is none. */
export function describeTrend(lines: readonly TrendLine[], figure: CardFigure): string {
  const points = lines.flatMap((line) => line.points);
  if (points.length === 0) return "There is nothing to draw: no run has this figure.";
  const runs = new Set(points.map(({ run }) => run.id)).size;
  const { format } = getFigureStyle(figure);
  const changes = lines.flatMap((line) => describeTrendChange(line, format));
  if (changes.length === 0)
    return `There is nothing to draw: none of ${formatPlural(runs, "run")} has a value (${joinBlankReasons(points)}).`;
  const more = changes.length > 3 ? ` and ${formatPlural(changes.length - 3, "more system")}` : "";
  return `Over ${formatPlural(runs, "run")}: ${changes.slice(0, 3).join("; ")}${more}.`;
}

function joinBlankReasons(points: readonly TrendPoint[]): string {
  return [...new Set(points.map(({ blank }) => blank))].slice(0, 3).join("; ");
}

function describeTrendChange({ system, points }: TrendLine, format: (value: number | null) => string): string[] {
  const known = points.filter(({ blank }) => blank === null);
  const [first, last] = [known[0], known.at(-1)];
  if (first === undefined || last === undefined) return [];
  const name = shortenName(system);
  return [
    first === last
      ? `${name} has ${format(last.value)}`
      : `${name} went from ${format(first.value)} to ${format(last.value)}`,
  ];
}

/** Points that are not drawn, and runs without a date. */
export function listTrendNotes(lines: readonly TrendLine[], runs: readonly RunCard[]): string[] {
  const blank = lines.flatMap((line) => line.points).filter((point) => point.blank !== null).length;
  const undated = runs.length - listDatedRuns(runs).length;
  return [
    ...(blank > 0 ? [`${formatPlural(blank, "point")} left blank: hollow marks at the bottom say why.`] : []),
    ...(undated > 0 ? [`${formatPlural(undated, "run")} without a date left out.`] : []),
  ];
}

/** The same as a table, the latest run first. */
export function buildTrendTable(lines: readonly TrendLine[], figure: CardFigure): ChartTableData {
  const { format } = getFigureStyle(figure);
  const points = lines.flatMap((line) => line.points).sort((a, b) => b.at - a.at);
  return {
    columns: ["System", "Run", "Begun", "Left blank because", "Value", "from", "to", "Cost", "Time of the run"],
    words: 4,
    rows: points.map(({ run, card, value, low, high, blank }) => [
      formatName(card.system),
      formatName(run.title || run.id),
      formatMoment(run.createdAt),
      blank ?? "–",
      format(blank === null ? value : null),
      format(blank === null ? low : null),
      format(blank === null ? high : null),
      formatDollars(card.costUsd),
      formatSeconds(run.wallSeconds),
    ]),
  };
}
