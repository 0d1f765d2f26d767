import { resolve } from "node:path";
import { EXIT, RunFolderError, UsageError } from "../core/errors.js";
import type { EvalRow } from "../core/row.js";
import { didYouMean } from "../core/suggest.js";
import { plural } from "../report/format.js";
import { oneLine } from "../report/markdown.js";
import { renderTrial } from "../report/show-trial.js";
import { trialTable } from "../report/trial-table.js";
import { storedRows } from "../runs/load-run.js";
import { readManifest } from "../store/journal.js";
import type { Manifest } from "../store/manifest.js";
import { readOutput } from "../store/outputs.js";
import { findRun, latestRun } from "../store/run-folder.js";
import { DEFAULT_RUNS_DIR } from "./run-config.js";
import { chooseTrial, type Narrowing, narrowed, quoted } from "./show-choice.js";
import { writeResult } from "./streams.js";

export interface ShowFlags extends Narrowing {
  output: string;
  runsDir: string;
  full?: boolean;
  all?: boolean;
}

/** Which run, and which of its trials; without one, all are listed. */
export interface ShowRequest extends ShowFlags {
  run?: string;
  trial?: string;
}

const LATEST = "latest";
const FORMATS = ["text", "json"];
const MOST_LISTED = 50;

/** `assay show`: one stored trial event by event, or the trials of a run to choose from. Runs nothing. */
export async function showCommand(request: ShowRequest): Promise<number> {
  const { output: format, trial } = request;
  if (!FORMATS.includes(format)) throw new UsageError(`There is no output "${format}".${didYouMean(format, FORMATS)}`);
  const dir = resolve(folderOf(request));
  const manifest = readManifest(dir);
  const stored = storedRows(dir, manifest);
  if (stored.length === 0) throw new RunFolderError(`${dir} holds no finished trial: there is nothing to show yet.`);
  const rows = narrowed(stored, request, manifest.config);
  const parts = { dir, manifest, rows, request };
  if (trial === undefined) await writeResult(format === "json" ? listJson(parts) : listText(parts, stored.length));
  else await writeResult(trialText(chooseTrial({ trial, rows, command: commandOf(request) }), parts));
  return EXIT.fine;
}

interface Parts {
  dir: string;
  manifest: Manifest;
  /** Those that are meant. */
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
    ...(left > 0 ? [`${plural(left, "more trial")}, shown by --all`] : []),
    ...(unrun > 0 ? [`${plural(unrun, "planned trial")} never run`] : []),
    ...(rows.length < stored ? [`${rows.length} of ${plural(stored, "trial")} fit the flags`] : []),
    `one of them: ${commandOf(request)} TRIAL`,
  ];
  const table = shown.length === 0 ? "No trial fits." : trialTable(shown);
  return `# ${oneLine(manifest.config.title)}\n\n${table}\n\n${facts.map((fact) => `- ${oneLine(fact)}\n`).join("")}`;
}

/** All of them, one by one, so that no run is too large for a string. */
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
