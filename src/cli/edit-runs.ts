import { lstatSync, readdirSync, realpathSync, rmSync, unlinkSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { EXIT, getErrorMessage, RunFolderError, UsageError } from "../core/index.js";
import { formatPlural, toOneLine } from "../report/index.js";
import {
  addTags,
  BASELINE_TAG,
  clearBaseline,
  findBaseline,
  findNamedRuns,
  findRun,
  isRunLocked,
  LATEST_NAME,
  lockRun,
  RUN_FILES,
  readLabels,
  readManifest,
  removeTags,
  renameRun,
} from "../store/index.js";
import { printNote, writeResult } from "./streams.js";

export { BASELINE_TAG };

interface EditFlags {
  runsDir: string;
}

export interface TagFlags extends EditFlags {
  remove?: boolean;
}

export interface RemoveFlags extends EditFlags {
  yes?: boolean;
}

/** `assay runs tag`, and `assay baseline set`. */
export async function executeTag(run: string, tags: readonly string[], flags: TagFlags): Promise<number> {
  const dir = findEditedRun(run, flags);
  const { tags: before } = readLabels(dir);
  if (flags.remove === true) {
    const missing = tags.filter((tag) => !before.includes(tag));
    if (missing.length > 0)
      throw new UsageError(
        `${basename(dir)} does not have the tag ${missing.join(", ")}. Its tags: ${before.join(", ") || "none"}.`,
      );
    removeTags(dir, tags);
  } else addTags(dir, tags, flags.runsDir);
  printNote(`${describeRun(dir)}: tags ${readLabels(dir).tags.join(", ") || "none"}`);
  return EXIT.fine;
}

/** `assay runs rename`. */
export async function executeRename(run: string, title: string, flags: EditFlags): Promise<number> {
  const dir = findEditedRun(run, flags);
  renameRun(dir, title);
  printNote(`${basename(dir)} now has the title "${readLabels(dir).title}"`);
  return EXIT.fine;
}

/** `assay baseline`: the id of the baseline, which commands accept. */
export async function showBaseline({ runsDir }: EditFlags): Promise<number> {
  const dir = findBaseline(runsDir);
  if (dir === null) printNote(`There is no baseline in ${runsDir}. Set one with: assay baseline set RUN`);
  else {
    await writeResult(`${basename(dir)}\n`);
    printNote(`${describeRun(dir)}. Compare with it: assay compare ${BASELINE_TAG} ${LATEST_NAME}`);
  }
  return EXIT.fine;
}

/** `assay baseline clear`. */
export async function executeClearBaseline({ runsDir }: EditFlags): Promise<number> {
  const had = clearBaseline(runsDir);
  printNote(had.length === 0 ? `There is no baseline in ${runsDir}.` : `${had.join(", ")} is no longer the baseline.`);
  return EXIT.fine;
}

function findEditedRun(name: string, { runsDir }: EditFlags): string {
  const dir = findRun({ runsDir, name, onNote: printNote });
  readManifest(dir);
  return dir;
}

/** `assay runs rm`: checks all of them before the first is deleted. */
export async function executeRemove(names: readonly string[], { runsDir, yes }: RemoveFlags): Promise<number> {
  const dirs = [...new Set(names.map((name) => findRemovedRun(name, runsDir)))];
  const what = formatPlural(dirs.length, "run");
  for (const dir of dirs) printNote(`  ${describeRun(dir)}`);
  if (yes !== true) {
    if (!(process.stdin.isTTY && process.stderr.isTTY))
      throw new UsageError("Nothing was deleted, because there is no terminal to ask for confirmation. Pass --yes.");
    if (!(await askYesNo(`Delete ${what} with all outputs from ${runsDir}? [y/N] `))) {
      printNote("Nothing was deleted.");
      return EXIT.fine;
    }
  }
  for (const dir of dirs) {
    removeRunFolder(dir);
    printNote(`Deleted ${dir}`);
  }
  return EXIT.fine;
}

/** Only a folder directly in the runs folder, and only one that the name means without doubt. */
function findRemovedRun(name: string, runsDir: string): string {
  const { dirs, by } =
    name === LATEST_NAME ? { dirs: [findRun({ runsDir, name })], by: "folder" } : findNamedRuns(runsDir, name);
  const [dir = name] = dirs;
  if (dirs.length > 1)
    throw new UsageError(
      `${dirs.length} runs have the ${by} "${name}": ${dirs.map((each) => basename(each)).join(", ")}. Name those to delete by id.`,
    );
  const path = resolve(dir);
  if (lstatSync(join(path, RUN_FILES.manifest), { throwIfNoEntry: false }) === undefined)
    throw new RunFolderError(`${dir} is not a run folder: it has no ${RUN_FILES.manifest}. It is not deleted.`);
  if (realpathSync(dirname(path)) !== realpathSync(runsDir))
    throw new UsageError(`${dir} is not in ${runsDir}. Pass the folder that holds it with --runs-dir.`);
  if (isRunLocked(join(path, RUN_FILES.lock)))
    throw new RunFolderError(
      `${dir} is being written by another process. Wait for it or stop it. Nothing was deleted.`,
    );
  return path;
}

/** The manifest goes last, so that a run whose deletion was interrupted can be named and deleted again. */
function removeRunFolder(dir: string): void {
  try {
    // What a link points to was put there by someone else.
    if (lstatSync(dir).isSymbolicLink()) unlinkSync(dir);
    else removeLockedFolder(dir);
  } catch (cause) {
    if (cause instanceof RunFolderError)
      throw new RunFolderError(`${dir} was not deleted. ${cause.message}`, { cause });
    throw new RunFolderError(`${dir} could not be deleted: ${getErrorMessage(cause)}.`, { cause });
  }
}

/** The lock keeps others from resuming the run meanwhile. */
function removeLockedFolder(dir: string): void {
  const unlock = lockRun(join(dir, RUN_FILES.lock));
  try {
    const last = new Set([RUN_FILES.manifest, RUN_FILES.lock]);
    for (const name of readdirSync(dir)) if (!last.has(name)) rmSync(join(dir, name), { recursive: true });
    rmSync(dir, { recursive: true });
  } finally {
    unlock();
  }
}

function describeRun(dir: string): string {
  try {
    const { config, planned } = readManifest(dir);
    return `${basename(dir)} "${toOneLine(String(config.title))}", ${formatPlural(planned, "trial")}`;
  } catch {
    return `${basename(dir)} (damaged)`;
  }
}

/** Anything but yes is a no, also Ctrl-C and the end of the input. */
function askYesNo(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise((resolve) => {
    terminal.once("close", () => resolve(false));
    terminal.question(question, (answer) => {
      resolve(/^y(?:es)?$/i.test(answer.trim()));
      terminal.close();
    });
  });
}
