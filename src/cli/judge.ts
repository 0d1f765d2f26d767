import { EXIT, UsageError } from "../core/errors.js";
import { readJsonl } from "../datasets/jsonl.js";
import { isBadRow } from "../datasets/source-row.js";
import {
  type Calibration,
  calibrateJudge,
  type Estimate,
  type Finding,
  findingsOf,
  type JudgeAgreement,
  type LabelRow,
  type LLMJudge,
  readLabel,
} from "../graders/judge/index.js";
import { formatDollars, formatNumber, formatShare, plural } from "../report/format.js";
import { type Column, markdownTable, oneLine } from "../report/markdown.js";
import { printable } from "../report/printable.js";
import { interruptible } from "./interrupt.js";
import { type JudgeFlags, splitJudgeFlags } from "./judge-flags.js";
import { makeJudge } from "./make-judge.js";
import { say, writeResult } from "./streams.js";

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
export async function judgeCommand(action: string | undefined, flags: CalibrateFlags): Promise<number> {
  const { labels: path, output = "table" } = flags;
  if (action !== "calibrate") throw new UsageError(`Unknown action "${action ?? ""}". Write: assay judge calibrate.`);
  if (path === undefined) throw new UsageError("No labels are given. Add --labels labels.jsonl.");
  if (!OUTPUTS.includes(output))
    throw new UsageError(`Unknown output format "${output}". Use --output table or --output json.`);
  if (flags.judgePerTurn === true)
    throw new UsageError("--judge-per-turn is only for runs: each label is about one answer. Remove it.");
  const judge = await judgeFrom(flags);
  try {
    const rows = await readLabels(path, judge);
    const { calibration, stopCode } = await calibrate(judge, rows, flags.maxCost);
    await writeResult(renderCalibration(calibration, { output, path, badLines: rows.badLines }));
    return exitCodeOf(calibration, stopCode);
  } finally {
    await judge.close();
  }
}

async function judgeFrom(flags: CalibrateFlags): Promise<LLMJudge> {
  const { models: modelsFile, allowInsecure, maxWorkers, maxCost } = flags;
  const { judge } = splitJudgeFlags(flags);
  const made =
    judge === undefined
      ? null
      : await makeJudge({
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
  for await (const rows of readJsonl(path)) {
    for (const source of rows) {
      const label = isBadRow(source) ? source.problem : readLabel(source.row, scale, source.line);
      if (typeof label === "string") badLines.push(`${path}:${source.line}: ${label}`);
      else if (!isBadRow(source)) good.push(source.row as LabelRow);
    }
  }
  for (const line of badLines) say(line);
  if (good.length === 0) throw new UsageError(`${path} has no usable rows (${plural(badLines.length, "bad row")}).`);
  return { good, badLines };
}

const PROGRESS_EVERY_MS = 5000;

async function calibrate(judge: LLMJudge, { good }: LabelFile, maxCostUsd: number | undefined) {
  const interrupt = interruptible(() => {});
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
        say(`${done}/${total} judged${costUsd === null ? "" : ` · ${formatDollars(costUsd)}`}`);
      },
    });
    return { calibration, stopCode: interrupt.exitCode };
  } finally {
    interrupt.release();
  }
}

function exitCodeOf({ judged, reasons }: Calibration, stopCode: number | null): number {
  if (stopCode !== null) return stopCode;
  if (judged > 0) return EXIT.fine;
  say(`Nothing was judged. ${reasons[0] ?? ""}`.trim());
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
  { title: "interpretation", cell: ({ words }) => words },
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
    { title: "human ↓ judge →", cell: ({ label }) => label },
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
    ...(notAsked === 0 ? [] : [`stopped: ${plural(notAsked, "row")} not judged`]),
    ...(badLines.length === 0 ? [] : [`${plural(badLines.length, "bad row")} skipped (listed above)`]),
    ...reasons.map((reason) => `reason: ${oneLine(reason)}`),
    ...(position === null && judged > 0 ? ["position bias: not applicable, one answer is shown at a time"] : []),
    costFact(calibration),
  ];
}

function costFact({ costUsd, isCostPartial }: Calibration): string {
  if (costUsd === null) return "cost: unknown, because the judge's price or usage is unknown";
  return `cost: ${formatDollars(costUsd)}${isCostPartial ? " and calls whose cost is unknown" : ""}`;
}
