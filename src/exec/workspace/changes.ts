import type { Stats } from "node:fs";
import type { WorkspaceChanges } from "../../core/environment.js";
import { type BaseEntry, type Baseline, digestOf, isExecutable, stampOf } from "./baseline.js";
import { bytesAt, linkTarget } from "./file-content.js";
import { FolderList } from "./folder-list.js";
import { gitProblem, gitStatesIn } from "./git-state.js";
import { type Difference, keepChanges } from "./kept-changes.js";
import { type Found, type Unseen, walkFolder } from "./walk-folder.js";

/**
 * What is not in a folder as it was when its set-up ended. Of what git keeps for itself only whether it is as it was is
 * told. Contents come from the copy, when one is given: the times of its files say nothing.
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
  /** All folders. */
  readonly folders: ReadonlySet<string>;
  readonly unseen: Unseen;
}

/** What lies in a folder that cannot be looked into may still be there. */
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
    ...(unnamed.length > 0 ? [`${counted(unnamed.length, "name")} not valid UTF-8, and left out`] : []),
    ...closed.map((path) => `"${path}" cannot be looked at`),
  ];
}

function counted(count: number, noun: string): string {
  return count === 1 ? `a ${noun} is` : `${count} ${noun}s are`;
}

function news(before: readonly string[], now: readonly string[]): readonly string[] {
  const known = new Set(before);
  return now.filter((path) => !known.has(path));
}
