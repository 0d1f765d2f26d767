import type { EvalRow, SequentialReport } from "../core/index.js";
import { didYouMean, EXIT, RunFolderError, UsageError } from "../core/index.js";
import { type ExperimentRecord, formatShard, mergeShards, readExperimentRecord } from "../evals/index.js";
import {
  buildExperimentReport,
  type ExperimentReport,
  formatPlural,
  formatShare,
  renderExperimentMarkdown,
  toReportedVariant,
} from "../report/index.js";
import { describeQuarantine, readCountedRows, readSequentialReport } from "../runs/index.js";
import { findLatestRun, findRun, readManifest } from "../store/index.js";
import { chooseSequentialExit } from "./judge-run.js";
import { DEFAULT_MIN_COVERAGE } from "./run-config.js";
import { createScreenLayout } from "./screen.js";
import { printNote, writeResult } from "./streams.js";

export interface ExperimentReportFlags {
  output: string;
  level: number;
  seed: number;
  runsDir: string;
}

const OUTPUTS = ["table", "markdown", "json"];
const LATEST = "latest";

/** `assay experiment merge`: combines the runs of all shards. */
export async function executeExperimentMerge(runs: readonly string[], flags: ExperimentReportFlags): Promise<number> {
  checkExperimentFlags(flags);
  const stored = await Promise.all(runs.map((name) => readStoredExperiment(findExperimentDir(name, flags))));
  const merged = mergeShards(stored.map((each) => ({ ...each, run: each.dir })));
  const { record, missing } = merged;
  const absent = missing.length === 0 ? [] : [`missing shards: ${missing.join(", ")}`];
  return reportStored({ record, stored: merged.runs, flags, notes: absent });
}

/** `assay experiment report`: reports a stored experiment or shard again. */
export async function executeExperimentReport(run: string | undefined, flags: ExperimentReportFlags): Promise<number> {
  checkExperimentFlags(flags);
  const stored = await readStoredExperiment(findExperimentDir(run ?? LATEST, flags));
  const { shard } = stored.record;
  const notes =
    shard === null ? [] : [`this is shard ${formatShard(shard)}: combine all of them with experiment merge`];
  return reportStored({ record: stored.record, stored: [stored], flags, notes, isPart: shard !== null });
}

export function checkExperimentFlags({ output, level }: ExperimentReportFlags): void {
  if (!OUTPUTS.includes(output))
    throw new UsageError(`Unknown output format "${output}".${didYouMean(output, OUTPUTS)}`);
  if (!(level > 0 && level < 1)) throw new UsageError(`--level must be between 0 and 1, got ${level}.`);
}

export function renderExperiment(report: ExperimentReport, output: string): string {
  return output === "json"
    ? `${JSON.stringify(report, null, 2)}\n`
    : renderExperimentMarkdown(report, output === "markdown" ? undefined : createScreenLayout());
}

/** Too few scored trials decide first, then the answer to the question of the run, if it has one. */
export function chooseExperimentExit(report: ExperimentReport, minCoverage: number): number {
  const covered = chooseCoverageExitCode(report, minCoverage);
  const { sequential } = report;
  return covered !== EXIT.fine || sequential === null ? covered : chooseSequentialExit(sequential);
}

/** Differences between variants with too few scored trials say nothing. */
function chooseCoverageExitCode({ variants }: ExperimentReport, least: number): number {
  const low = variants.filter(({ coverage, trials }) => (coverage ?? 0) < least || trials.pass + trials.fail === 0);
  for (const { name, coverage, coverageReason } of low)
    printNote(
      coverage === null
        ? `${name}: coverage is unknown: ${coverageReason}`
        : `${name}: only ${formatShare(coverage)} of the planned trials were scored (--min-coverage ${least})`,
    );
  return low.length === 0 ? EXIT.fine : EXIT.infrastructure;
}

interface StoredExperiment {
  dir: string;
  record: ExperimentRecord;
  rows: readonly EvalRow[];
  /** Without the trials that are put aside, or were not needed. */
  planned: number;
  /** What a run that may stop early has decided; null for any other. */
  sequential: SequentialReport | null;
  notes: readonly string[];
}

/** The folder of the named run, or of the latest experiment. */
export function findExperimentDir(name: string, { runsDir }: ExperimentReportFlags): string {
  return name === LATEST ? findLatestExperiment(runsDir) : findRun({ runsDir, name, onNote: printNote });
}

/** Skips other kinds of runs. */
function findLatestExperiment(runsDir: string): string {
  let others = 0;
  let isRead = true;
  try {
    return findLatestRun(runsDir, (dir) => {
      isRead = false;
      const isExperiment = readExperimentRecord(readManifest(dir).invocation) !== null;
      isRead = true;
      if (!isExperiment) others += 1;
      return isExperiment;
    });
  } catch (error) {
    if (others === 0 || !isRead) throw error;
    throw new RunFolderError(
      `${runsDir} has runs, but no experiments. Start one with assay experiment run, or pass the path of its folder.`,
      { cause: error },
    );
  }
}

/** The record of the experiment, or of the shard of one, in a run folder. */
export function readStoredRecord(dir: string): ExperimentRecord {
  const record = readExperimentRecord(readManifest(dir).invocation);
  if (record === null) throw new UsageError(`${dir} is not an experiment. Start one with assay experiment run.`);
  return record;
}

/** The experiment, or the shard of one, in a run folder. */
async function readStoredExperiment(dir: string): Promise<StoredExperiment> {
  const record = readStoredRecord(dir);
  const manifest = readManifest(dir);
  const { rows, quarantined } = readCountedRows(dir, manifest);
  const sequential = await readSequentialReport(dir, manifest);
  const notRun = sequential?.arms.reduce((sum, arm) => sum + arm.notRun, 0) ?? 0;
  const planned = manifest.planned - quarantined.length - notRun;
  return { dir, record, rows, planned, sequential, notes: describeQuarantine({ rows, quarantined }) };
}

interface ExperimentReportInput {
  record: ExperimentRecord;
  stored: readonly StoredExperiment[];
  flags: ExperimentReportFlags;
  notes: readonly string[];
  /** True if only this shard was requested. */
  isPart?: boolean;
}

/** A report with missing shards or trials is incomplete: the exit code is 3. */
async function reportStored({ record, stored, flags, notes, isPart = false }: ExperimentReportInput): Promise<number> {
  const unfinished = stored.filter(({ rows, planned }) => rows.length < planned).map(describeUnfinished);
  const isComplete = unfinished.length === 0 && (isPart || notes.length === 0);
  const about = {
    ...record,
    variants: record.variants.map((variant) => toReportedVariant(variant, isComplete)),
    notes: [...record.notes, ...notes, ...stored.flatMap((each) => each.notes), ...unfinished],
  };
  const rows = stored.flatMap((each) => each.rows);
  // Only the run of a whole experiment can stop early.
  const sequential = stored.length === 1 ? stored[0]?.sequential : null;
  const report = buildExperimentReport(about, rows, { ...flags, sequential, runs: stored.map(({ dir }) => dir) });
  await writeResult(renderExperiment(report, flags.output));
  const problems = [...(isPart ? [] : notes), ...unfinished];
  for (const problem of problems) printNote(problem);
  const covered = chooseExperimentExit(report, DEFAULT_MIN_COVERAGE);
  return problems.length === 0 ? covered : EXIT.infrastructure;
}

function describeUnfinished({ dir, rows, planned }: StoredExperiment): string {
  return `${dir}: ${formatPlural(planned - rows.length, "planned trial")} not run`;
}
