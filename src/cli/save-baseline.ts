import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import { EXIT, getErrorMessage, RunFolderError, UsageError } from "../core/index.js";
import { requireWholeSample } from "../runs/index.js";
import { findRun, QUARANTINE_FILE, RUN_FILES, readRunLines } from "../store/index.js";
import { writePiecesAtomically } from "../utils/index.js";
import { printNote } from "./streams.js";

/**
 * `assay baseline save`: a run folder with only what a comparison needs. It has no outputs, examples or command line, which
 * may be large or private.
 */
export async function saveBaseline(folder: string, run: string, { runsDir }: { runsDir: string }): Promise<number> {
  const dir = findRun({ runsDir, name: run, onNote: printNote });
  const manifest = { ...requireWholeSample(dir), invocation: null };
  requireBaselineFolder(folder);
  try {
    mkdirSync(folder, { recursive: true });
    // The manifest goes last: without it the folder is no run.
    writePiecesAtomically(join(folder, RUN_FILES.rows), readRowLines(dir));
    saveQuarantine(dir, folder);
    writePiecesAtomically(join(folder, RUN_FILES.manifest), [`${JSON.stringify(manifest, null, 2)}\n`]);
  } catch (cause) {
    if (cause instanceof RunFolderError) throw cause;
    throw new RunFolderError(`${folder} could not be written: ${getErrorMessage(cause)}.`, { cause });
  }
  printNote(`Saved ${basename(dir)} in ${folder}. Compare with it: assay compare ${folder} latest`);
  return EXIT.fine;
}

/** One that was saved before belongs to another run. */
function saveQuarantine(dir: string, folder: string): void {
  const [first, ...others] = [...readRunLines(dir, QUARANTINE_FILE)].map(({ text }) => `${text}\n`);
  const path = join(folder, QUARANTINE_FILE);
  if (first === undefined) rmSync(path, { force: true });
  else writePiecesAtomically(path, [first, ...others]);
}

/** Lines about money and torn lines are left out. */
function* readRowLines(dir: string): Generator<string> {
  for (const { text } of readRunLines(dir, RUN_FILES.rows)) if (isRowLine(text)) yield `${text}\n`;
}

function isRowLine(text: string): boolean {
  try {
    return "outcome" in (JSON.parse(text) as object);
  } catch {
    return false;
  }
}

/** Other files must not be mixed with a run, or be lost. */
function requireBaselineFolder(folder: string): void {
  if (!existsSync(folder)) return;
  const known = new Set<string>([RUN_FILES.manifest, RUN_FILES.rows, QUARANTINE_FILE]);
  const other = readFolder(folder).find((name) => !known.has(name));
  if (other !== undefined)
    throw new UsageError(`${folder} holds ${other}, which is not part of a saved baseline. Choose a new folder.`);
}

function readFolder(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (cause) {
    throw new UsageError(`${folder} is not a folder: ${getErrorMessage(cause)}. Choose a new folder.`, { cause });
  }
}
