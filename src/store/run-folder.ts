import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { RunFolderError } from "../core/errors.js";
import { FILES } from "./journal.js";
import { readRunFile } from "./run-file.js";
import { isComplete } from "./summary-file.js";

/**
 * Creates the name of a new run folder from time and title.
 * @example
 * createRunId("needle: 5 systems", new Date()); // "20261115-213334-needle-5-systems"
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

/** Creates the folder of a new run, with a number if several runs start in the same second. */
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

export interface WantedRun {
  runsDir: string;
  /** A folder or a run id; if omitted, the latest unfinished run. */
  name: string | undefined;
  /** Which of the unfinished runs count if none is named. */
  isCandidate: (dir: string) => boolean;
}

/** The name for the run that was started last. */
const LATEST = "latest";

/** Finds a run by folder, run id or `latest`; without a name, the latest unfinished one. */
export function findRun({ runsDir, name, isCandidate }: WantedRun): string {
  if (name === undefined) return latestUnfinished(runsDir, isCandidate);
  return name === LATEST && !existsSync(LATEST) ? latestRun(runsDir, isCandidate) : namedRun(runsDir, name);
}

/** Finds the last started run among the candidates. */
export function latestRun(runsDir: string, isCandidate: (dir: string) => boolean = () => true): string {
  const latest = runsIn(runsDir).find(isCandidate);
  if (latest !== undefined) return latest;
  throw new RunFolderError(`There is no run in ${runsDir}. Pass the path of a run folder, or --runs-dir.`);
}

/** The run folders, last created first: folders may have been renamed. */
function runsIn(runsDir: string): string[] {
  const names = existsSync(runsDir) ? readdirSync(runsDir) : [];
  const runs = names.map((name) => join(runsDir, name)).filter(isRun);
  const created = new Map(runs.map((dir) => [dir, creationTime(dir)]));
  return runs.sort((a, b) => (created.get(b) ?? 0) - (created.get(a) ?? 0) || BY_NUMBER.compare(b, a));
}

/** Runs of the same second differ by a number at the end of their names. */
const BY_NUMBER = new Intl.Collator("en", { numeric: true });

/** The creation time in the manifest, or of the file if the manifest is damaged. */
function creationTime(dir: string): number {
  const { mtimeMs } = statSync(join(dir, FILES.manifest));
  try {
    const { createdAt } = JSON.parse(readRunFile(dir, FILES.manifest)) as { createdAt?: unknown };
    const moment = typeof createdAt === "string" ? Date.parse(createdAt) : Number.NaN;
    return Number.isNaN(moment) ? mtimeMs : moment;
  } catch {
    return mtimeMs;
  }
}

function namedRun(runsDir: string, name: string): string {
  const places = [name, join(runsDir, name)];
  const found = places.find(isRun) ?? places.find((place) => existsSync(place));
  if (found !== undefined) return found;
  throw new RunFolderError(
    `There is no run folder ${name}, neither here nor in ${runsDir}. Pass its path, or the folder that holds it with --runs-dir.`,
  );
}

function latestUnfinished(runsDir: string, isCandidate: (dir: string) => boolean): string {
  const unfinished = runsIn(runsDir).find((dir) => !isComplete(dir) && isCandidate(dir));
  if (unfinished !== undefined) return unfinished;
  throw new RunFolderError(`There is no unfinished run in ${runsDir}. Name one with --resume FOLDER.`);
}

function isRun(dir: string): boolean {
  return existsSync(join(dir, FILES.manifest));
}
