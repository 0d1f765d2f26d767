import { isUtf8 } from "node:buffer";
import { hash } from "node:crypto";
import { closeSync, openSync, readSync, type Stats, statSync, unlinkSync, writeFileSync, writeSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { isDependency } from "./dependency-folders.js";
import { bytesAt, linkTarget } from "./diff.js";
import { FolderList, type Found, type Unseen, walkFolder } from "./folder.js";
import { type GitStates, gitStatesIn } from "./git.js";

/** Larger ones are told by their times alone. */
const MAX_HASHED_BYTES = 8 * 2 ** 20;

/** Of the coarsest file systems. */
const LONGEST_TICK_MS = 2100;

/** A file, a link or an empty folder as it was when the set-up ended. */
export type BaseEntry =
  | {
      readonly kind: "file";
      readonly stamp: string;
      readonly size: number;
      readonly isExecutable: boolean;
      /** Null for a file that is too large to hash, or cannot be read. */
      readonly digest: string | null;
      /** Null when its text is not kept. */
      readonly packed: Packed | null;
    }
  | { readonly kind: "link"; readonly target: string }
  /** Of folders only those that hold nothing: the others are there with what they hold. */
  | { readonly kind: "folder" };

/** What a folder held when its set-up ended. */
export class Baseline {
  readonly entries: ReadonlyMap<string, BaseEntry>;
  readonly unseen: Unseen;
  readonly git: GitStates;
  /** False when the clock of the file system cannot be told to have moved on: then only contents tell. */
  readonly trustsStamps: boolean;
  readonly #pack: ContentPack;

  private constructor(taken: Taken, trustsStamps: boolean) {
    this.entries = taken.entries;
    this.unseen = taken.unseen;
    this.git = taken.git;
    this.#pack = taken.pack;
    this.trustsStamps = trustsStamps;
  }

  /** Puts the texts it keeps into a file that is made at `packPath`, outside of the folder but beside it. */
  static async take(folder: string, packPath: string): Promise<Baseline> {
    const taken = await takeEntries(folder, new ContentPack(packPath));
    return new Baseline(taken, await hasTicked(`${packPath}.tick`, taken.latestMs));
  }

  /** The text of a file, or the target of a link, as it was; null when there was none or it is not kept. */
  before(path: string): string | null {
    const entry = this.entries.get(path);
    if (entry?.kind === "link") return entry.target;
    return entry?.kind !== "file" || entry.packed === null ? null : this.#pack.read(entry.packed);
  }

  /** Gives back what it holds; nothing is known of the texts any more. */
  close(): void {
    this.#pack.close();
  }
}

interface Taken {
  readonly entries: ReadonlyMap<string, BaseEntry>;
  readonly unseen: Unseen;
  readonly git: GitStates;
  readonly pack: ContentPack;
  readonly latestMs: number;
}

async function takeEntries(folder: string, pack: ContentPack): Promise<Taken> {
  const entries = new Map<string, BaseEntry>();
  const folders = new FolderList();
  let latestMs = 0;
  try {
    const unseen = await walkFolder(folder, {
      ignore: (path) => folders.passesOver(path),
      visit: (found) => {
        latestMs = Math.max(latestMs, found.stats.ctimeMs);
        folders.see(found);
        const entry = entryOf(found, pack);
        if (entry !== null) entries.set(found.path, entry);
      },
    });
    for (const path of folders.empty(unseen)) entries.set(path, { kind: "folder" });
    return { entries, unseen, pack, latestMs, git: await gitStatesIn(folder, folders.repositories) };
  } catch (error) {
    pack.close();
    throw error;
  }
}

/** Null for a folder, and for what is no state, such as a socket. */
function entryOf(found: Found, pack: ContentPack): BaseEntry | null {
  const { path, place, stats } = found;
  if (stats.isSymbolicLink()) return { kind: "link", target: linkTarget(place) ?? "" };
  if (!stats.isFile()) return null;
  const bytes = stats.size > MAX_HASHED_BYTES ? null : bytesAt(place);
  const isKept = bytes !== null && !isDependency(path) && isUtf8(bytes);
  return {
    kind: "file",
    stamp: stampOf(stats),
    size: stats.size,
    isExecutable: isExecutable(stats),
    digest: bytes === null ? null : digestOf(bytes),
    packed: isKept ? pack.add(bytes) : null,
  };
}

/** Differs whenever a file was written to: nobody can set the last of them, the time of the last change, at will. */
export function stampOf({ size, mtimeMs, ino, ctimeMs }: Stats): string {
  return `${size} ${mtimeMs} ${ino} ${ctimeMs}`;
}

export function isExecutable({ mode }: Stats): boolean {
  return (mode & 0o100) !== 0;
}

export function digestOf(bytes: Buffer): string {
  return hash("sha256", bytes, "base64");
}

/**
 * Waits until a file that is written now gets a later time than all that are there: a change within the same tick would
 * leave a file's times as they are.
 */
async function hasTicked(probe: string, latestMs: number): Promise<boolean> {
  const end = performance.now() + LONGEST_TICK_MS;
  for (let pauseMs = 2; performance.now() < end; pauseMs *= 2) {
    writeFileSync(probe, String(pauseMs));
    if (statSync(probe).ctimeMs > latestMs) return true;
    await wait(pauseMs);
  }
  return false;
}

/** A text this long is not read by people, and neither is what changed in it. */
const MAX_TEXT_BYTES = 2 ** 20;

const MAX_PACK_BYTES = 64 * 2 ** 20;

/** Where a text is in the pack. */
export interface Packed {
  readonly offset: number;
  readonly length: number;
}

/**
 * Keeps many small texts in one file: much cheaper than a copy of a folder. The file has no name once it is open, so that
 * nobody can put another in its place.
 */
export class ContentPack {
  readonly #path: string;
  #file: number | null = null;
  #length = 0;

  constructor(path: string) {
    this.#path = path;
  }

  /** Null when it is not kept: it is too long, or the pack is full. */
  add(bytes: Buffer): Packed | null {
    const { length } = bytes;
    if (length > MAX_TEXT_BYTES || this.#length + length > MAX_PACK_BYTES) return null;
    const file = this.#opened();
    const packed = { offset: this.#length, length };
    for (let done = 0; done < length; ) done += writeSync(file, bytes, done);
    this.#length += length;
    return packed;
  }

  /** Null once it is closed. */
  read({ offset, length }: Packed): string | null {
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

  #opened(): number {
    if (this.#file === null) {
      this.#file = openSync(this.#path, "wx+");
      unlinkSync(this.#path);
    }
    return this.#file;
  }
}
