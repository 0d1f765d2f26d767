import { EXIT, UsageError } from "../core/errors.js";
import { readJsonl } from "../datasets/jsonl.js";
import { isBadRow } from "../datasets/source-row.js";
import { type Calibration, calibrateJudge, type LabelRow, type LLMJudge, readLabel } from "../graders/judge/index.js";
import { formatDollars, plural } from "../report/format.js";
import { interruptible } from "./interrupt.js";
import { type JudgeFlags, splitJudgeFlags } from "./judge-flags.js";
import { renderCalibration } from "./judge-report.js";
import { makeJudge } from "./make-judge.js";
import { say, writeResult } from "./streams.js";

/** The flags of `assay judge calibrate`. */
export interface CalibrateFlags extends JudgeFlags {
  labels?: string;
  models?: string;
  maxWorkers?: number;
  /** Dollars. */
  maxCost?: number;
  allowInsecure?: boolean;
  output?: string;
}

const OUTPUTS = ["table", "json"];

/** `assay judge calibrate`: how far a judge agrees with people, and what it leans to. */
export async function judgeCommand(action: string | undefined, flags: CalibrateFlags): Promise<number> {
  const { labels: path, output = "table" } = flags;
  if (action !== "calibrate") throw new UsageError(`Unknown action "${action ?? ""}". Write: assay judge calibrate.`);
  if (path === undefined) throw new UsageError("There are no labels. Add --labels labels.jsonl.");
  if (!OUTPUTS.includes(output)) throw new UsageError(`Unknown output "${output}". Write --output table or json.`);
  if (flags.judgePerTurn === true)
    throw new UsageError("--judge-per-turn is for runs: each label is about one answer. Leave it out.");
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

/** The judge that flags describe. */
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
  throw new UsageError("There is no judge. Add --judge-model openai/gpt-5, or --judge-url URL --judge-model NAME.");
}

/** The rows of a file that can be used, and what is wrong with the others. */
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
  if (good.length === 0)
    throw new UsageError(`${path} has no row that can be used (${plural(badLines.length, "bad row")}).`);
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
