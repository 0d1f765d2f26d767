import { isUtf8 } from "node:buffer";
import {
  constants,
  type Dirent,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  type Stats,
  symlinkSync,
} from "node:fs";
import { chmod, copyFile, lstat, readdir, rm } from "node:fs/promises";
import { join, posix } from "node:path";
import { getErrorMessage } from "../../core/index.js";
import { runCommand } from "../process/index.js";
import { WorkspaceError } from "./workspace-error.js";
import { YieldTimer } from "./yield-timer.js";

/** Collects the folders of a walk: which are empty, and which belong to git. */
export class FolderList {
  readonly all = new Set<string>();
  /** Paths of all `.git` folders. */
  readonly repositories: string[] = [];
  readonly #filled = new Set<string>();

  /** True for a `.git` folder, which is added to `repositories`. */
  skipsGit(path: string): boolean {
    if (!isGitFolder(path)) return false;
    this.repositories.push(path);
    return true;
  }

  add({ path, stats }: FolderEntry): void {
    const isFolder = stats.isDirectory();
    if (isFolder) this.all.add(path);
    if (isFolder || stats.isFile() || stats.isSymbolicLink()) this.#filled.add(posix.dirname(path));
  }

  /** Empty folders; unreadable ones are not included. */
  listEmpty({ closed }: UnseenEntries): string[] {
    const unknown = new Set(closed);
    return [...this.all].filter((path) => !this.#filled.has(path) && !unknown.has(path));
  }
}

export interface FolderEntry {
  /** Relative to the folder, with slashes. */
  readonly path: string;
  /** Absolute path. */
  readonly place: string;
  readonly stats: Stats;
}

export interface WalkOptions {
  /** Paths to skip with everything below, relative to the folder. */
  readonly ignore: (path: string) => boolean;
  readonly visit: (found: FolderEntry) => void;
  readonly yieldTimer?: YieldTimer;
}

/** What a walk could not read. */
export interface UnseenEntries {
  /** Names that are not valid UTF-8, with their folder. */
  readonly unnamed: readonly string[];
  /** Unreadable paths. */
  readonly closed: readonly string[];
}

/** `.git` is not part of the work: git writes there even for read-only commands. */
export function isGitFolder(path: string): boolean {
  return path === ".git" || path.endsWith("/.git");
}

/**
 * Visits everything in a folder without following links. Uses synchronous calls in time slices: 20,000 files take a tenth
 * of a second, and several times that through the thread pool.
 */
export async function walkFolder(root: string, options: WalkOptions): Promise<UnseenEntries> {
  const { yieldTimer = new YieldTimer() } = options;
  const unnamed: string[] = [];
  const closed: string[] = [];
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const names = readFolderNames(root, folder);
    if (names === null) closed.push(folder);
    for (const name of names?.unnamed ?? []) unnamed.push(name);
    for (const entry of names?.entries ?? []) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (options.ignore(path)) continue;
      if (entry.isDirectory()) folders.push(path);
      if (!tryVisit(root, path, options.visit)) closed.push(path);
      const pause = yieldTimer.yieldIfDue();
      if (pause !== null) await pause;
    }
  }
  return { unnamed, closed };
}

/** False when it cannot be read. An entry that has disappeared is skipped. */
function tryVisit(root: string, path: string, visit: WalkOptions["visit"]): boolean {
  const place = `${root}/${path}`;
  const stats = tryOrNull(() => lstatSync(place, { throwIfNoEntry: false }));
  if (stats === null) return false;
  if (stats !== undefined) visit({ path, place, stats });
  return true;
}

function tryOrNull<T>(look: () => T): T | null {
  try {
    return look();
  } catch {
    return null;
  }
}

interface FolderNames {
  readonly entries: readonly Dirent[];
  readonly unnamed: readonly string[];
}

const EMPTY_NAMES: FolderNames = { entries: [], unnamed: [] };

/** Null when it cannot be read. A folder that has disappeared or became a link is empty. */
function readFolderNames(root: string, folder: string): FolderNames | null {
  try {
    if (!lstatSync(folder === "" ? root : `${root}/${folder}`).isDirectory()) return EMPTY_NAMES;
    const entries = readdirSync(`${root}/${folder}`, { withFileTypes: true });
    if (!entries.some(({ name }) => name.includes("\uFFFD"))) return { entries, unnamed: [] };
    return filterUnnamed(root, folder, entries);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? EMPTY_NAMES : null;
  }
}

/** The replacement character may be part of a valid name, so compare the bytes. */
function filterUnnamed(root: string, folder: string, entries: readonly Dirent[]): FolderNames {
  const raw = readdirSync(Buffer.from(`${root}/${folder}`), "buffer");
  const unnamed = raw.filter((name) => !isUtf8(name));
  const lost = new Set(unnamed.map((name) => name.toString("utf8")));
  return {
    entries: entries.filter(({ name }) => !lost.has(name)),
    unnamed: unnamed.map((name) => `${folder}/${name.toString("latin1")}`),
  };
}

/** Few, because creating a file can take a millisecond in a thread that others need too. */
const COPY_CONCURRENCY = 2;

