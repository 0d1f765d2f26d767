import { resolve } from "node:path";
import { didYouMean, type EvalRow, EXIT, RunFolderError, UsageError } from "../core/index.js";
import { formatPlural, formatTrialName, renderTrial, renderTrialTable } from "../report/index.js";
import { describeQuarantine, readStoredRows } from "../runs/index.js";
import type { Manifest } from "../store/index.js";
import {
  encodeKey,
  findLatestRun,
  findRun,
  LATEST_NAME,
  type QuarantinedTrial,
  readManifest,
  readOutput,
  readQuarantine,
  readTrialLabels,
  splitQuarantined,
  type TrialLabel,
} from "../store/index.js";
import { quoteShellWord } from "../utils/index.js";
import { filterTrials, findTrials, type TrialChoice, type TrialFilter } from "./find-trials.js";
import { DEFAULT_RUNS_DIR } from "./run-config.js";
import { createScreenLayout } from "./screen.js";
import { printNote, writeResult } from "./streams.js";

export interface ShowFlags extends TrialFilter {
  output: string;
  runsDir: string;
  full?: boolean;
  all?: boolean;
}

/** Without a trial, all trials of the run are listed. */
export interface ShowRequest extends ShowFlags {
  run?: string;
  trial?: string;
}

const FORMATS = ["text", "json"];
const MAX_LISTED = 50;

/** `assay show`: one stored trial event by event, or a list of the trials of a run. Runs nothing. */
export async function executeShow(request: ShowRequest): Promise<number> {
  const { output: format, trial } = request;
  if (!FORMATS.includes(format))
    throw new UsageError(`Unknown output format "${format}".${didYouMean(format, FORMATS)}`);
  const dir = resolve(findRunFolder(request));
  const manifest = readManifest(dir);
  const stored = readStoredRows(dir, manifest);
  if (stored.length === 0) throw new RunFolderError(`${dir} has no finished trials, so there is nothing to show yet.`);
  const rows = filterTrials(stored, request, manifest.config);
  const labels = new Map(readTrialLabels(dir).map((label) => [encodeKey(label), label]));
  const quarantine = new Map(readQuarantine(dir).map((each) => [encodeKey(each), each]));
  const parts = { dir, manifest, rows, labels, quarantine, request };
  if (trial === undefined)
    await writeResult(format === "json" ? formatTrialListJson(parts) : formatTrialList(parts, stored.length));
  else await writeResult(formatTrial(chooseTrial({ trial, rows, command: formatShowCommand(request) }), parts));
  return EXIT.fine;
}

interface ShowContext {
  dir: string;
  manifest: Manifest;
  /** The selected rows. */
  rows: readonly EvalRow[];
  /** What people said about trials, by key. */
  labels: ReadonlyMap<string, TrialLabel>;
  /** Which trials are put aside, by key. */
  quarantine: ReadonlyMap<string, QuarantinedTrial>;
  request: ShowRequest;
}

function findRunFolder({ run, trial, runsDir }: ShowRequest): string {
  if (run === undefined) return findLatestRun(runsDir);
  try {
    return findRun({ runsDir, name: run, onNote: printNote });
  } catch (cause) {
    if (trial !== undefined || !(cause instanceof RunFolderError)) throw cause;
    const hint = `For a trial of the latest run: assay show ${LATEST_NAME} ${quoteShellWord(run)}`;
    throw new RunFolderError(`${cause.message} ${hint}`, { cause });
  }
}

function formatShowCommand({ run = LATEST_NAME, runsDir }: ShowRequest): string {
  const place = runsDir === DEFAULT_RUNS_DIR ? "" : ` --runs-dir ${quoteShellWord(runsDir)}`;
  return `assay show ${quoteShellWord(run)}${place}`;
}

