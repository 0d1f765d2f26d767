import { join } from "node:path";
import type { EvalRow, LabelCorrections, TrialKey } from "../core/index.js";
import { UsageError } from "../core/index.js";
import { closeFiles, isBadRow, openRowFile, type RawRow } from "../datasets/index.js";
import {
  correctByOtherLabels,
  correctDifference,
  correctPassRates,
  DEFAULT_HALF_WIDTH,
  type JudgedLabel,
  type RandomLabel,
} from "../metrics/index.js";
import { formatPlural } from "../report/index.js";
import { readLabelPlan, readTrialLabels, TRIAL_LABELS_FILE } from "../store/index.js";

/** A stored run with its rows. */
export interface LabeledRun {
  readonly runDir: string;
  readonly rows: readonly EvalRow[];
}

interface RandomLabels {
  readonly labels: readonly RandomLabel[];
  readonly notes: readonly string[];
}

/**
 * Corrects the pass rates of a run. `source` is true for the labels of the run, or a file: of trials of the run, or of
 * another set with what the judge said about it.
 */
export async function correctRun(
  run: LabeledRun,
  source: string | true,
  halfWidth = DEFAULT_HALF_WIDTH,
): Promise<LabelCorrections> {
  if (source === true) {
    const { labels, notes } = readRandomLabels(run.runDir);
    return { systems: correctPassRates(run.rows, labels, { halfWidth }), halfWidth, notes };
  }
  const file = await readLabelFile(source, run.rows);
  return file.kind === "trials"
    ? { systems: correctPassRates(run.rows, file.labels, { halfWidth }), halfWidth, notes: [ASSUMED_RANDOM] }
    : { systems: correctByOtherLabels(run.rows, file.labels), halfWidth, notes: [] };
}

/** Corrects the difference of two systems, each of one run. */
export function correctComparison(a: LabeledRun, b: LabeledRun, halfWidth = DEFAULT_HALF_WIDTH): LabelCorrections {
  const [ofA, ofB] = [readRandomLabels(a.runDir), readRandomLabels(b.runDir)];
  const isOwn = (run: LabeledRun) => {
    const names = new Set(run.rows.map(({ system }) => system));
    return ({ system }: TrialKey) => names.has(system);
  };
  const difference = correctDifference(
    { rows: a.rows, labels: ofA.labels.filter(isOwn(a)) },
    { rows: b.rows, labels: ofB.labels.filter(isOwn(b)) },
    { halfWidth },
  );
  return { systems: [difference], halfWidth, notes: [...new Set([...ofA.notes, ...ofB.notes])] };
}

const ASSUMED_RANDOM = "the labels of the file are taken to be a random sample of the trials";

/** The labels of a run whose trials were chosen at random; only those say something about the others. */
function readRandomLabels(runDir: string): RandomLabels {
  const labels = readTrialLabels(runDir).filter(({ verdict }) => verdict !== null);
  if (labels.length === 0)
    throw new UsageError(
      `No trial of ${runDir} is marked right or wrong (${join(runDir, TRIAL_LABELS_FILE)}). Label some with: assay label RUN -n 60`,
    );
  const plan = readLabelPlan(runDir);
  const chances = new Map(plan?.trials.map((trial) => [formatKey(trial), trial.chance]));
  const used = labels.filter((label) => (plan === null ? label.blind : chances.has(formatKey(label))));
  const left = labels.length - used.length;
  return {
    labels: used.map((label) => ({
      system: label.system,
      dataset: label.dataset,
      exampleId: label.exampleId,
      trial: label.trial,
      isRight: label.verdict === "right",
      chance: chances.get(formatKey(label)) ?? null,
    })),
    notes:
      left === 0
        ? []
        : [
            `${formatPlural(left, "label")} left out: ${left === 1 ? "its trial was" : "their trials were"} not chosen at random, so ${left === 1 ? "it says" : "they say"} nothing about other trials`,
          ],
  };
}

