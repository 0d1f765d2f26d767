import { existsSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import { findClosestName, RunFolderError } from "../core/index.js";
import { RUN_FILES } from "./journal.js";
import { BASELINE_TAG, LATEST_NAME, readLabels } from "./labels.js";
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
  /** A folder, a run id, `latest`, a tag or a title; if omitted, the latest unfinished run. */
  name: string | undefined;
  /** Which of the unfinished runs count if none is named. */
  isCandidate?: (dir: string) => boolean;
  /** Told when several runs have the name. */
  onNote?: (note: string) => void;
}

/** Finds a run by folder, run id, `latest`, tag or title; without a name, the latest unfinished one. */
export function findRun({ runsDir, name, isCandidate = () => true, onNote }: RunFolderQuery): string {
  if (name === undefined) return findLatestUnfinished(runsDir, isCandidate);
  if (name === LATEST_NAME && !existsSync(LATEST_NAME)) return findLatestRun(runsDir, isCandidate);
  const { dirs, by } = findNamedRuns(runsDir, name);
  if (dirs.length > 1)
    onNote?.(`${dirs.length} runs have the ${by} "${name}": using the newest, ${basename(dirs[0])}.`);
  return dirs[0];
}

/** The runs with a name, newest first, and what the name is. */
export interface NamedRuns {
  dirs: readonly [string, ...string[]];
  by: "folder" | "tag" | "title";
}

/** Finds all runs with a name: a folder or id, else a tag, else a title, else the beginning of an id. */
export function findNamedRuns(runsDir: string, name: string): NamedRuns {
  const places = [name, join(runsDir, name)];
  const found = places.find(isRunFolder);
  if (found !== undefined) return { dirs: [found], by: "folder" };
  const runs = listRunFolders(runsDir).map((dir) => ({ dir, ...readRunName(dir) }));
  for (const [by, hasName] of NAME_KINDS) {
    const [first, ...others] = runs.filter((run) => hasName(run, name)).map(({ dir }) => dir);
    if (first !== undefined) return { dirs: [first, ...others], by };
  }
  const begun = isIdBeginning(name) ? runs.map(({ dir }) => dir).filter((dir) => basename(dir).startsWith(name)) : [];
  const [only, ...more] = begun;
  if (more.length > 0)
    throw new RunFolderError(
      `The ids of ${begun.length} runs begin with "${name}": ${begun.map((dir) => basename(dir)).join(", ")}. Pass a whole id.`,
    );
  if (only !== undefined) return { dirs: [only], by: "folder" };
  const other = places.find((place) => existsSync(place));
  if (other !== undefined) return { dirs: [other], by: "folder" };
  if (name === BASELINE_TAG)
    throw new RunFolderError(`There is no baseline in ${runsDir}. Set one with: assay baseline set RUN`);
  const known = new Set(runs.flatMap(({ dir, title, tags }) => [...tags, title, basename(dir)]));
  const guess = findClosestName(name, new Set([...known].map(joinLines)));
  throw new RunFolderError(
    `There is no run folder ${name}, neither here nor in ${runsDir}, and no run there has this tag or title.${guess === undefined ? "" : ` Did you mean "${guess}"?`} List the runs with assay runs, or pass the folder that holds them with --runs-dir.`,
  );
}

/** The run with the tag `baseline`; null if there is none. */
export function findBaseline(runsDir: string): string | null {
  return listRunFolders(runsDir).find((dir) => readLabels(dir).tags.includes(BASELINE_TAG)) ?? null;
}

interface RunName {
  title: string;
  tags: readonly string[];
}

/** Date and time suffice, which mostly belong to one run. */
function isIdBeginning(name: string): boolean {
  return /^\d{8}-\d{6}/.test(name);
}

const NAME_KINDS: readonly (readonly [by: "tag" | "title", hasName: (run: RunName, name: string) => boolean])[] = [
  ["tag", ({ tags }, name) => tags.includes(name)],
  ["title", ({ title }, name) => joinLines(title) === joinLines(name)],
];

/** Lists show titles on one line. */
function joinLines(title: string): string {
  return title.replace(/\s+/g, " ").trim();
}

function readRunName(dir: string): RunName {
  const { title, tags } = readLabels(dir);
  return { title: title ?? readPlannedTitle(dir), tags };
}

/** Empty if the manifest is damaged. */
function readPlannedTitle(dir: string): string {
  try {
    const { config } = JSON.parse(readRunFile(dir, RUN_FILES.manifest)) as { config?: { title?: unknown } };
    return typeof config?.title === "string" ? config.title : "";
  } catch {
    return "";
  }
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

function findLatestUnfinished(runsDir: string, isCandidate: (dir: string) => boolean): string {
  const unfinished = listRunFolders(runsDir).find((dir) => !isRunComplete(dir) && isCandidate(dir));
  if (unfinished !== undefined) return unfinished;
  throw new RunFolderError(`There is no unfinished run in ${runsDir}. Name one with --resume FOLDER.`);
}

export function isRunFolder(dir: string): boolean {
  return existsSync(join(dir, RUN_FILES.manifest));
}
