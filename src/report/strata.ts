import type { LabelEstimate, StratifiedFigure, StratifiedFigures } from "../core/index.js";
import { formatNumber, formatPlural } from "./format.js";
import type { Layout } from "./layout.js";
import type { TableColumn } from "./markdown.js";

const METRIC_WORDS: Readonly<Record<StratifiedFigure["metric"], string>> = {
  pass_rate: "pass rate",
  mean_score: "mean score",
};

/** The section of a report about strata. */
export function renderStrata(
  { facet, systems }: StratifiedFigures,
  { level, layout }: { level: number; layout: Layout },
): string[] {
  const title = `[${Number((level * 100).toPrecision(4))} %]`;
  const columns: TableColumn<StratifiedFigure>[] = [
    { title: "system", cell: ({ system }) => system },
    { title: "figure", cell: ({ metric }) => METRIC_WORDS[metric] },
    { title: `tasks alone ${title}`, align: "right", cell: ({ plain }) => formatEstimate(plain) },
    { title: `same mix ${title}`, align: "right", cell: ({ stratified }) => formatEstimate(stratified) },
    { title: "interval", align: "right", cell: describeWidth },
  ];
  const problems = systems.flatMap(({ system, metric, reason }) =>
    reason === null ? [] : [`${system}, ${METRIC_WORDS[metric]}: not stratified: ${reason}`],
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

function formatEstimate(estimate: LabelEstimate | null): string {
  if (estimate === null) return "–";
  const { value, low, high } = estimate;
  const text = formatNumber(value, 3);
  return low === null || high === null ? text : `${text} [${formatNumber(low, 3)}, ${formatNumber(high, 3)}]`;
}

function describeWidth({ narrower }: StratifiedFigure): string {
  if (narrower === null) return "–";
  const percent = Math.round(Math.abs(narrower) * 100);
  return percent === 0 ? "as wide" : `${percent} % ${narrower > 0 ? "narrower" : "wider"}`;
}
