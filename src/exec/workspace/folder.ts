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
import { messageOf } from "../../core/errors.js";
import { runCommand } from "../process/index.js";
import { Breather } from "./breather.js";
import { WorkspaceError } from "./workspace-error.js";

/** The folders that a walk meets: which of them hold nothing, and which are of git. */
export class FolderList {
  readonly all = new Set<string>();
  /** The paths of each `.git`. */
  readonly repositories: string[] = [];
  readonly #filled = new Set<string>();

  /** True for what git keeps for itself, which is remembered. */
  passesOver(path: string): boolean {
    if (!isGit(path)) return false;
    this.repositories.push(path);
    return true;
  }

  see({ path, stats }: Found): void {
    const isFolder = stats.isDirectory();
    if (isFolder) this.all.add(path);
    if (isFolder || stats.isFile() || stats.isSymbolicLink()) this.#filled.add(posix.dirname(path));
  }

  /** Those without anything that counts; of one that cannot be looked into nobody knows. */
  empty({ closed }: Unseen): string[] {
    const unknown = new Set(closed);
    return [...this.all].filter((path) => !this.#filled.has(path) && !unknown.has(path));
  }
}

/** Something in a folder. */
export interface Found {
  /** Below the folder, with slashes. */
  readonly path: string;
  /** From the root of the file system. */
  readonly place: string;
  readonly stats: Stats;
}

export interface WalkOptions {
  /** What is passed over with all below it, by its path below the folder. */
  readonly ignore: (path: string) => boolean;
  readonly visit: (found: Found) => void;
  readonly breather?: Breather;
}

/** What a walk could not see. */
export interface Unseen {
  /** Names that are no text, each with the folder it is in. */
  readonly unnamed: readonly string[];
  /** What may not be looked at, by its path. */
  readonly closed: readonly string[];
}

/** Nothing below `.git` is a state of the work: git itself writes there when it is only asked. */
export function isGit(path: string): boolean {
  return path === ".git" || path.endsWith("/.git");
}

/**
 * Visits everything below a folder; no link is followed. Synchronous calls in slices: 20,000 files take a tenth of a
 * second, and several times that through the thread pool.
 */
export async function walkFolder(root: string, options: WalkOptions): Promise<Unseen> {
  const { breather = new Breather() } = options;
  const unnamed: string[] = [];
  const closed: string[] = [];
  const folders = [""];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const names = namesIn(root, folder);
    if (names === null) closed.push(folder);
    for (const name of names?.unnamed ?? []) unnamed.push(name);
    for (const entry of names?.entries ?? []) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (options.ignore(path)) continue;
      if (entry.isDirectory()) folders.push(path);
      if (!isVisited(root, path, options.visit)) closed.push(path);
      const pause = breather.due();
      if (pause !== null) await pause;
    }
  }
  return { unnamed, closed };
}

/** False when it cannot be looked at. One that has gone meanwhile is not there. */
function isVisited(root: string, path: string, visit: WalkOptions["visit"]): boolean {
  const place = `${root}/${path}`;
  const stats = attempt(() => lstatSync(place, { throwIfNoEntry: false }));
  if (stats === null) return false;
  if (stats !== undefined) visit({ path, place, stats });
  return true;
}

function attempt<T>(look: () => T): T | null {
  try {
    return look();
  } catch {
    return null;
  }
}

interface Names {
  readonly entries: readonly Dirent[];
  readonly unnamed: readonly string[];
}

const NO_NAMES: Names = { entries: [], unnamed: [] };

/** Null when it cannot be looked into. One that has gone meanwhile is empty, also when a link is in its place. */
function namesIn(root: string, folder: string): Names | null {
  try {
    if (!lstatSync(folder === "" ? root : `${root}/${folder}`).isDirectory()) return NO_NAMES;
    const entries = readdirSync(`${root}/${folder}`, { withFileTypes: true });
    if (!entries.some(({ name }) => name.includes("\uFFFD"))) return { entries, unnamed: [] };
    return withoutUnnamed(root, folder, entries);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? NO_NAMES : null;
  }
}

/** The sign that stands for bytes that are no text may be in a name itself: only the bytes tell. */
function withoutUnnamed(root: string, folder: string, entries: readonly Dirent[]): Names {
  const raw = readdirSync(Buffer.from(`${root}/${folder}`), "buffer");
  const unnamed = raw.filter((name) => !isUtf8(name));
  const lost = new Set(unnamed.map((name) => name.toString("utf8")));
  return {
    entries: entries.filter(({ name }) => !lost.has(name)),
    unnamed: unnamed.map((name) => `${folder}/${name.toString("latin1")}`),
  };
}

/** At a time, in threads of their own: making a file can take a millisecond, and others want those threads too. */
const COPIED_AT_ONCE = 2;

