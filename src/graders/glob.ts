import { readdir } from "node:fs/promises";
import { join, normalize, sep } from "node:path";
import { braceExpand, Minimatch, type MinimatchOptions } from "minimatch";

/** A path pattern: `*`, `**`, `?`, `{a,b}`, `[abc]`, `[!abc]`. */
export interface Glob {
  readonly pattern: string;
  /** Whether the pattern matches a path (with slashes, relative to the workspace). */
  matches(path: string): boolean;
  /** Whether a folder can contain a path that the pattern matches. */
  canContain(folder: string): boolean;
}

/** `{a,b}{a,b}…` doubles with each pair. */
const MAX_ALTERNATIVES = 1000;
/** Tools store thousands of files there; only a pattern that names these folders searches them. */
const SKIPPED_FOLDERS = [".git", "node_modules"];
/** Only the documented syntax is special, so `!` and parentheses in names match literally. */
const OPTIONS: MinimatchOptions = {
  dot: true,
  nocomment: true,
  noext: true,
  nonegate: true,
  platform: "linux",
  braceExpandMax: MAX_ALTERNATIVES + 1,
};

/** Returns why a string is not a valid path pattern, or null. */
export function findGlobProblem(pattern: string): string | null {
  const problem = findGlobPathProblem(pattern);
  if (problem !== null) return problem;
  return braceExpand(pattern, OPTIONS).length > MAX_ALTERNATIVES ? "expands to too many paths" : null;
}

/** Returns why a string is not a path inside the workspace, or null. */
export function findGlobPathProblem(path: string): string | null {
  if (path.startsWith("/") || /^[A-Za-z]:[\\/]/.test(path)) return "must be relative to the workspace";
  if (path.includes("\\")) return "must be written with slashes, not with backslashes";
  if (path.includes("\0")) return "must not contain a null character";
  return path.split("/").includes("..") ? "must not leave the workspace" : null;
}

/**
 * Parses a path pattern. Dotfiles match like other files; `**` skips `.git` and `node_modules`.
 * @example
 * readGlob("src/**\/*.{js,ts}").matches("src/deep/a.ts"); // true
 */
export function readGlob(pattern: string): Glob {
  const glob = new Minimatch(pattern.replace(/^(?:\.\/)+/, ""), OPTIONS);
  const names = pattern.split(/[/{},]/);
  const skipped = names.includes("**") ? SKIPPED_FOLDERS.filter((name) => !names.includes(name)) : [];
  const isSkipped = (path: string) => skipped.length > 0 && path.split("/").some((name) => skipped.includes(name));
  return {
    pattern,
    matches: (path) => !isSkipped(path) && glob.match(path),
    canContain: (folder) => !isSkipped(folder) && glob.match(folder, true),
  };
}

const WILDCARD = /[*?[{]/;

/** Whether a path is a pattern. */
export function isGlob(path: string): boolean {
  return WILDCARD.test(path);
}

/** Which folders a search enters, and which files it lists; paths are relative to its start, with slashes. */
export interface FileFilter {
  canContain(folder: string): boolean;
  matches(file: string): boolean;
}

/**
 * Lists the files that a pattern matches, sorted by name. The search starts at the part before the first wildcard.
 * @example
 * await findMatchingFiles("prompts/*.md"); // ["prompts/long.md", "prompts/short.md"]
 */
export async function findMatchingFiles(
  pattern: string,
  also: FileFilter = { canContain: () => true, matches: () => true },
): Promise<string[]> {
  const parts = pattern.split(sep).join("/").split("/");
  const firstWild = parts.findIndex(isGlob);
  if (firstWild === -1) return [];
  const base = parts.slice(0, firstWild).join("/") || (pattern.startsWith("/") ? "/" : ".");
  const glob = readGlob(parts.slice(firstWild).join("/"));
  return listFilesBelow(base, {
    canContain: (folder) => also.canContain(folder) && glob.canContain(folder),
    matches: (file) => glob.matches(file) && also.matches(file),
  });
}

/** Lists the files of a folder that the filter accepts, sorted by name; none if there is no such folder. */
export async function listFilesBelow(folder: string, wanted: FileFilter, inside = ""): Promise<string[]> {
  const entries = await readdir(join(folder, inside), { withFileTypes: true }).catch(() => []);
  const files: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = inside === "" ? entry.name : `${inside}/${entry.name}`;
    if (!entry.isDirectory()) files.push(...(wanted.matches(path) ? [normalize(join(folder, path))] : []));
    else if (wanted.canContain(path)) files.push(...(await listFilesBelow(folder, wanted, path)));
  }
  return files;
}
