import { isUtf8 } from "node:buffer";
import { hash } from "node:crypto";
import { closeSync, openSync, readSync, type Stats, statSync, unlinkSync, writeFileSync, writeSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { tryReadBytes, tryReadLinkTarget } from "./diff.js";
import { type FolderEntry, FolderList, type UnseenEntries, walkFolder } from "./folder.js";
import { type GitStates, readGitStates } from "./git.js";

const DEPENDENCY_FOLDERS = new Set([
  "node_modules",
  ".venv",
  "venv",
  "__pycache__",
  ".cache",
  "site-packages",
  "target",
]);

/** True for folders that tools generate, by their usual names: they are not read by people and can be large. */
export function isDependencyPath(path: string): boolean {
  return path.split("/").some((name) => DEPENDENCY_FOLDERS.has(name));
}

/** Changes to larger files are only detected by their times. */
const MAX_HASHED_BYTES = 8 * 2 ** 20;

/** The clock resolution of the coarsest file systems. */
const MAX_TICK_MS = 2100;

/** A file, link or empty folder at the end of the set-up. */
export type BaseEntry =
  | {
      readonly kind: "file";
      readonly stamp: string;
      readonly size: number;
      readonly isExecutable: boolean;
      /** Null for a file that is too large to hash or cannot be read. */
      readonly digest: string | null;
      /** Null when its text is not kept. */
      readonly packed: PackedContent | null;
    }
  | { readonly kind: "link"; readonly target: string }
  /** Only empty folders; others are implied by their contents. */
  | { readonly kind: "folder" };

/** The contents of a folder at the end of its set-up. */
export class Baseline {
  readonly entries: ReadonlyMap<string, BaseEntry>;
  readonly unseen: UnseenEntries;
  readonly git: GitStates;
  /** False when the file system's clock may not have advanced, so that only contents can be compared. */
  readonly trustsStamps: boolean;
  readonly #pack: ContentPack;

  private constructor(taken: BaselineScan, trustsStamps: boolean) {
    this.entries = taken.entries;
    this.unseen = taken.unseen;
    this.git = taken.git;
    this.#pack = taken.pack;
    this.trustsStamps = trustsStamps;
  }

  /** Stores the texts in a file at `packPath`, which must be next to the folder, not inside. */
  static async capture(folder: string, packPath: string): Promise<Baseline> {
    const taken = await captureEntries(folder, new ContentPack(packPath));
    return new Baseline(taken, await waitForTick(`${packPath}.tick`, taken.latestMs));
  }

  /** The original text of a file, or target of a link; null when there was none or it was not kept. */
  readBefore(path: string): string | null {
    const entry = this.entries.get(path);
    if (entry?.kind === "link") return entry.target;
    return entry?.kind !== "file" || entry.packed === null ? null : this.#pack.read(entry.packed);
  }

  /** Releases the stored texts. */
  close(): void {
    this.#pack.close();
  }
}

interface BaselineScan {
  readonly entries: ReadonlyMap<string, BaseEntry>;
  readonly unseen: UnseenEntries;
  readonly git: GitStates;
  readonly pack: ContentPack;
  readonly latestMs: number;
}

async function captureEntries(folder: string, pack: ContentPack): Promise<BaselineScan> {
  const entries = new Map<string, BaseEntry>();
  const folders = new FolderList();
  let latestMs = 0;
  try {
    const unseen = await walkFolder(folder, {
      ignore: (path) => folders.skipsGit(path),
      visit: (found) => {
        latestMs = Math.max(latestMs, found.stats.ctimeMs);
        folders.add(found);
        const entry = toBaseEntry(found, pack);
        if (entry !== null) entries.set(found.path, entry);
      },
    });
    for (const path of folders.listEmpty(unseen)) entries.set(path, { kind: "folder" });
    return { entries, unseen, pack, latestMs, git: await readGitStates(folder, folders.repositories) };
  } catch (error) {
    pack.close();
    throw error;
  }
}

/** Null for a non-empty folder and for special files such as sockets. */
function toBaseEntry(found: FolderEntry, pack: ContentPack): BaseEntry | null {
  const { path, place, stats } = found;
  if (stats.isSymbolicLink()) return { kind: "link", target: tryReadLinkTarget(place) ?? "" };
  if (!stats.isFile()) return null;
  const bytes = stats.size > MAX_HASHED_BYTES ? null : tryReadBytes(place);
  const isKept = bytes !== null && !isDependencyPath(path) && isUtf8(bytes);
  return {
    kind: "file",
    stamp: formatStamp(stats),
    size: stats.size,
    isExecutable: isExecutable(stats),
    digest: bytes === null ? null : hashBytes(bytes),
    packed: isKept ? pack.add(bytes) : null,
  };
}

/** Changes whenever a file is written: the last part, the change time, cannot be set by programs. */
export function formatStamp({ size, mtimeMs, ino, ctimeMs }: Stats): string {
  return `${size} ${mtimeMs} ${ino} ${ctimeMs}`;
}

export function isExecutable({ mode }: Stats): boolean {
  return (mode & 0o100) !== 0;
}

export function hashBytes(bytes: Buffer): string {
  return hash("sha256", bytes, "base64");
}

/**
 * Waits until newly written files get a later time than all existing ones: a change within the same clock tick would not
 * change a file's times.
 */
async function waitForTick(probe: string, latestMs: number): Promise<boolean> {
  const end = performance.now() + MAX_TICK_MS;
  for (let pauseMs = 2; performance.now() < end; pauseMs *= 2) {
    writeFileSync(probe, String(pauseMs));
    if (statSync(probe).ctimeMs > latestMs) return true;
    await wait(pauseMs);
  }
  return false;
}

/** Longer texts are not read by people, and neither are their changes. */
const MAX_TEXT_BYTES = 2 ** 20;

const MAX_PACK_BYTES = 64 * 2 ** 20;

/** Position of a text in the pack. */
interface PackedContent {
  readonly offset: number;
  readonly length: number;
}

/**
 * Stores many small texts in one file, which is much cheaper than copying the folder. The file is unlinked once it is open,
 * so that it cannot be replaced.
 */
class ContentPack {
  readonly #path: string;
  #file: number | null = null;
  #length = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Null when the text is too long or the pack is full. */
  add(bytes: Buffer): PackedContent | null {
    const { length } = bytes;
    if (length > MAX_TEXT_BYTES || this.#length + length > MAX_PACK_BYTES) return null;
    const file = this.#openFile();
    const packed = { offset: this.#length, length };
    for (let done = 0; done < length; ) done += writeSync(file, bytes, done);
    this.#length += length;
    return packed;
  }

  /** Null once it is closed. */
  read({ offset, length }: PackedContent): string | null {
    if (length === 0) return "";
    if (this.#file === null) return null;
    const bytes = Buffer.alloc(length);
    readSync(this.#file, bytes, 0, length, offset);
    return bytes.toString("utf8");
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file);
    this.#file = null;
  }

  #openFile(): number {
    if (this.#file === null) {
      this.#file = openSync(this.#path, "wx+");
      unlinkSync(this.#path);
    }
    return this.#file;
  }
}
