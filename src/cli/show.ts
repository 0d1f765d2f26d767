import { resolve } from "node:path";
import type { EvalConfig } from "../core/index.js";
import {
  didYouMean,
  type EvalRow,
  EXIT,
  findClosestName,
  OUTCOMES,
  RunFolderError,
  UsageError,
} from "../core/index.js";
import { formatPlural, formatTrialName, renderTrial, renderTrialTable } from "../report/index.js";
import { readStoredRows } from "../runs/index.js";
import type { Manifest } from "../store/index.js";
import { findLatestRun, findRun, LATEST_NAME, readManifest, readOutput } from "../store/index.js";
import { quoteShellWord } from "../utils/index.js";
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
  const parts = { dir, manifest, rows, request };
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

function formatTrialList({ manifest, rows, request }: ShowContext, stored: number): string {
  const shown = request.all === true ? rows : rows.slice(0, MAX_LISTED);
  const left = rows.length - shown.length;
  const unrun = manifest.planned - stored;
  const facts = [
    ...(left > 0 ? [`${formatPlural(left, "more trial")}, use --all to list them`] : []),
    ...(unrun > 0 ? [`${formatPlural(unrun, "planned trial")} not run`] : []),
    ...(rows.length < stored ? [`${rows.length} of ${formatPlural(stored, "trial")} match the flags`] : []),
    `show one: ${formatShowCommand(request)} TRIAL`,
  ];
  const layout = createScreenLayout();
  const table = shown.length === 0 ? "No trials match." : renderTrialTable(shown, layout);
  return `${layout.heading(manifest.config.title)}\n\n${table}\n\n${layout.bullets(facts)}\n`;
}

/** One by one, because a large run does not fit into one string. */
function* formatTrialListJson({ dir, rows }: ShowContext): Generator<string> {
  yield `{\n  "schema": "assay.trials/1",\n  "run": ${JSON.stringify(dir)},\n  "trials": [`;
  let separator = "\n    ";
  for (const row of rows) {
    yield separator + JSON.stringify(row);
    separator = ",\n    ";
  }
  yield `${rows.length === 0 ? "" : "\n  "}]\n}\n`;
}

function formatTrial(row: EvalRow, { dir, manifest, request }: ShowContext): string {
  const trial = { row, ...readOutput(dir, row) };
  if (request.output === "json") {
    const { output, evidence } = trial;
    return `${JSON.stringify({ schema: "assay.trial/1", run: dir, row, output, evidence }, null, 2)}\n`;
  }
  const options = { threshold: manifest.config.threshold, isFull: request.full === true };
  return `${renderTrial(trial, options).join("\n")}\n`;
}

interface TrialFilter {
  system?: string;
  dataset?: string;
  outcome?: string;
}

/** Limits the trials that are suggested, and the ids that are compared for a suggestion. */
const MAX_OFFERED = 20;
const MAX_COMPARED = 5000;

/** Throws if a flag names something that the run does not have. */
function filterTrials(rows: readonly EvalRow[], narrowing: TrialFilter, config: EvalConfig): EvalRow[] {
  const { system, dataset, outcome } = narrowing;
  requireKnownName("system", system, config.systems);
  requireKnownName("outcome", outcome, OUTCOMES);
  const tags = config.datasets.find(({ name }) => name === dataset)?.tags ?? [];
  if (tags.length === 0) requireKnownName("dataset", dataset, new Set(rows.map((row) => row.dataset)));
  return rows.filter(
    (row) =>
      (system === undefined || row.system === system) &&
      (outcome === undefined || row.outcome === outcome) &&
      (dataset === undefined || row.dataset === dataset || tags.includes(row.dataset)),
  );
}

function requireKnownName(what: string, name: string | undefined, known: Iterable<string>): void {
  if (name === undefined || [...known].includes(name)) return;
  throw new UsageError(`The run has no ${what} "${name}".${didYouMean(name, known)}`);
}

interface TrialChoice {
  /** An example id, or `ID#N` for its trial N. */
  trial: string;
  rows: readonly EvalRow[];
  /** Such as `assay show 20261115-213334-needle`. */
  command: string;
}

/** Throws an error that explains how to name a trial if none or several match. */
function chooseTrial({ trial, rows, command }: TrialChoice): EvalRow {
  // An id may itself end in #N: its trials can always be named with one more.
  const exact = rows.filter((row) => formatTrialName(row) === trial);
  const found = exact.length > 0 ? exact : rows.filter(({ exampleId }) => String(exampleId) === trial);
  const [only, ...others] = found;
  if (only === undefined) throw createUnknownTrialError({ trial, rows, command });
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

function createUnknownTrialError({ trial, rows, command }: TrialChoice): UsageError {
  const id = trial.replace(/#\d+$/, "");
  const same = rows.filter(({ exampleId }) => String(exampleId) === id);
  if (same.length > 0) {
    const names = [...new Set(same.map(formatTrialName))].slice(0, MAX_OFFERED);
    return new UsageError(`The run has no trial "${trial}". Of that example there ${chooseVerb(names)}.`);
  }
  const ids = [...new Set(rows.slice(0, MAX_COMPARED).map(({ exampleId }) => String(exampleId)))];
  const guess = findClosestName(id, ids);
  const hint = guess === undefined ? "" : ` Did you mean "${guess}"?`;
  const among = rows.length === 0 ? "none match" : `among ${formatPlural(rows.length, "trial")}`;
  return new UsageError(`The run has no trial "${trial}" (${among}).${hint} List them with: ${command} --all`);
}

function chooseVerb(names: readonly string[]): string {
  return `${names.length === 1 ? "is" : "are"} ${names.join(", ")}`;
}
