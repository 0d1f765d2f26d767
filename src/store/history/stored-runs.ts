import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { getErrorMessage, RunFolderError } from "../../core/index.js";
import { RUN_FILES, readManifest } from "../journal.js";
import type { Manifest } from "../manifest.js";

/** A run folder that can be queried. */
export interface StoredRun {
  /** The name of its folder, as used in commands. */
  readonly run: string;
  readonly dir: string;
  readonly manifest: Manifest;
}

/** The run folders that can be queried, oldest first, with a note on each other one. */
export interface StoredRuns {
  readonly runs: readonly StoredRun[];
  readonly notes: readonly string[];
}

/** Lists the runs of a folder. Damaged runs and unknown formats are skipped with a note. */
export function listStoredRuns(runsDir: string): StoredRuns {
  if (!existsSync(runsDir))
    throw new RunFolderError(
      `There is no folder ${runsDir}. Pass the folder that holds the run folders with --runs-dir.`,
    );
  if (!statSync(runsDir).isDirectory())
    throw new RunFolderError(`${runsDir} is not a folder. Pass the folder that holds the run folders with --runs-dir.`);
  const folders = readdirSync(runsDir).sort();
  const found = readStoredRuns(folders.map((name) => join(runsDir, name)).filter(isRunLikeFolder));
  if (found.runs.length > 0) return found;
  return { runs: [], notes: [...found.notes, `There is no run in ${runsDir}: every view is empty.`] };
}

/** Reads these runs, without those that cannot be read. */
export function readStoredRuns(dirs: readonly string[]): StoredRuns {
  const runs: StoredRun[] = [];
  const notes: string[] = [];
  for (const dir of dirs) {
    try {
      runs.push({ run: basename(resolve(dir)), dir: resolve(dir), manifest: readManifest(dir) });
    } catch (error) {
      notes.push(`${basename(resolve(dir))} was skipped: ${getErrorMessage(error)}`);
    }
  }
  return { runs, notes };
}

/** Folders with neither file are something else and get no note. */
function isRunLikeFolder(dir: string): boolean {
  return existsSync(join(dir, RUN_FILES.manifest)) || existsSync(join(dir, RUN_FILES.rows));
}
