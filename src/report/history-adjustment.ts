import type { HistoryAdjustment, HistoryAdjustments } from "../core/index.js";
import { formatPlural } from "./format.js";
import type { Layout } from "./layout.js";
import type { TableColumn } from "./markdown.js";
import { formatEstimate, formatNarrower, NARROWED_FIGURES } from "./narrowed-figures.js";

const MAX_NAMED_RUNS = 3;

/** The section of a report about what stored runs add. */
export function renderHistoryAdjustments(
  { systems, notes }: HistoryAdjustments,
  { level, layout }: { level: number; layout: Layout },
): string[] {
  const title = `[${Number((level * 100).toPrecision(4))} %]`;
  const hasDatasets = new Set(systems.map(({ dataset }) => dataset)).size > 1;
  const columns: TableColumn<HistoryAdjustment>[] = [
    { title: "system", cell: ({ system }) => system },
    ...(hasDatasets ? [{ title: "dataset", cell: ({ dataset }: HistoryAdjustment) => dataset || "–" }] : []),
    { title: "figure", cell: ({ metric }) => NARROWED_FIGURES[metric] },
    { title: `tasks alone ${title}`, align: "right", cell: ({ plain }) => formatEstimate(plain) },
    { title: `with history ${title}`, align: "right", cell: ({ adjusted }) => formatEstimate(adjusted) },
    { title: "interval", align: "right", cell: formatNarrower },
  ];
  return [
    layout.heading("Narrowed by history", 2),
    layout.table(columns, systems),
    layout.bullets([...new Set([...systems.map(describeAdjustment), ...describeAssumption(systems), ...notes])]),
  ];
}

/**
 * One sentence about a figure.
 * @example
 * "a, pass rate: 23 % narrower, as 169 tasks without history would be; by 100 of 500 stored tasks of 20261115-213334-qa"
 */
function describeAdjustment(adjustment: HistoryAdjustment): string {
  const { system, metric, matched, frame, runs, worthTasks, tasks, reason } = adjustment;
  const name = `${system}, ${NARROWED_FIGURES[metric]}`;
  if (reason !== null) return `${name}: not narrowed: ${reason}`;
  const worth =
    worthTasks === null || Math.round(worthTasks) <= tasks
      ? ""
      : `, as ${formatPlural(Math.round(worthTasks), "task")} without history would be`;
  const named = runs.slice(0, MAX_NAMED_RUNS).join(", ");
  const more = runs.length > MAX_NAMED_RUNS ? ` and ${runs.length - MAX_NAMED_RUNS} more` : "";
  return `${name}: interval ${formatNarrower(adjustment)}${worth}; ${matched} of its ${tasks} tasks are among the ${frame} of ${named}${more}`;
}

function describeAssumption(systems: readonly HistoryAdjustment[]): string[] {
  if (systems.every(({ adjusted }) => adjusted === null)) return [];
  return ["right whatever the history says, if the tasks are a random sample of those in it, as -n draws them"];
}
