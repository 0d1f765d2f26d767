import type { Stats } from "node:fs";
import type { WorkspaceChanges } from "../core/environment.js";
import { type BaseEntry, type Baseline, bytesAt, digestOf, isExecutable, linkTarget, stampOf } from "./baseline.js";
import { type Difference, keepChanges } from "./kept-changes.js";
import { type Found, isGit, type Unseen, walkFolder } from "./walk-folder.js";

/**
 * What is not in a folder as it was when its set-up ended. Empty folders and `.git` do not count. Contents come from the
 * copy, when one is given: the times of its files say nothing.
 */
export async function changesSince(baseline: Baseline, folder: string, copy = folder): Promise<WorkspaceChanges> {
  const differences: Difference[] = [];
  const seen = new Set<string>();
  const unseen = await walkFolder(folder, {
    ignore: isGit,
    visit: (found) => {
      if (!found.stats.isFile() && !found.stats.isSymbolicLink()) return;
      seen.add(found.path);
      const difference = differenceOf(found, baseline);
      if (difference !== null) differences.push(difference);
    },
  });
  const all = differences.concat(deletedIn(baseline, seen, unseen));
  return keepChanges({ differences: all, folder: copy, problems: problemsOf(baseline.unseen, unseen) });
}

function differenceOf({ path, place, stats }: Found, baseline: Baseline): Difference | null {
  const base = baseline.entries.get(path);
  if (stats.isSymbolicLink()) {
    const target = linkTarget(place);
    return base?.kind === "link" && base.target === target ? null : { kind: "link", path, target };
  }
  if (base?.kind === "file" && isAsItWas({ place, stats }, base, baseline.trustsStamps)) return null;
  const status = base === undefined ? "added" : "modified";
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

/** What lies in a folder that cannot be looked into may still be there. */
function deletedIn(baseline: Baseline, seen: ReadonlySet<string>, { closed }: Unseen): Difference[] {
  const mayBeThere = (path: string) => closed.some((place) => place === "" || `${path}/`.startsWith(`${place}/`));
  return [...baseline.entries.keys()]
    .filter((path) => !seen.has(path) && !mayBeThere(path))
    .map((path) => ({ kind: "deleted", path }));
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
