import { lstatSync, type Stats } from "node:fs";
import { join } from "node:path";
import type { FileChange, WorkspaceChanges } from "../../core/environment.js";
import { type BaseEntry, type Baseline, digestOf, isExecutable, stampOf } from "./baseline.js";
import { Breather } from "./breather.js";
import { isDependency } from "./dependency-folders.js";
import { bytesAt, encodeContent, linkTarget } from "./diff.js";
import { FolderList, type Found, type Unseen, walkFolder } from "./folder.js";
import { gitProblem, gitStatesIn } from "./git.js";

/**
 * Collects all changes to a folder since the end of its set-up. For `.git` only reports whether it changed. Contents are
 * read from the copy if given, whose file times are meaningless.
 */
export async function changesSince(baseline: Baseline, folder: string, copy = folder): Promise<WorkspaceChanges> {
  const differences: Difference[] = [];
  const seen = new Set<string>();
  const folders = new FolderList();
  const unseen = await walkFolder(folder, {
    ignore: (path) => folders.passesOver(path),
    visit: (found) => {
      folders.see(found);
      if (!found.stats.isFile() && !found.stats.isSymbolicLink()) return;
      seen.add(found.path);
      const difference = differenceOf(found, baseline);
      if (difference !== null) differences.push(difference);
    },
  });
  const empty = folders.empty(unseen);
  for (const path of empty) seen.add(path);
  const missing = { seen, folders: folders.all, unseen };
  const all = [...differences, ...newlyEmpty(baseline, empty), ...deletedIn(baseline, missing)];
  const git = gitProblem(baseline.git, await gitStatesIn(folder, folders.repositories));
  const problems = [...problemsOf(baseline.unseen, unseen), ...(git === null ? [] : [git])];
  return keepChanges({ differences: all, folder: copy, problems });
}

function differenceOf({ path, place, stats }: Found, baseline: Baseline): Difference | null {
  const base = baseline.entries.get(path);
  if (stats.isSymbolicLink()) {
    const target = linkTarget(place);
    return base?.kind === "link" && base.target === target ? null : { kind: "link", path, target };
  }
  if (base?.kind === "file" && isAsItWas({ place, stats }, base, baseline.trustsStamps)) return null;
  const status = base === undefined || base.kind === "folder" ? "added" : "modified";
  return { kind: "file", path, status, size: stats.size, isExecutable: isExecutable(stats) };
}

function isAsItWas(
  { place, stats }: { readonly place: string; readonly stats: Stats },
  base: Extract<BaseEntry, { kind: "file" }>,
  trustsStamps: boolean,
): boolean {
  const hasStamp = base.stamp === stampOf(stats);
  if (hasStamp && (trustsStamps || base.digest === null)) return true;
  if (base.size !== stats.size || base.isExecutable !== isExecutable(stats) || base.digest === null) return false;
  const bytes = bytesAt(place);
  return bytes !== null && digestOf(bytes) === base.digest;
}

function newlyEmpty(baseline: Baseline, empty: readonly string[]): Difference[] {
  const isNew = (path: string) => baseline.entries.get(path)?.kind !== "folder";
  return empty.filter(isNew).map((path) => ({ kind: "folder", path }));
}

interface SeenNow {
  /** Files, links and empty folders. */
  readonly seen: ReadonlySet<string>;
  readonly folders: ReadonlySet<string>;
  readonly unseen: Unseen;
}

/** Entries of an unreadable folder may still exist. */
function deletedIn(baseline: Baseline, { seen, folders, unseen }: SeenNow): Difference[] {
  const mayBeThere = (path: string) =>
    unseen.closed.some((place) => place === "" || `${path}/`.startsWith(`${place}/`));
  const isThere = (path: string, { kind }: BaseEntry) => seen.has(path) || (kind === "folder" && folders.has(path));
  return [...baseline.entries]
    .filter(([path, entry]) => !isThere(path, entry) && !mayBeThere(path))
    .map(([path]) => ({ kind: "deleted", path }));
}

function problemsOf(before: Unseen, now: Unseen): string[] {
  const unnamed = news(before.unnamed, now.unnamed);
  const closed = news(before.closed, now.closed);
  return [
    ...(unnamed.length > 0 ? [`${counted(unnamed.length, "name")} not valid UTF-8 and left out`] : []),
    ...closed.map((path) => `"${path}" cannot be read`),
  ];
}

