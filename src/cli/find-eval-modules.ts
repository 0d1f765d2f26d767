import { readdirSync, statSync } from "node:fs";
import { join, normalize, resolve } from "node:path";
import { UsageError } from "../core/index.js";
import { isEvalModule } from "./load-module.js";

/** Folders without sources of their own. */
const SKIPPED_FOLDERS = new Set(["node_modules", "dist", "build", "coverage", "out"]);

/**
 * Finds eval files: files as given, folders searched for `*.eval.ts`, `.mts`, `.js` and `.mjs`. Each is listed once.
 * @example
 * findEvalModules(["evals", "src/support.eval.ts"]);
 */
export function findEvalModules(paths: readonly string[]): string[] {
  const found = new Map(paths.flatMap(findAtPath).map((file) => [resolve(file), file]));
  return [...found.values()];
}

function findAtPath(path: string): string[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new UsageError(`There is no eval file or folder ${path}.`);
  if (stats.isFile()) return [requireEvalName(path)];
  const files = searchFolder(path);
  if (files.length === 0) throw new UsageError(`There is no eval file in ${path}. Name it NAME.eval.ts.`);
  return files;
}

function requireEvalName(path: string): string {
  if (isEvalModule(path)) return path;
  const flag = /\.[cm]?[jt]s$/.test(path) ? `--system ${path}` : `--dataset ${path}`;
  throw new UsageError(`${path} is not an eval file, which is named NAME.eval.ts. Did you mean ${flag}?`);
}

/** Eval files of a folder, then those of the folders in it. */
export function searchFolder(folder: string): string[] {
  return listSourceFolders(folder).flatMap((each) =>
    listEntries(each).flatMap((entry) =>
      !entry.isDirectory() && isEvalModule(entry.name) ? [normalize(join(each, entry.name))] : [],
    ),
  );
}

/** A folder and those in it. Hidden folders and those of tools are skipped, and so are folders that cannot be read. */
export function listSourceFolders(folder: string): string[] {
  const inside = listEntries(folder).filter(
    (entry) => entry.isDirectory() && !entry.name.startsWith(".") && !SKIPPED_FOLDERS.has(entry.name),
  );
  return [folder, ...inside.flatMap(({ name }) => listSourceFolders(join(folder, name)))];
}

function listEntries(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}
