import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { messageOf, RunFolderError } from "../../core/errors.js";
import { FILES, readManifest } from "../journal.js";
import type { Manifest } from "../manifest.js";

/** A run folder that can be asked. */
export interface StoredRun {
  /** The name of its folder, by which commands know it. */
  readonly run: string;
  readonly dir: string;
  readonly manifest: Manifest;
}

/** The run folders that can be asked, oldest first, and a note on each that cannot. */
export interface StoredRuns {
  readonly runs: readonly StoredRun[];
  readonly notes: readonly string[];
}

/** The runs of a folder. One that is damaged, or of a format that is not known, is left out with a note. */
export function storedRuns(runsDir: string): StoredRuns {
  if (!existsSync(runsDir))
    throw new RunFolderError(`There is no folder ${runsDir}. Name the one that holds the run folders: --runs-dir.`);
  if (!statSync(runsDir).isDirectory())
    throw new RunFolderError(`${runsDir} is no folder. Name the one that holds the run folders: --runs-dir.`);
  const folders = readdirSync(runsDir).sort();
  const found = readRuns(folders.map((name) => join(runsDir, name)).filter(isMeantAsRun));
  if (found.runs.length > 0) return found;
  return { runs: [], notes: [...found.notes, `There is no run in ${runsDir}: every view is empty.`] };
}

/** These runs, those left out that cannot be read. */
export function readRuns(dirs: readonly string[]): StoredRuns {
  const runs: StoredRun[] = [];
  const notes: string[] = [];
  for (const dir of dirs) {
    try {
      runs.push({ run: basename(resolve(dir)), dir: resolve(dir), manifest: readManifest(dir) });
    } catch (error) {
      notes.push(`${basename(resolve(dir))} is left out: ${messageOf(error)}`);
    }
  }
  return { runs, notes };
}

/** Folders with neither file are something else, and nobody has to hear of them. */
function isMeantAsRun(dir: string): boolean {
  return existsSync(join(dir, FILES.manifest)) || existsSync(join(dir, FILES.rows));
}
