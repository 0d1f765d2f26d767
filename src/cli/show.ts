import { resolve } from "node:path";
import { EXIT, RunFolderError, UsageError } from "../core/errors.js";
import type { EvalConfig } from "../core/result.js";
import { type EvalRow, OUTCOMES } from "../core/row.js";
import { didYouMean, nearest } from "../core/suggest.js";
import { plural } from "../report/format.js";
import { oneLine } from "../report/markdown.js";
import { renderTrial } from "../report/show-trial.js";
import { trialName, trialTable } from "../report/trial-table.js";
import { storedRows } from "../runs/load-run.js";
import { readManifest } from "../store/journal.js";
import type { Manifest } from "../store/manifest.js";
import { readOutput } from "../store/outputs.js";
import { findRun, latestRun } from "../store/run-folder.js";
import { DEFAULT_RUNS_DIR } from "./run-config.js";
import { writeResult } from "./streams.js";

export interface ShowFlags extends Narrowing {
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

const LATEST = "latest";
const FORMATS = ["text", "json"];
const MOST_LISTED = 50;

/** `assay show`: one stored trial event by event, or a list of the trials of a run. Runs nothing. */
export async function showCommand(request: ShowRequest): Promise<number> {
  const { output: format, trial } = request;
  if (!FORMATS.includes(format))
    throw new UsageError(`Unknown output format "${format}".${didYouMean(format, FORMATS)}`);
  const dir = resolve(folderOf(request));
  const manifest = readManifest(dir);
  const stored = storedRows(dir, manifest);
  if (stored.length === 0) throw new RunFolderError(`${dir} has no finished trials, so there is nothing to show yet.`);
  const rows = narrowed(stored, request, manifest.config);
  const parts = { dir, manifest, rows, request };
  if (trial === undefined) await writeResult(format === "json" ? listJson(parts) : listText(parts, stored.length));
  else await writeResult(trialText(chooseTrial({ trial, rows, command: commandOf(request) }), parts));
  return EXIT.fine;
}

interface Parts {
  dir: string;
  manifest: Manifest;
  /** The selected rows. */
  rows: readonly EvalRow[];
  request: ShowRequest;
}

function folderOf({ run, trial, runsDir }: ShowRequest): string {
  if (run === undefined || run === LATEST) return latestRun(runsDir);
  try {
    return findRun({ runsDir, name: run, isCandidate: () => true });
  } catch (cause) {
    if (trial !== undefined || !(cause instanceof RunFolderError)) throw cause;
    const hint = `For a trial of the latest run: assay show ${LATEST} ${quoted(run)}`;
    throw new RunFolderError(`${cause.message} ${hint}`, { cause });
  }
}

function commandOf({ run = LATEST, runsDir }: ShowRequest): string {
  const place = runsDir === DEFAULT_RUNS_DIR ? "" : ` --runs-dir ${quoted(runsDir)}`;
  return `assay show ${quoted(run)}${place}`;
}

function listText({ manifest, rows, request }: Parts, stored: number): string {
  const shown = request.all === true ? rows : rows.slice(0, MOST_LISTED);
  const left = rows.length - shown.length;
  const unrun = manifest.planned - stored;
  const facts = [
    ...(left > 0 ? [`${plural(left, "more trial")}, use --all to list them`] : []),
    ...(unrun > 0 ? [`${plural(unrun, "planned trial")} not run`] : []),
    ...(rows.length < stored ? [`${rows.length} of ${plural(stored, "trial")} match the flags`] : []),
    `show one: ${commandOf(request)} TRIAL`,
  ];
  const table = shown.length === 0 ? "No trials match." : trialTable(shown);
  return `# ${oneLine(manifest.config.title)}\n\n${table}\n\n${facts.map((fact) => `- ${oneLine(fact)}\n`).join("")}`;
}

/** One by one, because a large run does not fit into one string. */
function* listJson({ dir, rows }: Parts): Generator<string> {
  yield `{\n  "schema": "assay.trials/1",\n  "run": ${JSON.stringify(dir)},\n  "trials": [`;
  let separator = "\n    ";
  for (const row of rows) {
    yield separator + JSON.stringify(row);
    separator = ",\n    ";
  }
  yield `${rows.length === 0 ? "" : "\n  "}]\n}\n`;
}

function trialText(row: EvalRow, { dir, manifest, request }: Parts): string {
  const trial = { row, ...readOutput(dir, row) };
  if (request.output === "json") {
    const { output, evidence } = trial;
    return `${JSON.stringify({ schema: "assay.trial/1", run: dir, row, output, evidence }, null, 2)}\n`;
  }
  const options = { threshold: manifest.config.threshold, isFull: request.full === true };
  return `${renderTrial(trial, options).join("\n")}\n`;
}

interface Narrowing {
  system?: string;
  dataset?: string;
  outcome?: string;
}

/** Limits the trials that are suggested, and the ids that are compared for a suggestion. */
const MOST_OFFERED = 20;
const MOST_COMPARED = 5000;

/** Throws if a flag names something that the run does not have. */
function narrowed(rows: readonly EvalRow[], narrowing: Narrowing, config: EvalConfig): EvalRow[] {
  const { system, dataset, outcome } = narrowing;
  requireKnown("system", system, config.systems);
  requireKnown("outcome", outcome, OUTCOMES);
  const tags = config.datasets.find(({ name }) => name === dataset)?.tags ?? [];
  if (tags.length === 0) requireKnown("dataset", dataset, new Set(rows.map((row) => row.dataset)));
  return rows.filter(
    (row) =>
      (system === undefined || row.system === system) &&
      (outcome === undefined || row.outcome === outcome) &&
      (dataset === undefined || row.dataset === dataset || tags.includes(row.dataset)),
  );
}

function requireKnown(what: string, name: string | undefined, known: Iterable<string>): void {
  if (name === undefined || [...known].includes(name)) return;
  throw new UsageError(`The run has no ${what} "${name}".${didYouMean(name, known)}`);
}

interface Choice {
  /** An example id, or `ID#N` for its trial N. */
  trial: string;
  rows: readonly EvalRow[];
  /** Such as `assay show 20261115-213334-needle`. */
  command: string;
}

/** Throws an error that explains how to name a trial if none or several match. */
function chooseTrial({ trial, rows, command }: Choice): EvalRow {
  // An id may itself end in #N: its trials can always be named with one more.
  const exact = rows.filter((row) => trialName(row) === trial);
  const found = exact.length > 0 ? exact : rows.filter(({ exampleId }) => String(exampleId) === trial);
  const [only, ...others] = found;
  if (only === undefined) throw notFound({ trial, rows, command });
  if (others.length > 0) throw ambiguous({ trial, rows: found, command });
  return only;
}

function ambiguous({ trial, rows, command }: Choice): UsageError {
  const offered = rows.slice(0, MOST_OFFERED).map((row) => `  ${asTyped(row, { trial, rows, command })}`);
  const more = rows.length - offered.length;
  const rest = more > 0 ? [`  and ${more} more`] : [];
  return new UsageError([`"${trial}" matches ${rows.length} trials. Choose one:`, ...offered, ...rest].join("\n"));
}

/** The command that shows one of several trials, with as few flags as possible. */
function asTyped(row: EvalRow, { rows, command }: Choice): string {
  const differs = (field: "system" | "dataset") => rows.some((other) => other[field] !== row[field]);
  const flags = [
    ...(differs("system") ? ["--system", quoted(row.system)] : []),
    ...(differs("dataset") ? ["--dataset", quoted(row.dataset)] : []),
  ];
  const name = trialName(row);
  const words = name.startsWith("-") ? [...flags, "--", quoted(name)] : [quoted(name), ...flags];
  return [command, ...words].join(" ");
}

function notFound({ trial, rows, command }: Choice): UsageError {
  const id = trial.replace(/#\d+$/, "");
  const same = rows.filter(({ exampleId }) => String(exampleId) === id);
  if (same.length > 0) {
    const names = [...new Set(same.map(trialName))].slice(0, MOST_OFFERED);
    return new UsageError(`The run has no trial "${trial}". Of that example there ${isOrAre(names)}.`);
  }
  const ids = [...new Set(rows.slice(0, MOST_COMPARED).map(({ exampleId }) => String(exampleId)))];
  const guess = nearest(id, ids);
  const hint = guess === undefined ? "" : ` Did you mean "${guess}"?`;
  const among = rows.length === 0 ? "none match" : `among ${plural(rows.length, "trial")}`;
  return new UsageError(`The run has no trial "${trial}" (${among}).${hint} List them with: ${command} --all`);
}

function isOrAre(names: readonly string[]): string {
  return `${names.length === 1 ? "is" : "are"} ${names.join(", ")}`;
}

/**
 * Quotes a word for the shell.
 * @example
 * quoteShellWord("it's"); // "'it'\\''s'"
 */
function quoted(word: string): string {
  return /^[\w@%+=:,./-][\w@%+=:,./#-]*$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