function counted(count: number, noun: string): string {
  return count === 1 ? `a ${noun} is` : `${count} ${noun}s are`;
}

function news(before: readonly string[], now: readonly string[]): readonly string[] {
  const known = new Set(before);
  return now.filter((path) => !known.has(path));
}

const MAX_CHANGES = 5000;
const MAX_BYTES = 16 * 2 ** 20;

/** A change whose content has not been read yet. */
type Difference =
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

type ChangedFile = Extract<Difference, { kind: "file" }>;

interface Differences {
  readonly differences: readonly Difference[];
  readonly folder: string;
  /** Why the list may be incomplete. */
  readonly problems: readonly string[];
}

/** Reads the content of changes that are small enough to store; files people work on come first. */
async function keepChanges({ differences, folder, problems }: Differences): Promise<WorkspaceChanges> {
  const keeping = new Keeping(folder);
  const breather = new Breather();
  for (const difference of byInterest(differences)) {
    keeping.take(difference);
    const pause = breather.due();
    if (pause !== null) await pause;
  }
  const incomplete = [...problems, ...keeping.problems()].join("; ");
  const changes = keeping.changes.sort((a, b) => (a.path < b.path ? -1 : 1));
  return incomplete === "" ? { changes } : { changes, incomplete };
}

function byInterest(differences: readonly Difference[]): readonly Difference[] {
  const ranked = differences.map((difference) => ({ difference, rank: isDependency(difference.path) ? 1 : 0 }));
  ranked.sort((a, b) => a.rank - b.rank || (a.difference.path < b.difference.path ? -1 : 1));
  return ranked.map(({ difference }) => difference);
}

class Keeping {
  readonly changes: FileChange[] = [];
  readonly #folder: string;
  readonly #tooLarge: ChangedFile[] = [];
  readonly #unreadable: string[] = [];
  #tooMany = 0;
  #bytes = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  take(difference: Difference): void {
    if (this.changes.length >= MAX_CHANGES) this.#tooMany += 1;
    else if (difference.kind === "file") this.#takeFile(difference);
    else if (difference.kind === "link") this.#takeLink(difference);
    else this.changes.push({ path: difference.path, status: difference.kind });
  }

  #takeLink({ path, target }: Extract<Difference, { kind: "link" }>): void {
    if (target === null) this.#unreadable.push(path);
    else this.changes.push({ path, status: "linked", target });
  }

  #takeFile(file: ChangedFile): void {
    const { path, status, size, isExecutable } = file;
    const bytes = this.#bytes + size > MAX_BYTES ? null : bytesAt(join(this.#folder, path));
    const encoded = bytes === null ? null : encodeContent(bytes);
    const length = Math.max(size, encoded?.encoding === undefined ? (bytes?.length ?? 0) : encoded.content.length);
    if (this.#bytes + length > MAX_BYTES) this.#tooLarge.push(file);
    else if (encoded === null) this.#missFile(file);
    else {
      this.#bytes += length;
      this.changes.push({ path, status, ...encoded, ...(isExecutable && { executable: true }) });
    }
  }

  /** Processes still running in the folder may have removed it. */
  #missFile({ path, status }: ChangedFile): void {
    if (lstatSync(join(this.#folder, path), { throwIfNoEntry: false }) !== undefined) this.#unreadable.push(path);
    else if (status === "modified") this.changes.push({ path, status: "deleted" });
  }

  problems(): string[] {
    const [largest] = this.#tooLarge.sort((a, b) => b.size - a.size);
    const unreadable = this.#unreadable.map((path) => `"${path}" cannot be read`);
    return [
      ...(largest === undefined ? [] : [tooLargeText(this.#tooLarge.length, largest)]),
      ...(this.#tooMany === 0 ? [] : [`${this.#tooMany} changes beyond the first ${MAX_CHANGES} are left out`]),
      ...(unreadable.length > 3 ? [...unreadable.slice(0, 3), `nor can ${unreadable.length - 3} others`] : unreadable),
    ];
  }
}

function tooLargeText(count: number, largest: ChangedFile): string {
  const what = count === 1 ? "a changed file is" : `${count} changed files are`;
  const megabytes = (largest.size / 2 ** 20).toFixed(1);
  return `${what} left out, because the changes exceed ${MAX_BYTES / 2 ** 20} MB in total (the largest is "${largest.path}", ${megabytes} MB)`;
}