export interface CopyOptions {
  readonly from: string;
  readonly to: string;
  /** Of all files together, by their lengths: one that is mostly holes is as long as a full one once it is copied. */
  readonly maxBytes: number;
  /** Files, links and folders. */
  readonly maxEntries?: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Copies a folder that may be written to meanwhile: what vanishes is left out. Links are kept as they are. Files share
 * their blocks where the file system can do that. Nothing is made when there is more than there may be.
 */
export async function copyFolder(options: CopyOptions): Promise<void> {
  const found = await allIn(options);
  mkdirSync(options.to);
  for (const each of found) skipGone(() => copyOther(each, `${options.to}/${each.path}`));
  const waiting = found.values();
  await Promise.all(Array.from({ length: COPIED_AT_ONCE }, () => copyFiles(waiting, options)));
}

async function allIn({ from, maxBytes, maxEntries = Infinity, signal }: CopyOptions): Promise<Found[]> {
  const found: Found[] = [];
  let bytes = 0;
  await walkFolder(from, {
    ignore: () => false,
    visit: (each) => {
      signal?.throwIfAborted();
      found.push(each);
      if (each.stats.isFile()) bytes += each.stats.size;
      if (bytes > maxBytes) throw tooMuch(`its files have more than ${Math.round(maxBytes / 2 ** 20)} MB`);
      if (found.length > maxEntries) throw tooMuch(`it holds more than ${maxEntries} files`);
    },
  });
  return found;
}

function tooMuch(why: string): WorkspaceError {
  return new WorkspaceError(`The folder is too large to be copied: ${why}.`);
}

async function copyFiles(waiting: Iterable<Found>, { to, signal }: CopyOptions): Promise<void> {
  for (const { place, path, stats } of waiting) {
    signal?.throwIfAborted();
    if (!stats.isFile() || !isStillFine(place, stats.size)) continue;
    await copyFile(place, `${to}/${path}`, constants.COPYFILE_FICLONE).catch(unlessGone);
  }
}

/** A file that grew beyond measure, or became a pipe, since it was seen. */
function isStillFine(place: string, size: number): boolean {
  const now = lstatSync(place, { throwIfNoEntry: false });
  return now?.isFile() === true && now.size <= size + MAX_GROWTH;
}

/** As logs grow that are written to meanwhile. */
const MAX_GROWTH = 2 ** 20;

function copyOther({ place, stats }: Found, target: string): void {
  if (stats.isDirectory()) mkdirSync(target);
  else if (stats.isSymbolicLink()) symlinkSync(readlinkSync(place), target);
}

function skipGone(copy: () => void): void {
  try {
    copy();
  } catch (error) {
    unlessGone(error);
  }
}

/** What may not be read could not be graded in the original either. */
function unlessGone(error: unknown): void {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== "ENOENT" && code !== "ENOTDIR" && code !== "EACCES") throw error;
}

/** Deletes a folder and all in it, read-only folders too; links are deleted, not followed. */
export async function removeFolder(path: string): Promise<void> {
  if (await isRemoved(path)) return;
  await openUp(path);
  if (await isRemoved(path)) return;
  await removeDeep(path);
}

async function isRemoved(path: string): Promise<boolean> {
  // Something that was told to end may be writing its last.
  return rm(path, { recursive: true, force: true, maxRetries: 3, retryDelay: 50 }).then(
    () => true,
    () => false,
  );
}

/** Nothing can be deleted from a folder that may not be written to. */
async function openUp(folder: string): Promise<void> {
  if ((await lstat(folder).catch(() => null))?.isDirectory() !== true) return;
  await chmod(folder, 0o700).catch(() => undefined);
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await openUp(join(folder, entry.name));
}

/** Folders in folders can be too deep for a path to name them; the system's own program goes down step by step. */
async function removeDeep(path: string): Promise<void> {
  const env = { PATH: process.env.PATH ?? "/usr/bin:/bin" };
  const ended = await runCommand({ command: "rm", args: ["-rf", "--", path], cwd: "/", env }).catch(
    (cause: unknown) => ({
      code: null,
      stderr: messageOf(cause),
    }),
  );
  if (ended.code === 0) return;
  throw new WorkspaceError(`The folder ${path} cannot be deleted: ${ended.stderr.trim()}. Delete it yourself.`);
}

/** Why nothing of a folder is known any more. */
export const REPLACED = "the agent replaced the folder that it was given, by a link or by something else";

/**
 * A folder that was made for a trial, in one that holds all of it. Whoever works there may put links in their place:
 * what is read or written by their paths then lies outside.
 */
export class OwnFolder {
  readonly #root: string;
  readonly #path: string;
  readonly #holder: Stats;

  /** Both are there, and the root is a real path. */
  constructor(root: string, path: string) {
    this.#root = root;
    this.#path = path;
    this.#holder = lstatSync(root);
  }

  /**
   * False when a link was put in its place, or in that of the folder it lies in. One that was deleted and made again
   * still counts: it lies where nothing else of the user's does, and its number may well be that of the old one.
   */
  get isThere(): boolean {
    if (!this.#hasRoot()) return false;
    const folder = folderAt(this.#path);
    return folder !== null && folder.dev === this.#holder.dev;
  }

  /** Deletes all of it; what was put in its place stays, but for a link, which is deleted and not followed. */
  async remove(): Promise<void> {
    if (this.#hasRoot()) await removeFolder(this.#root);
    else await rm(this.#root, { force: true }).catch(() => undefined);
  }

  #hasRoot(): boolean {
    const root = folderAt(this.#root);
    return root !== null && root.dev === this.#holder.dev && root.ino === this.#holder.ino;
  }
}

/** Null when there is none, or a link to one. */
function folderAt(path: string): Stats | null {
  try {
    const stats = lstatSync(path);
    return stats.isDirectory() ? stats : null;
  } catch {
    return null;
  }
}
