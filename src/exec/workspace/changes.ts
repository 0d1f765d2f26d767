import { lstatSync, type Stats } from "node:fs";
import { join } from "node:path";
import type { FileChange, WorkspaceChanges } from "../../core/index.js";
import { type BaseEntry, type Baseline, formatStamp, hashBytes, isDependencyPath, isExecutable } from "./baseline.js";
import { encodeContent, tryReadBytes, tryReadLinkTarget } from "./diff.js";
import { type FolderEntry, FolderList, type UnseenEntries, walkFolder } from "./folder.js";
import { describeGitProblem, readGitStates } from "./git.js";
import { YieldTimer } from "./yield-timer.js";

/**
 * Collects all changes to a folder since the end of its set-up. For `.git` only reports whether it changed. Contents are
 * read from the copy if given, whose file times are meaningless.
 */
export async function collectChanges(baseline: Baseline, folder: string, copy = folder): Promise<WorkspaceChanges> {
  const differences: WorkspaceDifference[] = [];
  const seen = new Set<string>();
  const folders = new FolderList();
  const unseen = await walkFolder(folder, {
    ignore: (path) => folders.skipsGit(path),
    visit: (found) => {
      folders.add(found);
      if (!found.stats.isFile() && !found.stats.isSymbolicLink()) return;
      seen.add(found.path);
      const difference = findDifference(found, baseline);
      if (difference !== null) differences.push(difference);
    },
  });
  const empty = folders.listEmpty(unseen);
  for (const path of empty) seen.add(path);
  const missing = { seen, folders: folders.all, unseen };
  const all = [...differences, ...findNewlyEmpty(baseline, empty), ...findDeleted(baseline, missing)];
  const git = describeGitProblem(baseline.git, await readGitStates(folder, folders.repositories));
  const problems = [...describeUnseen(baseline.unseen, unseen), ...(git === null ? [] : [git])];
  return recordChanges({ differences: all, folder: copy, problems });
}

function findDifference({ path, place, stats }: FolderEntry, baseline: Baseline): WorkspaceDifference | null {
  const base = baseline.entries.get(path);
  if (stats.isSymbolicLink()) {
    const target = tryReadLinkTarget(place);
    return base?.kind === "link" && base.target === target ? null : { kind: "link", path, target };
  }
  if (base?.kind === "file" && isUnchanged({ place, stats }, base, baseline.trustsStamps)) return null;
  const status = base === undefined || base.kind === "folder" ? "added" : "modified";
  return { kind: "file", path, status, size: stats.size, isExecutable: isExecutable(stats) };
}

function isUnchanged(
  { place, stats }: { readonly place: string; readonly stats: Stats },
  base: Extract<BaseEntry, { kind: "file" }>,
  trustsStamps: boolean,
): boolean {
  const hasStamp = base.stamp === formatStamp(stats);
  if (hasStamp && (trustsStamps || base.digest === null)) return true;
  if (base.size !== stats.size || base.isExecutable !== isExecutable(stats) || base.digest === null) return false;
  const bytes = tryReadBytes(place);
  return bytes !== null && hashBytes(bytes) === base.digest;
}

function findNewlyEmpty(baseline: Baseline, empty: readonly string[]): WorkspaceDifference[] {
  const isNew = (path: string) => baseline.entries.get(path)?.kind !== "folder";
  return empty.filter(isNew).map((path) => ({ kind: "folder", path }));
}

interface CurrentEntries {
  /** Files, links and empty folders. */
  readonly seen: ReadonlySet<string>;
  readonly folders: ReadonlySet<string>;
  readonly unseen: UnseenEntries;
}

/** Entries of an unreadable folder may still exist. */
function findDeleted(baseline: Baseline, { seen, folders, unseen }: CurrentEntries): WorkspaceDifference[] {
  const mayBeThere = (path: string) =>
    unseen.closed.some((place) => place === "" || `${path}/`.startsWith(`${place}/`));
  const isThere = (path: string, { kind }: BaseEntry) => seen.has(path) || (kind === "folder" && folders.has(path));
  return [...baseline.entries]
    .filter(([path, entry]) => !isThere(path, entry) && !mayBeThere(path))
    .map(([path]) => ({ kind: "deleted", path }));
}

function describeUnseen(before: UnseenEntries, now: UnseenEntries): string[] {
  const unnamed = filterNew(before.unnamed, now.unnamed);
  const closed = filterNew(before.closed, now.closed);
  return [
    ...(unnamed.length > 0 ? [`${formatCounted(unnamed.length, "name")} not valid UTF-8 and left out`] : []),
    ...closed.map((path) => `"${path}" cannot be read`),
  ];
}

function formatCounted(count: number, noun: string): string {
  return count === 1 ? `a ${noun} is` : `${count} ${noun}s are`;
}

