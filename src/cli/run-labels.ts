import { join } from "node:path";
import { type Output, omitUndefined, type TrialKey, UsageError } from "../core/index.js";
import { type LabelRow, type LLMJudge, readLabel } from "../graders/index.js";
import { formatTrialName, TrialFiles } from "../report/index.js";
import {
  isShortenedText,
  readTrialLabels,
  type StoredExample,
  TRIAL_LABELS_FILE,
  type TrialLabel,
} from "../store/index.js";

/** What people said about the trials of a run, as rows for a judge. */
export interface RunLabels {
  readonly path: string;
  readonly good: readonly LabelRow[];
  /** The trials of `good`, in the same order. */
  readonly trials: readonly TrialKey[];
  /** Why other labels cannot be used, each with its trial. */
  readonly badLines: readonly string[];
}

/** Reads the trials of a run that were marked right or wrong, with what was asked and answered. */
export async function readRunLabels(runDir: string, { scale }: Pick<LLMJudge, "scale">): Promise<RunLabels> {
  if (scale !== "binary")
    throw new UsageError(
      `The labels of a run are right or wrong, but the judge's scale is ${scale}. ${scale === "pairwise" ? "Remove --judge-pairwise." : "Use --judge-scale binary."}`,
    );
  const path = join(runDir, TRIAL_LABELS_FILE);
  const labels = readTrialLabels(runDir).filter(({ verdict }) => verdict !== null);
  if (labels.length === 0)
    throw new UsageError(`No trial of ${runDir} is marked right or wrong. Mark some with: assay serve --label`);
  const files = new TrialFiles();
  const [examples, outputs] = [await files.readExamples(runDir, labels), await files.readOutputs(runDir, labels)];
  const rows = labels.map((label, i) => {
    const row = makeLabelRow(label, examples[i] ?? null, outputs[i]?.output ?? null);
    return { label, row, problem: typeof row === "string" ? row : findProblem(row) };
  });
  const good = rows.flatMap(({ label, row, problem }) =>
    problem === null && typeof row !== "string" ? [{ row, trial: getKey(label) }] : [],
  );
  return {
    path,
    good: good.map(({ row }) => row),
    trials: good.map(({ trial }) => trial),
    badLines: rows.flatMap(({ label, problem }) =>
      problem === null ? [] : [`${path}: ${formatTrialName(label)} of ${label.system} ${problem}`],
    ),
  };
}

/** Returns what is wrong as a string. */
function makeLabelRow(label: TrialLabel, stored: StoredExample | null, output: Output | null): LabelRow | string {
  if (output === null) return "has no stored output";
  if (stored === null) return "has no stored example";
  const { id, question, context, turns, answer, answers, choices } = stored;
  if (hasShortenedText([question, context, turns, answer, answers, choices]))
    return "has an example that is too long to be stored in full, so the judge would not see all of it";
  const { response, replies } = output;
  const example = { id, question, context, turns, answer, answers, choices };
  return omitUndefined({ ...example, response, replies, label: label.verdict === "right" }) as LabelRow;
}

function findProblem(row: LabelRow): string | null {
  const label = readLabel(row, "binary", 1);
  return typeof label === "string" ? label : null;
}

function hasShortenedText(value: unknown): boolean {
  if (typeof value === "string") return isShortenedText(value);
  return typeof value === "object" && value !== null && Object.values(value).some(hasShortenedText);
}

function getKey({ system, dataset, exampleId, trial }: TrialLabel): TrialKey {
  return { system, dataset, exampleId, trial };
}
