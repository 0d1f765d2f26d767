import { resolve } from "node:path";
import { didYouMean, type EvalRow, EXIT, RunFolderError, UsageError } from "../core/index.js";
import {
  type DiffedTrial,
  diffTrials,
  formatTrialName,
  hasNothingToAlign,
  renderTrialDiff,
  toTrialDiffJson,
} from "../report/index.js";
import { readStoredRows } from "../runs/index.js";
import { encodeKey, findRun, readManifest, readOutput } from "../store/index.js";
import { quoteShellWord } from "../utils/index.js";
import { findTrials } from "./find-trials.js";
import { createScreenLayout } from "./screen.js";
import { printNote, writeResult } from "./streams.js";

export interface DiffFlags {
  output: string;
  runsDir: string;
  full?: boolean;
  /** The run of B. Default: that of A. */
  runB?: string;
}

export interface DiffRequest extends DiffFlags {
  run: string;
  a: string;
  /** Default, with `runB`: the same trial as A. */
  b?: string;
}

const FORMATS = ["table", "json"];

/** `assay diff`: two stored trials, step by step. Runs nothing. */
export async function executeDiff(request: DiffRequest): Promise<number> {
  const { output, run, runB, runsDir, a, b = runB === undefined ? undefined : a } = request;
  if (!FORMATS.includes(output))
    throw new UsageError(`Unknown output format "${output}".${didYouMean(output, FORMATS)}`);
  if (b === undefined)
    throw new UsageError(
      `There is only one trial, ${a}. Name the one to compare it with: assay diff ${quoteShellWord(run)} ${quoteShellWord(a)} OTHER, or the same trial of another run: --run-b RUN.`,
    );
  const first = readTrial({ run, trial: a, runsDir });
  const second = readTrial({ run: runB ?? run, trial: b, runsDir });
  if (first.run === second.run && encodeKey(first.row) === encodeKey(second.row))
    throw new UsageError(`${a} and ${b} are the same trial. Name two.`);
  const diff = diffTrials(first, second);
  if (hasNothingToAlign(diff)) throw createNothingStoredError(first, second);
  if (output === "json") await writeResult(`${JSON.stringify(toTrialDiffJson(diff), null, 2)}\n`);
  else await writeResult(renderTrialDiff(diff, { layout: createScreenLayout(), isFull: request.full === true }));
  return EXIT.fine;
}

function createNothingStoredError({ row: a }: DiffedTrial, { row: b }: DiffedTrial): RunFolderError {
  return new RunFolderError(
    `Neither ${formatTrialName(a)} nor ${formatTrialName(b)} stored a step or an answer, so there is nothing to align.`,
  );
}

interface NamedTrial {
  readonly run: string;
  readonly trial: string;
  readonly runsDir: string;
}

function readTrial({ run, trial, runsDir }: NamedTrial): DiffedTrial {
  const dir = resolve(findRun({ runsDir, name: run, onNote: printNote }));
  const manifest = readManifest(dir);
  const row = chooseRow({ run, trial, rows: readStoredRows(dir, manifest), systems: manifest.config.systems });
  const price = manifest.systems[row.system]?.limits?.price ?? null;
  return { run: dir, row, output: readOutput(dir, row).output, price };
}

interface RowChoice {
  readonly run: string;
  readonly trial: string;
  readonly rows: readonly EvalRow[];
  readonly systems: readonly string[];
}

const MAX_OFFERED = 10;

/** A name may have its system in front: `SYSTEM:EXAMPLE#N`. */
function chooseRow({ run, trial, rows, systems }: RowChoice): EvalRow {
  const command = `assay show ${quoteShellWord(run)}`;
  const isWhole = rows.some((row) => formatTrialName(row) === trial || String(row.exampleId) === trial);
  // The longest name, because one may begin with another.
  const system = isWhole
    ? undefined
    : systems.filter((name) => trial.startsWith(`${name}:`)).toSorted((x, y) => y.length - x.length)[0];
  const own = system === undefined ? rows : rows.filter((row) => row.system === system);
  const name = system === undefined ? trial : trial.slice(system.length + 1);
  const found = findTrials({ trial: name, rows: own, command });
  const [only, ...others] = found;
  if (others.length === 0) return only;
  const hasSystems = found.some((row) => row.system !== only.system);
  const names = found.map((row) => `${hasSystems ? `${row.system}:` : ""}${formatTrialName(row)}`);
  const shown = [...new Set(names)].slice(0, MAX_OFFERED).map((one) => `  ${quoteShellWord(one)}`);
  throw new UsageError([`"${trial}" matches ${found.length} trials. Choose one:`, ...shown].join("\n"));
}
