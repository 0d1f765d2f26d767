import { isUtf8 } from "node:buffer";
import { type Dirent, lstatSync, readdirSync, type Stats } from "node:fs";
import { Breather } from "./breather.js";

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
