import { basename, dirname } from "node:path";
import { EXAMPLE_MODELS, EXIT, type TrialKey, UsageError } from "../core/index.js";
import { closeFiles, isBadRow, openRowFile, type RawRow } from "../datasets/index.js";
import {
  type Calibration,
  calibrateJudge,
  type Disagreement,
  type Estimate,
  type Finding,
  type JudgeAgreement,
  type Label,
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
  formatTrialName,
  type TableColumn,
  toOneLine,
} from "../report/index.js";
import { requiredLabels } from "../stats/index.js";
import { findRun, isRunFolder, TRIAL_LABEL_SCHEMA, TRIAL_LABELS_FILE } from "../store/index.js";
import { createInterrupt } from "./interrupt.js";
import { makeRunJudge } from "./make-judge.js";
import { readRunLabels } from "./run-labels.js";
import { createScreenLayout } from "./screen.js";
import { type JudgeFlags, splitJudgeFlags } from "./shared-flags.js";
import { printNote, writeResult } from "./streams.js";

export interface CalibrateFlags extends JudgeFlags {
  labels?: string;
  runsDir: string;
  models?: string;
  maxWorkers?: number;
  /** In dollars. */
  maxCost?: number;
  allowInsecure?: boolean;
  output?: string;
}

const OUTPUTS = ["table", "json"];

/** What `assay judge` is asked to do. */
export interface JudgeRequest extends CalibrateFlags {
  action: string;
  /** A run whose trials were labeled. */
  run?: string;
}