type LabelFile =
  | { readonly kind: "trials"; readonly labels: readonly RandomLabel[] }
  | { readonly kind: "judged"; readonly labels: readonly JudgedLabel[] };

const YES = new Set(["right", "true", "1", "yes", "pass", "correct"]);
const NO = new Set(["wrong", "false", "0", "no", "fail", "incorrect"]);

/** Rows with `judge` are of another set; rows with `id` are trials of the run. */
async function readLabelFile(path: string, rows: readonly EvalRow[]): Promise<LabelFile> {
  const systems = [...new Set(rows.map(({ system }) => system))];
  const known = new Map(rows.map((row) => [formatLooseKey(row), row]));
  const judged: JudgedLabel[] = [];
  const trials: RandomLabel[] = [];
  const problems: string[] = [];
  const file = await openRowFile({ path });
  try {
    for await (const batch of file.batches()) {
      for (const source of batch) {
        const problem = isBadRow(source) ? source.problem : takeRow(lowerKeys(source.row));
        if (problem !== null) problems.push(`${file.at(source.line)}: ${problem}`);
      }
    }
  } finally {
    await closeFiles([file]);
  }
  const [first] = problems;
  if (first !== undefined)
    throw new UsageError(
      problems.length === 1 ? first : `${first} (and ${formatPlural(problems.length - 1, "more bad row")})`,
    );
  if (judged.length > 0 && trials.length > 0)
    throw new UsageError(`${path} has rows with "judge" and rows without it. Use one kind of labels.`);
  if (judged.length + trials.length === 0) throw new UsageError(`${path} has no rows.`);
  return judged.length > 0 ? { kind: "judged", labels: judged } : { kind: "trials", labels: trials };

  function takeRow(row: RawRow): string | null {
    const isRight = readVerdict(row.label ?? row.verdict);
    if (isRight === null) return `"label" must be right or wrong, but is ${JSON.stringify(row.label ?? null)}`;
    if (row.judge !== undefined) {
      const isPassed = readVerdict(row.judge);
      if (isPassed === null) return `"judge" must be right or wrong, but is ${JSON.stringify(row.judge)}`;
      judged.push({ isRight, isPassed });
      return null;
    }
    const id = row.id ?? row.exampleid ?? row.example_id;
    if (id === undefined) return 'has neither "id" (a trial of the run) nor "judge" (what the judge said)';
    const system = row.system ?? (systems.length === 1 ? systems[0] : undefined);
    if (system === undefined) return `needs a "system", because the run has ${systems.length}: ${systems.join(", ")}`;
    const datasets = new Set(rows.map(({ dataset }) => dataset));
    const dataset = row.dataset ?? (datasets.size === 1 ? [...datasets][0] : "");
    const key = {
      system: toText(system),
      dataset: toText(dataset),
      exampleId: toText(id),
      trial: Number(row.trial ?? 0),
    };
    const found = known.get(formatLooseKey(key));
    if (found === undefined)
      return `is about a trial that the run does not have: ${key.system}, ${key.exampleId}#${key.trial}`;
    trials.push({ ...key, exampleId: found.exampleId, isRight, chance: null });
    return null;
  }
}

/** A cell is text, a number or a boolean, whatever the format. */
function toText(value: unknown): string {
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

function lowerKeys(row: RawRow): RawRow {
  return Object.fromEntries(Object.entries(row).map(([key, value]) => [key.trim().toLowerCase(), value]));
}

function readVerdict(value: unknown): boolean | null {
  const text = toText(value).trim().toLowerCase();
  return YES.has(text) ? true : NO.has(text) ? false : null;
}

function formatKey({ system, dataset, exampleId, trial }: TrialKey): string {
  return JSON.stringify([system, dataset, exampleId, trial]);
}

/** Ids of a CSV file are text. */
function formatLooseKey({ system, dataset, exampleId, trial }: TrialKey): string {
  return JSON.stringify([system, dataset, String(exampleId), trial]);
}