export interface CopyFolderOptions {
  readonly from: string;
  readonly to: string;
  /** Total length of all files. Sparse files count in full, because copies are not sparse. */
  readonly maxBytes: number;
  /** Maximum number of files, links and folders. */
  readonly maxEntries?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Copies a folder that may change meanwhile: entries that disappear are skipped. Links are copied as links. Files share
 * their blocks where the file system supports it. Nothing is created when a limit is exceeded.
 */
export async function copyFolder(options: CopyFolderOptions): Promise<void> {
  const found = await listAllEntries(options);
  mkdirSync(options.to);
  for (const each of found) skipMissing(() => copyFolderOrLink(each, `${options.to}/${each.path}`));
  const waiting = found.values();
  await Promise.all(Array.from({ length: COPY_CONCURRENCY }, () => copyFiles(waiting, options)));
}

async function listAllEntries({
  from,
  maxBytes,
  maxEntries = Infinity,
  signal,
}: CopyFolderOptions): Promise<FolderEntry[]> {
  const found: FolderEntry[] = [];
  let bytes = 0;
  await walkFolder(from, {
    ignore: () => false,
    visit: (each) => {
      signal?.throwIfAborted();
      found.push(each);
      if (each.stats.isFile()) bytes += each.stats.size;
      if (bytes > maxBytes)
        throw createCopyTooLargeError(`its files have more than ${Math.round(maxBytes / 2 ** 20)} MB`);
      if (found.length > maxEntries) throw createCopyTooLargeError(`it has more than ${maxEntries} files`);
    },
  });
  return found;
}

function createCopyTooLargeError(why: string): WorkspaceError {
  return new WorkspaceError(`The folder is too large to copy: ${why}.`);
}

async function copyFiles(waiting: Iterable<FolderEntry>, { to, signal }: CopyFolderOptions): Promise<void> {
  for (const { place, path, stats } of waiting) {
    signal?.throwIfAborted();
    if (!stats.isFile() || !canStillCopy(place, stats.size)) continue;
    await copyFile(place, `${to}/${path}`, constants.COPYFILE_FICLONE).catch(requireMissing);
  }
}

/** False for a file that grew too much, or became a pipe, since it was listed. */
function canStillCopy(place: string, size: number): boolean {
  const now = lstatSync(place, { throwIfNoEntry: false });
  return now?.isFile() === true && now.size <= size + MAX_GROWTH_BYTES;
}

/** Allows for growing log files. */
const MAX_GROWTH_BYTES = 2 ** 20;

function copyFolderOrLink({ place, stats }: FolderEntry, target: string): void {
  if (stats.isDirectory()) mkdirSync(target);
  else if (stats.isSymbolicLink()) symlinkSync(readlinkSync(place), target);
}

function skipMissing(copy: () => void): void {
  try {
    copy();
  } catch (error) {
    requireMissing(error);
  }
}

/** An unreadable file could not be graded in the original either. */
function requireMissing(error: unknown): void {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== "ENOENT" && code !== "ENOTDIR" && code !== "EACCES") throw error;
}

/** Deletes a folder with everything in it, including read-only folders; links are not followed. */
export async function removeFolder(path: string): Promise<void> {
  if (await tryRemoveFolder(path)) return;
  await makeTreeWritable(path);
  if (await tryRemoveFolder(path)) return;
  await removeDeep(path);
}

async function tryRemoveFolder(path: string): Promise<boolean> {
  // A process that is being stopped may still be writing.
  return rm(path, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 }).then(
    () => true,
    () => false,
  );
}

/** Nothing can be deleted from a read-only folder. */
async function makeTreeWritable(folder: string): Promise<void> {
  if ((await lstat(folder).catch(() => null))?.isDirectory() !== true) return;
  await chmod(folder, 0o700).catch(() => undefined);
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await makeTreeWritable(join(folder, entry.name));
}

/** Nested folders can exceed the maximum path length; `rm` descends step by step. */
async function removeDeep(path: string): Promise<void> {
  const env = { PATH: process.env.PATH ?? "/usr/bin:/bin" };
  const ended = await runCommand({ command: "rm", args: ["-rf", "--", path], cwd: "/", env }).catch(
    (cause: unknown) => ({
      code: null,
      stderr: getErrorMessage(cause),
    }),
  );
  if (ended.code === 0) return;
  throw new WorkspaceError(`The folder ${path} cannot be deleted: ${ended.stderr.trim()}. Delete it manually.`);
}

/** Why the folder's changes are unknown. */
export const FOLDER_REPLACED = "the agent replaced the folder that it was given, by a link or by something else";

/**
 * A folder created for a trial, inside a root folder. The agent may replace either with a link, so that paths lead
 * outside.
 */
export class TrialFolder {
  readonly #root: string;
  readonly #path: string;
  readonly #holder: Stats;

  /** Both must exist, and `root` must be a real path. */
  constructor(root: string, path: string) {
    this.#root = root;
    this.#path = path;
    this.#holder = lstatSync(root);
  }

  /**
   * False when it or its root was replaced by a link. A folder that was deleted and created again still counts: nothing else
   * of the user's is there, and its inode number may be the same.
   */
  get exists(): boolean {
    if (!this.#hasRoot()) return false;
    const folder = findFolderStats(this.#path);
    return folder !== null && folder.dev === this.#holder.dev;
  }

  /** Deletes the root. Leaves anything that replaced it, except a link, which is deleted without following it. */
  async remove(): Promise<void> {
    if (this.#hasRoot()) await removeFolder(this.#root);
    else await rm(this.#root, { force: true }).catch(() => undefined);
  }

  #hasRoot(): boolean {
    const root = findFolderStats(this.#root);
    return root !== null && root.dev === this.#holder.dev && root.ino === this.#holder.ino;
  }
}

/** Null when there is none, or a link to one. */
function findFolderStats(path: string): Stats | null {
  try {
    const stats = lstatSync(path);
    return stats.isDirectory() ? stats : null;
  } catch {
    return null;
  }
}