/** `assay judge calibrate`: measures a judge's agreement with human labels, and its biases. */
export async function executeJudge({ action, run, ...flags }: JudgeRequest): Promise<number> {
  const { output = "table" } = flags;
  if (action !== "calibrate") throw new UsageError(`Unknown action "${action}". Write: assay judge calibrate.`);
  const source = findLabels(run, flags);
  if (!OUTPUTS.includes(output))
    throw new UsageError(`Unknown output format "${output}". Use --output table or --output json.`);
  if (flags.judgePerTurn === true)
    throw new UsageError("--judge-per-turn is only for runs: each label is about one answer. Remove it.");
  const judge = await makeCalibratedJudge(flags);
  try {
    const rows = await readLabels(source, judge);
    const { calibration, stopCode } = await runCalibration(judge, rows, flags.maxCost);
    await writeResult(renderCalibration(calibration, { output, ...rows }));
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
  throw new UsageError(
    `No judge is set. Add --judge-model ${EXAMPLE_MODELS.openai}, or --judge-url URL --judge-model NAME.`,
  );
}

/** A file with labeled answers, or the folder of a run whose trials were labeled. */
type LabelSource = { file: string } | { runDir: string };

/** The usable rows of a file or run, and the problems of the others. */
interface LabelFile {
  readonly path: string;
  readonly good: readonly LabelRow[];
  readonly badLines: readonly string[];
  /** The trials of a run, in the order of `good`; null for a file. */
  readonly trials: readonly TrialKey[] | null;
}

function findLabels(run: string | undefined, { labels, runsDir }: CalibrateFlags): LabelSource {
  if (run !== undefined && labels !== undefined)
    throw new UsageError(`Both a run and --labels are given. Remove "${run}" or --labels.`);
  if (run !== undefined) return { runDir: findRun({ runsDir, name: run, onNote: printNote }) };
  if (labels === undefined)
    throw new UsageError(
      "No labels are given. Add --labels labels.csv or labels.jsonl, or a run that was labeled with: assay serve --label",
    );
  const isOfRun = basename(labels) === TRIAL_LABELS_FILE && isRunFolder(dirname(labels));
  return isOfRun ? { runDir: dirname(labels) } : { file: labels };
}

async function readLabels(source: LabelSource, judge: LLMJudge): Promise<LabelFile> {
  const read = "file" in source ? await readLabelFile(source.file, judge) : await readRunLabels(source.runDir, judge);
  for (const line of read.badLines) printNote(line);
  if (read.good.length === 0)
    throw new UsageError(`${read.path} has no usable rows (${formatPlural(read.badLines.length, "bad row")}).`);
  return read;
}

async function readLabelFile(path: string, { scale }: LLMJudge): Promise<LabelFile> {
  const good: LabelRow[] = [];
  const badLines: string[] = [];
  const file = await openRowFile({ path });
  try {
    for await (const rows of file.batches()) {
      for (const source of rows) {
        const row = isBadRow(source) ? null : nameLabelColumns(source.row);
        const label = isBadRow(source) ? source.problem : readFileLabel(row, scale, source.line);
        if (typeof label === "string") badLines.push(`${file.at(source.line)}: ${label}`);
        else if (row !== null) good.push(row);
      }
    }
  } finally {
    await closeFiles([file]);
  }
  return { path, good, badLines, trials: null };
}

function readFileLabel(row: LabelRow | null, scale: LLMJudge["scale"], line: number): Label | string {
  if (row?.schema === TRIAL_LABEL_SCHEMA)
    return "is the label of a stored trial, without its answer. Name the run instead: assay judge calibrate RUN";
  return readLabel(row, scale, line);
}

/** As in datasets, the case of a column does not matter. */
function nameLabelColumns(row: RawRow): LabelRow {
  const names = Object.keys(row).map((column) => [column, column.trim().toLowerCase()] as const);
  const renamed = names.flatMap(([column, name]) => (name in row ? [] : [[name, row[column]] as const]));
  return { ...row, ...Object.fromEntries(renamed) } as LabelRow;
}

const PROGRESS_EVERY_MS = 5000;
/** With fewer rows nothing is said about how many labels are needed. */
const MIN_CALIBRATION_ROWS = 10;

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

interface CalibrationReport extends LabelFile {
  readonly output: string;
}

interface LabelDisagreement extends Disagreement {
  /** Of labels of a run. */
  readonly trial?: TrialKey;
}

function renderCalibration(calibration: Calibration, report: CalibrationReport): string {
  const { badRows: _, ...rest } = calibration;
  const disagreements = listLabelDisagreements(calibration, report);
  const words = listFindings(calibration).map(({ figure, words: text }) => `${figure}: ${text}`);
  if (report.output === "json") {
    const all = {
      schema: "assay.judge-calibration/1",
      file: report.path,
      ...rest,
      disagreements,
      badRows: report.badLines,
      words,
    };
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
  const disagreements = listLabelDisagreements(calibration, report);
  const found = listFindings(calibration);
  return [
    ...(found.length === 0 ? [] : [createScreenLayout().table(COLUMNS, found)]),
    ...(agreement === null ? [] : [formatConfusionTable(agreement)]),
    ...(disagreements.length === 0 ? [] : [formatDisagreements(disagreements)]),
    createScreenLayout().bullets(describeCalibration(calibration, report)),
  ];
}

function listLabelDisagreements(
  { disagreements }: Calibration,
  { trials }: CalibrationReport,
): readonly LabelDisagreement[] {
  return disagreements.map((differing) => {
    const trial = trials?.[differing.row - 1];
    return trial === undefined ? differing : { ...differing, trial };
  });
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

const rowColumn: TableColumn<LabelDisagreement> = { title: "row", align: "right", cell: ({ row }) => String(row) };
const trialColumns: readonly TableColumn<LabelDisagreement>[] = [
  { title: "system", cell: ({ trial }) => trial?.system ?? "–" },
  { title: "trial", cell: ({ trial }) => (trial === undefined ? "–" : formatTrialName(trial)) },
];

function formatDisagreements(rows: readonly LabelDisagreement[]): string {
  const columns: TableColumn<LabelDisagreement>[] = [
    ...(rows.some(({ trial }) => trial !== undefined) ? trialColumns : [rowColumn]),
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
    ...describeNeededLabels(calibration),
    describeCalibrationCost(calibration),
  ];
}

const HALF_WIDTHS = [0.1, 0.05, 0.03];
/** A run with so many trials that their number does not limit what labels can do. */
const MANY_TRIALS = 1e9;

/** How many labels of a run correct its pass rate to a precision, if the judge agrees with people as it does here. */
function describeNeededLabels({ scale, agreement }: Calibration): string[] {
  if (scale !== "binary" || agreement === null) return [];
  const labels: number[] = [];
  const judged: number[] = [];
  for (const [people, counts] of agreement.confusion.entries())
    for (const [judge, count] of counts.entries())
      for (let i = 0; i < count; i++) {
        labels.push(people);
        judged.push(judge);
      }
  if (labels.length < MIN_CALIBRATION_ROWS) return [];
  const needed = HALF_WIDTHS.map((halfWidth) => {
    const count = requiredLabels({ labels, judged, units: MANY_TRIALS, halfWidth });
    return count === null ? null : `${count} for ±${halfWidth}`;
  });
  if (needed.some((each) => each === null)) return [];
  return [`labels that correct the pass rate of a run with this judge, about: ${needed.join(", ")} (assay label)`];
}

function describeCalibrationCost({ costUsd, isCostPartial }: Calibration): string {
  if (costUsd === null) return "cost: unknown, because the judge's price or usage is unknown";
  return `cost: ${formatDollars(costUsd)}${isCostPartial ? " and calls whose cost is unknown" : ""}`;
}
