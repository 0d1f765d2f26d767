import { EXIT, UsageError } from "../core/index.js";
import { closeFiles, isBadRow, openRowFile, type RawRow } from "../datasets/index.js";
import {
  type Calibration,
  calibrateJudge,
  type Disagreement,
  type Estimate,
  type Finding,
  type JudgeAgreement,
  type LabelRow,
  type LLMJudge,
  listFindings,
  readLabel,
} from "../graders/index.js";
import {
  formatDollars,
  formatNumber,
  formatPlural,
  formatShare,
  type TableColumn,
  toOneLine,
} from "../report/index.js";
import { createInterrupt } from "./interrupt.js";
import { makeRunJudge } from "./make-judge.js";
import { createScreenLayout } from "./screen.js";
import { type JudgeFlags, splitJudgeFlags } from "./shared-flags.js";
import { printNote, writeResult } from "./streams.js";

export interface CalibrateFlags extends JudgeFlags {
  labels?: string;
  models?: string;
  maxWorkers?: number;
  /** In dollars. */
  maxCost?: number;
  allowInsecure?: boolean;
  output?: string;
}

const OUTPUTS = ["table", "json"];

/** `assay judge calibrate`: measures a judge's agreement with human labels, and its biases. */
export async function executeJudge(action: string | undefined, flags: CalibrateFlags): Promise<number> {
  const { labels: path, output = "table" } = flags;
  if (action !== "calibrate") throw new UsageError(`Unknown action "${action ?? ""}". Write: assay judge calibrate.`);
  if (path === undefined) throw new UsageError("No labels are given. Add --labels labels.csv or labels.jsonl.");
  if (!OUTPUTS.includes(output))
    throw new UsageError(`Unknown output format "${output}". Use --output table or --output json.`);
  if (flags.judgePerTurn === true)
    throw new UsageError("--judge-per-turn is only for runs: each label is about one answer. Remove it.");
  const judge = await makeCalibratedJudge(flags);
  try {
    const rows = await readLabels(path, judge);
    const { calibration, stopCode } = await runCalibration(judge, rows, flags.maxCost);
    await writeResult(renderCalibration(calibration, { output, path, badLines: rows.badLines }));
    return chooseCalibrationExitCode(calibration, stopCode);
  } finally {
    await judge.close();
  }
}

async function makeCalibratedJudge(flags: CalibrateFlags): Promise<LLMJudge> {
  const { models: modelsFile, allowInsecure, maxWorkers, maxCost } = flags;
  const { judge } = splitJudgeFlags(flags);
  const made =
    judge === undefined
      ? null
      : await makeRunJudge({
          judge: { ...judge, ...(maxWorkers === undefined ? {} : { maxWorkers }) },
          ...(maxCost === undefined ? {} : { maxCost }),
          ...(modelsFile === undefined ? {} : { modelsFile }),
          ...(allowInsecure === undefined ? {} : { allowInsecure }),
        });
  if (made !== null) return made;
  throw new UsageError("No judge is set. Add --judge-model openai/gpt-5, or --judge-url URL --judge-model NAME.");
}

/** The usable rows of a file, and the problems of the others. */
interface LabelFile {
  readonly good: readonly LabelRow[];
  readonly badLines: readonly string[];
}

async function readLabels(path: string, { scale }: LLMJudge): Promise<LabelFile> {
  const good: LabelRow[] = [];
  const badLines: string[] = [];
  const file = await openRowFile({ path });
  try {
    for await (const rows of file.batches()) {
      for (const source of rows) {
        const row = isBadRow(source) ? null : nameLabelColumns(source.row);
        const label = isBadRow(source) ? source.problem : readLabel(row, scale, source.line);
        if (typeof label === "string") badLines.push(`${file.at(source.line)}: ${label}`);
        else if (row !== null) good.push(row);
      }
    }
  } finally {
    await closeFiles([file]);
  }
  for (const line of badLines) printNote(line);
  if (good.length === 0)
    throw new UsageError(`${path} has no usable rows (${formatPlural(badLines.length, "bad row")}).`);
  return { good, badLines };
}

/** As in datasets, the case of a column does not matter. */
function nameLabelColumns(row: RawRow): LabelRow {
  const names = Object.keys(row).map((column) => [column, column.trim().toLowerCase()] as const);
  const renamed = names.flatMap(([column, name]) => (name in row ? [] : [[name, row[column]] as const]));
  return { ...row, ...Object.fromEntries(renamed) } as LabelRow;
}

const PROGRESS_EVERY_MS = 5000;

async function runCalibration(judge: LLMJudge, { good }: LabelFile, maxCostUsd: number | undefined) {
  const interrupt = createInterrupt(() => {});
  let last = performance.now();
  try {
    const calibration = await calibrateJudge({
      judge,
      labels: good,
      ...(maxCostUsd === undefined ? {} : { maxCostUsd }),
      signal: interrupt.signal,
      onProgress: ({ done, total, costUsd }) => {
        if (performance.now() - last < PROGRESS_EVERY_MS) return;
        last = performance.now();
        printNote(`${done}/${total} judged${costUsd === null ? "" : ` · ${formatDollars(costUsd)}`}`);
      },
    });
    return { calibration, stopCode: interrupt.exitCode };
  } finally {
    interrupt.release();
  }
}

