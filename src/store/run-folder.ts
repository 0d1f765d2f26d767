import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { RunFolderError } from "../core/index.js";
import { RUN_FILES } from "./journal.js";
import { readRunFile } from "./run-file.js";
import { isRunComplete } from "./summary-file.js";

/**
 * Creates the name of a new run folder from time and title.
 * @example
 * createRunId("needle: 5 systems", new Date()); // "20261115-213334-needle-5-systems"
 */
export function createRunId(title: string, now: Date): string {
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

export interface RunFolderQuery {
  runsDir: string;
  /** A folder or a run id; if omitted, the latest unfinished run. */
  name: string | undefined;
  /** Which of the unfinished runs count if none is named. */
  isCandidate: (dir: string) => boolean;
}

/** The name for the run that was started last. */
const LATEST_NAME = "latest";

/** Finds a run by folder, run id or `latest`; without a name, the latest unfinished one. */
export function findRun({ runsDir, name, isCandidate }: RunFolderQuery): string {
  if (name === undefined) return findLatestUnfinished(runsDir, isCandidate);
  return name === LATEST_NAME && !existsSync(LATEST_NAME)
    ? findLatestRun(runsDir, isCandidate)
    : findNamedRun(runsDir, name);
}

/** Finds the last started run among the candidates. */
export function findLatestRun(runsDir: string, isCandidate: (dir: string) => boolean = () => true): string {
  const latest = listRunFolders(runsDir).find(isCandidate);
  if (latest !== undefined) return latest;
  throw new RunFolderError(`There is no run in ${runsDir}. Pass the path of a run folder, or --runs-dir.`);
}

/** The run folders, last created first: folders may have been renamed. */
function listRunFolders(runsDir: string): string[] {
  const names = existsSync(runsDir) ? readdirSync(runsDir) : [];
  const runs = names.map((name) => join(runsDir, name)).filter(isRunFolder);
  const created = new Map(runs.map((dir) => [dir, readCreationTime(dir)]));
  return runs.sort((a, b) => (created.get(b) ?? 0) - (created.get(a) ?? 0) || NUMERIC_COLLATOR.compare(b, a));
}

/** Runs of the same second differ by a number at the end of their names. */
const NUMERIC_COLLATOR = new Intl.Collator("en", { numeric: true });

/** The creation time in the manifest, or of the file if the manifest is damaged. */
function readCreationTime(dir: string): number {
  const { mtimeMs } = statSync(join(dir, RUN_FILES.manifest));
  try {
    const { createdAt } = JSON.parse(readRunFile(dir, RUN_FILES.manifest)) as { createdAt?: unknown };
    const moment = typeof createdAt === "string" ? Date.parse(createdAt) : Number.NaN;
    return Number.isNaN(moment) ? mtimeMs : moment;
  } catch {
    return mtimeMs;
  }
}

function findNamedRun(runsDir: string, name: string): string {
  const places = [name, join(runsDir, name)];
  const found = places.find(isRunFolder) ?? places.find((place) => existsSync(place));
  if (found !== undefined) return found;
  throw new RunFolderError(
    `There is no run folder ${name}, neither here nor in ${runsDir}. Pass its path, or the folder that holds it with --runs-dir.`,
  );
}

function findLatestUnfinished(runsDir: string, isCandidate: (dir: string) => boolean): string {
  const unfinished = listRunFolders(runsDir).find((dir) => !isRunComplete(dir) && isCandidate(dir));
  if (unfinished !== undefined) return unfinished;
  throw new RunFolderError(`There is no unfinished run in ${runsDir}. Name one with --resume FOLDER.`);
}

function isRunFolder(dir: string): boolean {
  return existsSync(join(dir, RUN_FILES.manifest));
}
