import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { getErrorMessage, RunFolderError, UsageError } from "../core/index.js";
import { type LockRules, tryLock, writeAtomically } from "../utils/index.js";
import { readRunFile } from "./run-file.js";

/** What users say about a run after it was made. Unlike the manifest it may change at any time. */
export interface RunLabels {
  /** Replaces the title that the run was started with; null if it has not been renamed. */
  readonly title: string | null;
  /** Sorted. */
  readonly tags: readonly string[];
}

export const LABELS_FILE = "labels.json";
const LOCK_FILE = "labels.lock";
const SCHEMA = "assay.labels/1";
const NO_LABELS: RunLabels = { title: null, tags: [] };

/** The name for the run that was started last. */
export const LATEST_NAME = "latest";
/** The tag that only one run of a folder has: the one that others are compared with. */
export const BASELINE_TAG = "baseline";

const TAG_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const MAX_TITLE_LENGTH = 200;

/** Reads the labels of a run. A file that is missing or damaged counts as none, so that the run stays readable. */
export function readLabels(dir: string): RunLabels {
  if (!existsSync(join(dir, LABELS_FILE))) return NO_LABELS;
  try {
    const { title, tags } = (JSON.parse(readRunFile(dir, LABELS_FILE)) ?? {}) as Partial<RunLabels>;
    const texts = Array.isArray(tags) ? tags.filter((tag): tag is string => typeof tag === "string") : [];
    return { title: typeof title === "string" && title !== "" ? title : null, tags: texts };
  } catch {
    return NO_LABELS;
  }
}

/** Gives a run tags. The tag `baseline` moves: the other runs of the folder lose it. */
export function addTags(dir: string, added: readonly string[], runsDir: string): void {
  for (const tag of added) checkTag(tag);
  editLabels(dir, ({ title, tags }) => ({ title, tags: [...tags, ...added] }));
  if (added.includes(BASELINE_TAG)) clearBaseline(runsDir, { except: dir });
}

/** Takes tags from a run. */
export function removeTags(dir: string, removed: readonly string[]): void {
  editLabels(dir, ({ title, tags }) => ({ title, tags: tags.filter((tag) => !removed.includes(tag)) }));
}

/** Gives a run another title. */
export function renameRun(dir: string, title: string): void {
  checkTitle(title);
  editLabels(dir, ({ tags }) => ({ title: title.trim(), tags }));
}

/** Takes the baseline from the runs of a folder. Returns the names of those that had it. */
export function clearBaseline(runsDir: string, { except }: { except?: string } = {}): string[] {
  const kept = except === undefined ? null : resolve(except);
  const names = existsSync(runsDir) ? readdirSync(runsDir) : [];
  const had = names.filter((name) => {
    const dir = join(runsDir, name);
    return resolve(dir) !== kept && readLabels(dir).tags.includes(BASELINE_TAG);
  });
  for (const name of had) removeTags(join(runsDir, name), [BASELINE_TAG]);
  return had;
}

/** Rejects a tag that cannot be used as a name. */
export function checkTag(tag: string): void {
  if (tag === LATEST_NAME)
    throw new UsageError(`"${LATEST_NAME}" always means the run that was started last. Choose another tag.`);
  if (!TAG_PATTERN.test(tag))
    throw new UsageError(
      `"${tag}" cannot be a tag. Use up to 64 letters, digits, dots, underscores and hyphens; begin with a letter or digit.`,
    );
}

function checkTitle(title: string): void {
  const text = title.trim();
  if (text === "") throw new UsageError("The title is empty. Pass some words.");
  if (text === LATEST_NAME)
    throw new UsageError(`"${LATEST_NAME}" always means the run that was started last. Choose another title.`);
  if (text.length > MAX_TITLE_LENGTH)
    throw new UsageError(`The title has ${text.length} characters. Use at most ${MAX_TITLE_LENGTH}.`);
  if (/\p{Cc}/u.test(text))
    throw new UsageError("The title has a line break or another control character. Use one line of plain text.");
}

/** Editing takes milliseconds, so that a lock of another machine is soon left over. */
const LOCK_RULES: LockRules = { foreignForMs: 10_000, tornForMs: 1000 };
const POLL_INTERVAL_MS = 10;
const MAX_POLLS = 3000;

/** Reads, changes and writes the labels while no other process does. */
function editLabels(dir: string, change: (labels: RunLabels) => RunLabels): void {
  try {
    const release = lockLabels(join(dir, LOCK_FILE));
    try {
      const { title, tags } = change(readLabels(dir));
      const labels = { schema: SCHEMA, title, tags: [...new Set(tags)].sort() };
      writeAtomically(join(dir, LABELS_FILE), `${JSON.stringify(labels, null, 2)}\n`);
    } finally {
      release();
    }
  } catch (cause) {
    throw new RunFolderError(`The labels of ${dir} cannot be written: ${getErrorMessage(cause)}.`, { cause });
  }
}

function lockLabels(path: string): () => void {
  const clock = new Int32Array(new SharedArrayBuffer(4));
  for (let poll = 0; poll < MAX_POLLS; poll++) {
    const attempt = tryLock(path, LOCK_RULES);
    if (attempt.isMine) return attempt.release;
    Atomics.wait(clock, 0, 0, POLL_INTERVAL_MS);
  }
  throw new Error(`another process holds ${path}`);
}