function formatTrialList({ manifest, rows: all, labels, quarantine, request }: ShowContext, stored: number): string {
  const counted = splitQuarantined(all, [...quarantine.values()]);
  const { rows } = counted;
  const shown = request.all === true ? rows : rows.slice(0, MAX_LISTED);
  const left = rows.length - shown.length;
  const unrun = manifest.planned - stored;
  const facts = [
    ...(left > 0 ? [`${formatPlural(left, "more trial")}, use --all to list them`] : []),
    ...(unrun > 0 ? [`${formatPlural(unrun, "planned trial")} not run`] : []),
    ...describeQuarantine(counted),
    ...(all.length < stored ? [`${all.length} of ${formatPlural(stored, "trial")} match the flags`] : []),
    `show one: ${formatShowCommand(request)} TRIAL`,
  ];
  const layout = createScreenLayout();
  const table =
    shown.length === 0
      ? "No trials match."
      : renderTrialTable(shown, { layout, findLabel: (row) => labels.get(encodeKey(row)) });
  return `${layout.heading(manifest.config.title)}\n\n${table}\n\n${layout.bullets(facts)}\n`;
}

/** One by one, because a large run does not fit into one string. */
function* formatTrialListJson({ dir, rows: all, labels, quarantine }: ShowContext): Generator<string> {
  const { rows, quarantined } = splitQuarantined(all, [...quarantine.values()]);
  yield `{\n  "schema": "assay.trials/1",\n  "run": ${JSON.stringify(dir)},\n  "trials": [`;
  let separator = "\n    ";
  for (const row of rows) {
    yield separator + JSON.stringify(row);
    separator = ",\n    ";
  }
  const given = rows.flatMap((row) => labels.get(encodeKey(row)) ?? []);
  yield `${rows.length === 0 ? "" : "\n  "}],\n  "labels": ${JSON.stringify(given)},\n  "quarantined": ${JSON.stringify(quarantined)}\n}\n`;
}

function formatTrial(row: EvalRow, { dir, manifest, labels, quarantine, request }: ShowContext): string {
  const key = encodeKey(row);
  const quarantined = quarantine.get(key) ?? null;
  const trial = { row, label: labels.get(key) ?? null, quarantined, ...readOutput(dir, row) };
  if (request.output === "json") {
    const { label, output, evidence } = trial;
    return `${JSON.stringify({ schema: "assay.trial/1", run: dir, row, label, quarantined, output, evidence }, null, 2)}\n`;
  }
  const options = { threshold: manifest.config.threshold, isFull: request.full === true };
  return `${renderTrial(trial, options).join("\n")}\n`;
}

/** Limits the trials that are suggested. */
const MAX_OFFERED = 20;

/** Throws an error that explains how to name a trial if several match. */
function chooseTrial({ trial, rows, command }: TrialChoice): EvalRow {
  const found = findTrials({ trial, rows, command });
  const [only, ...others] = found;
  if (others.length > 0) throw createAmbiguousTrialError({ trial, rows: found, command });
  return only;
}

function createAmbiguousTrialError({ trial, rows, command }: TrialChoice): UsageError {
  const offered = rows.slice(0, MAX_OFFERED).map((row) => `  ${formatTrialSpec(row, { trial, rows, command })}`);
  const more = rows.length - offered.length;
  const rest = more > 0 ? [`  and ${more} more`] : [];
  return new UsageError([`"${trial}" matches ${rows.length} trials. Choose one:`, ...offered, ...rest].join("\n"));
}

/** The command that shows one of several trials, with as few flags as possible. */
function formatTrialSpec(row: EvalRow, { rows, command }: TrialChoice): string {
  const differs = (field: "system" | "dataset") => rows.some((other) => other[field] !== row[field]);
  const flags = [
    ...(differs("system") ? ["--system", quoteShellWord(row.system)] : []),
    ...(differs("dataset") ? ["--dataset", quoteShellWord(row.dataset)] : []),
  ];
  const name = formatTrialName(row);
  const words = name.startsWith("-") ? [...flags, "--", quoteShellWord(name)] : [quoteShellWord(name), ...flags];
  return [command, ...words].join(" ");
}
