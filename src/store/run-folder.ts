import { existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { RunFolderError } from "../core/errors.js";
import { isComplete } from "./journal.js";

/**
 * A name for a new run folder: when, and what.
 * @example
 * newRunId("needle: 5 systems", new Date()); // "20261115-213334-needle-5-systems"
 */
export function newRunId(title: string, now: Date): string {
  const [day = "", time = ""] = now.toISOString().split("T");
  const slug = title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, 40)
    .replace(/-+$/, "");
  return `${day.replaceAll("-", "")}-${time.slice(0, 8).replaceAll(":", "")}-${slug || "run"}`;
}

/** Makes the folder for a new run, with a number when two runs, of whatever process, start in the same second. */
export function makeRunDir(runsDir: string, runId: string): string {
  mkdirSync(runsDir, { recursive: true });
  for (let attempt = 1; ; attempt++) {
    const dir = join(runsDir, attempt === 1 ? runId : `${runId}-${attempt}`);
    if (isNewDir(dir)) return dir;
  }
}

function isNewDir(dir: string): boolean {
  try {
    mkdirSync(dir);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** The run a user means by a folder, a run id, or nothing at all: then the latest one that is not finished. */
export function findRun(runsDir: string, wanted: string | undefined): string {
  if (wanted !== undefined)
    return existsSync(wanted) || !existsSync(join(runsDir, wanted)) ? wanted : join(runsDir, wanted);
  const runs = existsSync(runsDir) ? readdirSync(runsDir).sort().reverse() : [];
  const unfinished = runs
    .map((run) => join(runsDir, run))
    .find((dir) => existsSync(join(dir, "manifest.json")) && !isComplete(dir));
  if (unfinished !== undefined) return unfinished;
  throw new RunFolderError(`There is no unfinished run in ${runsDir}. Name one with --resume FOLDER.`);
}
