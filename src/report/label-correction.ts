import type { LabelCorrection, LabelCorrections, LabelEstimate } from "../core/index.js";
import { formatNumber, formatPlural } from "./format.js";
import type { Layout } from "./layout.js";
import type { TableColumn } from "./markdown.js";

export interface CorrectionWords {
  /** What is corrected, such as "pass rate". */
  figure: string;
}

/** The section of a report about labels. */
export function renderLabelCorrections(
  { systems, halfWidth, notes }: LabelCorrections,
  { figure }: CorrectionWords,
  layout: Layout,
): string[] {
  const lines = systems.map((each) => describeCorrection(each, halfWidth));
  return [
    layout.heading("Corrected by labels", 2),
    layout.table(createColumns(figure), systems),
    layout.bullets([...lines, ...notes]),
  ];
}

function createColumns(figure: string): TableColumn<LabelCorrection>[] {
  return [
    { title: "system", cell: ({ system }) => system },
    { title: `${figure} by its verdicts`, align: "right", cell: ({ judgeAlone }) => formatNumber(judgeAlone, 3) },
    { title: "corrected [95 %]", align: "right", cell: ({ corrected }) => formatEstimate(corrected) },
    { title: "labels alone [95 %]", align: "right", cell: ({ labelsAlone }) => formatEstimate(labelsAlone) },
    { title: "labels", align: "right", cell: ({ labels }) => String(labels) },
  ];
}

function formatEstimate(estimate: LabelEstimate | null): string {
  if (estimate === null) return "–";
  const { value, low, high } = estimate;
  const text = formatNumber(value, 3);
  return low === null || high === null ? text : `${text} [${formatNumber(low, 3)}, ${formatNumber(high, 3)}]`;
}

/**
 * One sentence about a system.
 * @example
 * "a: judge alone 0.84, corrected 0.72 [0.68, 0.75] by 60 labels"
 */
function describeCorrection(correction: LabelCorrection, halfWidth: number): string {
  const { system, judgeAlone, corrected, labels, effectiveLabels, neededLabels, method, reason } = correction;
  if (corrected === null) return `${system}: not corrected: ${reason}`;
  const from = method === "rogan-gladen" ? " from another set" : "";
  const worth = effectiveLabels === null ? "" : `, worth ${Math.round(effectiveLabels)} without the verdicts`;
  const first = `${system}: judge alone ${formatNumber(judgeAlone, 3)}, corrected ${formatEstimate(corrected)} by ${formatPlural(labels, "label")}${from}${worth}`;
  if (neededLabels === null) return first;
  const wanted = `±${formatNumber(halfWidth, 3)}`;
  if (!Number.isFinite(neededLabels)) return `${first}; for ${wanted} the run has too few trials`;
  return neededLabels <= labels ? first : `${first}; for ${wanted} about ${neededLabels} labels are needed`;
}
