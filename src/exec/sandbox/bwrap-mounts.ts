import { lstatSync, readlinkSync } from "node:fs";
import { dirname } from "node:path";

/** Arguments of `bwrap` for an empty folder. */
export function makeFolder(path: string): string[] {
  return ["--perms", "0755", "--dir", path];
}

/** Creates the folders above these paths, empty, so that a home folder shows nothing else. */
export function makeParentFolders(paths: readonly string[]): string[] {
  const parents = [...new Set(paths.flatMap(listParents))].sort((a, b) => a.length - b.length);
  return parents.flatMap(makeFolder);
}

function listParents(path: string): string[] {
  const parent = dirname(path);
  return parent === "/" ? [] : [...listParents(parent), parent];
}

/** A folder of the system. Most distributions have links into /usr here, some have folders. */
export function mountFromHost(path: string): string[] {
  try {
    return lstatSync(path).isSymbolicLink() ? ["--symlink", readlinkSync(path), path] : ["--ro-bind", path, path];
  } catch {
    return [];
  }
}

/** A folder in memory that everybody may write to. */
export function mountScratch(path: string, bytes: number): string[] {
  return ["--perms", "1777", "--size", String(Math.ceil(bytes)), "--tmpfs", path];
}
