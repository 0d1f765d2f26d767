import type { StratifiedFigure, StratifiedFigures } from "../core/index.js";
import { formatPlural } from "./format.js";
import type { Layout } from "./layout.js";
import type { TableColumn } from "./markdown.js";
import { formatEstimate, formatNarrower, NARROWED_FIGURES } from "./narrowed-figures.js";

/** The section of a report about strata. */
export function renderStrata(
  { facet, systems }: StratifiedFigures,
  { level, layout }: { level: number; layout: Layout },
): string[] {
  const title = `[${Number((level * 100).toPrecision(4))} %]`;
  const columns: TableColumn<StratifiedFigure>[] = [
    { title: "system", cell: ({ system }) => system },
    { title: "figure", cell: ({ metric }) => NARROWED_FIGURES[metric] },
    { title: `tasks alone ${title}`, align: "right", cell: ({ plain }) => formatEstimate(plain) },
    { title: `same mix ${title}`, align: "right", cell: ({ stratified }) => formatEstimate(stratified) },
    { title: "interval", align: "right", cell: formatNarrower },
  ];
  const problems = systems.flatMap(({ system, metric, reason }) =>
    reason === null ? [] : [`${system}, ${NARROWED_FIGURES[metric]}: not stratified: ${reason}`],
  );
  const [first] = systems.filter(({ reason }) => reason === null);
  const mix =
    first === undefined
      ? []
      : [
          `for tasks in the same mix of ${formatPlural(first.strata.length, "value")} of ${facet} as the ${first.tasks} of the run`,
        ];
  return [layout.heading(`By ${facet}`, 2), layout.table(columns, systems), layout.bullets([...mix, ...problems])];
}