function chooseCalibrationExitCode({ judged, reasons }: Calibration, stopCode: number | null): number {
  if (stopCode !== null) return stopCode;
  if (judged > 0) return EXIT.fine;
  printNote(`Nothing was judged. ${reasons[0] ?? ""}`.trim());
  return EXIT.infrastructure;
}

interface CalibrationReport {
  readonly output: string;
  /** The labels file. */
  readonly path: string;
  /** Problems of skipped rows, each with its position. */
  readonly badLines: readonly string[];
}

function renderCalibration(calibration: Calibration, report: CalibrationReport): string {
  const { badRows: _, ...rest } = calibration;
  const words = listFindings(calibration).map(({ figure, words: text }) => `${figure}: ${text}`);
  if (report.output === "json") {
    const all = { schema: "assay.judge-calibration/1", file: report.path, ...rest, badRows: report.badLines, words };
    return `${JSON.stringify(all, null, 2)}\n`;
  }
  return `${formatCalibrationSections(calibration, report).join("\n\n")}\n`;
}

const COLUMNS: readonly TableColumn<Finding>[] = [
  { title: "figure", cell: ({ figure }) => figure },
  { title: "value", align: "right", cell: ({ estimate, isShare }) => formatFigure(estimate.value, isShare) },
  { title: "95 % interval", cell: ({ estimate, isShare }) => formatInterval(estimate, isShare) },
  { title: "n", align: "right", cell: ({ estimate }) => String(estimate.n) },
  { title: "interpretation", cell: ({ words }) => words },
];

function formatCalibrationSections(calibration: Calibration, report: CalibrationReport): string[] {
  const { agreement } = calibration;
  const found = listFindings(calibration);
  return [
    ...(found.length === 0 ? [] : [createScreenLayout().table(COLUMNS, found)]),
    ...(agreement === null ? [] : [formatConfusionTable(agreement)]),
    ...(calibration.disagreements.length === 0 ? [] : [formatDisagreements(calibration.disagreements)]),
    createScreenLayout().bullets(describeCalibration(calibration, report)),
  ];
}

function formatFigure(value: number | null, isShare: boolean): string {
  return isShare ? formatShare(value) : formatNumber(value);
}

function formatInterval({ low, high }: Estimate, isShare: boolean): string {
  return low === null || high === null ? "–" : `${formatFigure(low, isShare)} to ${formatFigure(high, isShare)}`;
}

function formatConfusionTable({ categories, confusion }: JudgeAgreement): string {
  const columns: TableColumn<{ label: string; counts: readonly number[] }>[] = [
    { title: "human ↓ judge →", cell: ({ label }) => label },
    ...categories.map((title, i) => ({
      title,
      align: "right" as const,
      cell: ({ counts }: { counts: readonly number[] }) => String(counts[i] ?? 0),
    })),
  ];
  return createScreenLayout().table(
    columns,
    categories.map((label, i) => ({ label, counts: confusion[i] ?? [] })),
  );
}

const MAX_SHOWN_DISAGREEMENTS = 10;

function formatDisagreements(rows: readonly Disagreement[]): string {
  const columns: TableColumn<Disagreement>[] = [
    { title: "row", align: "right", cell: ({ row }) => String(row) },
    { title: "human", cell: ({ people }) => people },
    { title: "judge", cell: ({ judge }) => judge },
    { title: "question", cell: ({ question }) => shorten(question ?? "–") },
    { title: "response", cell: ({ response }) => shorten(response) },
  ];
  const more = rows.length - MAX_SHOWN_DISAGREEMENTS;
  const rest = more > 0 ? `\n\n${formatPlural(more, "more row")}: see --output json` : "";
  return `Judge and people differ on ${formatPlural(rows.length, "row")}:\n\n${createScreenLayout().table(columns, rows.slice(0, MAX_SHOWN_DISAGREEMENTS))}${rest}`;
}

function shorten(text: string): string {
  const line = toOneLine(text);
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}

function describeCalibration(calibration: Calibration, { path, badLines }: CalibrationReport): string[] {
  const { scale, labels, judged, notJudged, failed, notAsked, reasons, position } = calibration;
  return [
    `${path}: ${judged} of ${formatPlural(labels, "row")} judged, scale ${scale}`,
    ...(notJudged === 0 ? [] : [`${formatPlural(notJudged, "row")} could not be judged`]),
    ...(failed === 0 ? [] : [`${formatPlural(failed, "row")} failed: the judge could not be reached`]),
    ...(notAsked === 0 ? [] : [`stopped: ${formatPlural(notAsked, "row")} not judged`]),
    ...(badLines.length === 0 ? [] : [`${formatPlural(badLines.length, "bad row")} skipped (listed above)`]),
    ...reasons.map((reason) => `reason: ${toOneLine(reason)}`),
    ...(position === null && judged > 0 ? ["position bias: not applicable, one answer is shown at a time"] : []),
    describeCalibrationCost(calibration),
  ];
}

function describeCalibrationCost({ costUsd, isCostPartial }: Calibration): string {
  if (costUsd === null) return "cost: unknown, because the judge's price or usage is unknown";
  return `cost: ${formatDollars(costUsd)}${isCostPartial ? " and calls whose cost is unknown" : ""}`;
}
