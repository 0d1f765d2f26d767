import {
  type Calibration,
  type Estimate,
  type Finding,
  findingsOf,
  type JudgeAgreement,
} from "../graders/judge/index.js";
import { formatDollars, formatNumber, formatShare, plural } from "../report/format.js";
import { type Column, markdownTable, oneLine } from "../report/markdown.js";
import { printable } from "../report/printable.js";

export interface CalibrationReport {
  readonly output: string;
  /** The file of labels. */
  readonly path: string;
  /** What is wrong with rows that were left out, each with its place. */
  readonly badLines: readonly string[];
}

/** A calibration as a table or as JSON. */
export function renderCalibration(calibration: Calibration, report: CalibrationReport): string {
  const { badRows: _, ...rest } = calibration;
  const words = findingsOf(calibration).map(({ figure, words: text }) => `${figure}: ${text}`);
  if (report.output === "json") {
    const all = { schema: "assay.judge-calibration/1", file: report.path, ...rest, badRows: report.badLines, words };
    return `${JSON.stringify(all, null, 2)}\n`;
  }
  return printable(`${sectionsOf(calibration, report).join("\n\n")}\n`);
}

const COLUMNS: readonly Column<Finding>[] = [
  { title: "figure", cell: ({ figure }) => figure },
  { title: "value", align: "right", cell: ({ estimate, isShare }) => shown(estimate.value, isShare) },
  { title: "95 % interval", cell: ({ estimate, isShare }) => intervalOf(estimate, isShare) },
  { title: "n", align: "right", cell: ({ estimate }) => String(estimate.n) },
  { title: "in words", cell: ({ words }) => words },
];

function sectionsOf(calibration: Calibration, report: CalibrationReport): string[] {
  const { agreement } = calibration;
  const found = findingsOf(calibration);
  return [
    ...(found.length === 0 ? [] : [markdownTable(COLUMNS, found)]),
    ...(agreement === null ? [] : [confusionTable(agreement)]),
    factsOf(calibration, report)
      .map((fact) => `- ${fact}`)
      .join("\n"),
  ];
}

function shown(value: number | null, isShare: boolean): string {
  return isShare ? formatShare(value) : formatNumber(value);
}

function intervalOf({ low, high }: Estimate, isShare: boolean): string {
  return low === null || high === null ? "–" : `${shown(low, isShare)} to ${shown(high, isShare)}`;
}

function confusionTable({ categories, confusion }: JudgeAgreement): string {
  const columns: Column<{ label: string; counts: readonly number[] }>[] = [
    { title: "people ↓ judge →", cell: ({ label }) => label },
    ...categories.map((title, i) => ({
      title,
      align: "right" as const,
      cell: ({ counts }: { counts: readonly number[] }) => String(counts[i] ?? 0),
    })),
  ];
  return markdownTable(
    columns,
    categories.map((label, i) => ({ label, counts: confusion[i] ?? [] })),
  );
}

function factsOf(calibration: Calibration, { path, badLines }: CalibrationReport): string[] {
  const { scale, labels, judged, notJudged, failed, notAsked, reasons, position } = calibration;
  return [
    `${path}: ${judged} of ${plural(labels, "row")} judged, scale ${scale}`,
    ...(notJudged === 0 ? [] : [`${plural(notJudged, "row")} could not be judged`]),
    ...(failed === 0 ? [] : [`${plural(failed, "row")} failed: the judge could not be reached`]),
    ...(notAsked === 0 ? [] : [`stopped: ${plural(notAsked, "row")} not asked about`]),
    ...(badLines.length === 0 ? [] : [`${plural(badLines.length, "bad row")} left out (named above)`]),
    ...reasons.map((reason) => `reason: ${oneLine(reason)}`),
    ...(position === null && judged > 0 ? ["bias by position: not applicable, one answer is shown at a time"] : []),
    costFact(calibration),
  ];
}

function costFact({ costUsd, isCostPartial }: Calibration): string {
  if (costUsd === null) return "cost: unknown, because the judge's price or usage is";
  return `cost: ${formatDollars(costUsd)}${isCostPartial ? " and calls whose cost is unknown" : ""}`;
}