function filterNew(before: readonly string[], now: readonly string[]): readonly string[] {
  const known = new Set(before);
  return now.filter((path) => !known.has(path));
}

const MAX_CHANGES = 5000;
const MAX_BYTES = 16 * 2 ** 20;

/** A change whose content has not been read yet. */
type WorkspaceDifference =
  | {
      readonly kind: "file";
      readonly path: string;
      readonly status: "added" | "modified";
      readonly size: number;
      readonly isExecutable: boolean;
    }
  /** `target` is null when it cannot be read. */
  | { readonly kind: "link"; readonly path: string; readonly target: string | null }
  | { readonly kind: "deleted" | "folder"; readonly path: string };

type FileDifference = Extract<WorkspaceDifference, { kind: "file" }>;

interface DifferenceList {
  readonly differences: readonly WorkspaceDifference[];
  readonly folder: string;
  /** Why the list may be incomplete. */
  readonly problems: readonly string[];
}

/** Reads the content of changes that are small enough to store; files people work on come first. */
async function recordChanges({ differences, folder, problems }: DifferenceList): Promise<WorkspaceChanges> {
  const keeping = new ChangeRecorder(folder);
  const yieldTimer = new YieldTimer();
  for (const difference of sortByInterest(differences)) {
    keeping.add(difference);
    const pause = yieldTimer.yieldIfDue();
    if (pause !== null) await pause;
  }
  const incomplete = [...problems, ...keeping.listProblems()].join("; ");
  const changes = keeping.changes.sort((a, b) => (a.path < b.path ? -1 : 1));
  return incomplete === "" ? { changes } : { changes, incomplete };
}

function sortByInterest(differences: readonly WorkspaceDifference[]): readonly WorkspaceDifference[] {
  const ranked = differences.map((difference) => ({ difference, rank: isDependencyPath(difference.path) ? 1 : 0 }));
  ranked.sort((a, b) => a.rank - b.rank || (a.difference.path < b.difference.path ? -1 : 1));
  return ranked.map(({ difference }) => difference);
}

class ChangeRecorder {
  readonly changes: FileChange[] = [];
  readonly #folder: string;
  readonly #tooLarge: FileDifference[] = [];
  readonly #unreadable: string[] = [];
  #tooMany = 0;
  #bytes = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  add(difference: WorkspaceDifference): void {
    if (this.changes.length >= MAX_CHANGES) this.#tooMany += 1;
    else if (difference.kind === "file") this.#addFile(difference);
    else if (difference.kind === "link") this.#addLink(difference);
    else this.changes.push({ path: difference.path, status: difference.kind });
  }

  #addLink({ path, target }: Extract<WorkspaceDifference, { kind: "link" }>): void {
    if (target === null) this.#unreadable.push(path);
    else this.changes.push({ path, status: "linked", target });
  }

  #addFile(file: FileDifference): void {
    const { path, status, size, isExecutable } = file;
    const bytes = this.#bytes + size > MAX_BYTES ? null : tryReadBytes(join(this.#folder, path));
    const encoded = bytes === null ? null : encodeContent(bytes);
    const length = Math.max(size, encoded?.encoding === undefined ? (bytes?.length ?? 0) : encoded.content.length);
    if (this.#bytes + length > MAX_BYTES) this.#tooLarge.push(file);
    else if (encoded === null) this.#addOmittedFile(file);
    else {
      this.#bytes += length;
      this.changes.push({ path, status, ...encoded, ...(isExecutable && { executable: true }) });
    }
  }

  /** Processes still running in the folder may have removed it. */
  #addOmittedFile({ path, status }: FileDifference): void {
    if (lstatSync(join(this.#folder, path), { throwIfNoEntry: false }) !== undefined) this.#unreadable.push(path);
    else if (status === "modified") this.changes.push({ path, status: "deleted" });
  }

  listProblems(): string[] {
    const [largest] = this.#tooLarge.sort((a, b) => b.size - a.size);
    const unreadable = this.#unreadable.map((path) => `"${path}" cannot be read`);
    return [
      ...(largest === undefined ? [] : [describeTooLarge(this.#tooLarge.length, largest)]),
      ...(this.#tooMany === 0 ? [] : [`${this.#tooMany} changes beyond the first ${MAX_CHANGES} are left out`]),
      ...(unreadable.length > 3 ? [...unreadable.slice(0, 3), `nor can ${unreadable.length - 3} others`] : unreadable),
    ];
  }
}

function describeTooLarge(count: number, largest: FileDifference): string {
  const what = count === 1 ? "a changed file is" : `${count} changed files are`;
  const megabytes = (largest.size / 2 ** 20).toFixed(1);
  return `${what} left out, because the changes exceed ${MAX_BYTES / 2 ** 20} MB in total (the largest is "${largest.path}", ${megabytes} MB)`;
}
