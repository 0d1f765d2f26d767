import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, extname, join, resolve } from "node:path";
import { listSourceFolders, searchFolder } from "./find-eval-modules.js";
import { listLocalImports } from "./load-module.js";

/** Version of each file that an eval uses; null for one that does not exist. */
type FileVersions = ReadonlyMap<string, string | null>;

/** What each eval file uses, by its path. */
export type EvalInputs = ReadonlyMap<string, FileVersions>;

export interface EvalChanges {
  /** Eval files to run again. */
  readonly evals: readonly string[];
  /** The files that changed, also those of deleted evals. */
  readonly files: readonly string[];
}

/** The versions of all files that the evals of these paths use. Paths that are gone are left out. */
export function readEvalInputs(paths: readonly string[]): EvalInputs {
  const found = paths.flatMap((path) =>
    isFolder(path) ? searchFolder(path) : readVersion(path) === null ? [] : [path],
  );
  const evals = new Map(found.map((file) => [resolve(file), file]));
  return new Map(
    [...evals.values()].map((file) => [file, new Map(listUsedFiles(file).map((used) => [used, readVersion(used)]))]),
  );
}

/** Finds what differs, and the evals that have to run again for it. */
export function compareEvalInputs(before: EvalInputs, now: EvalInputs): EvalChanges {
  const files = new Set<string>();
  const evals: string[] = [];
  for (const file of new Set([...before.keys(), ...now.keys()])) {
    const [old, current] = [before.get(file) ?? new Map<string, string>(), now.get(file) ?? new Map<string, string>()];
    const differ = [...new Set([...old.keys(), ...current.keys()])].filter(
      (used) => (old.get(used) ?? null) !== (current.get(used) ?? null),
    );
    // A file that an eval no longer names has not changed.
    const changed = differ.filter((used) => current.has(used) || readVersion(used) !== old.get(used));
    for (const used of changed) files.add(used);
    if (now.has(file) && changed.length > 0) evals.push(file);
  }
  return { evals, files: [...files] };
}

/** The folders in which a change can matter: those searched for evals, and those of used files. */
export function listWatchedFolders(paths: readonly string[], inputs: EvalInputs): Set<string> {
  const searched = paths.flatMap((path) => (isFolder(path) ? listSourceFolders(path) : [dirname(path)]));
  const used = [...inputs.values()].flatMap((versions) => [...versions.keys()].map((file) => dirname(file)));
  return new Set([...searched.map((folder) => resolve(folder)), ...used].filter(isFolder));
}

/** The eval file, its local imports, and data and prompts that they name. */
function listUsedFiles(file: string): string[] {
  const modules = listModules(file);
  return [...new Set([...modules, ...modules.flatMap(listNamedFiles)])];
}

/** A file may vanish while it is read; then the eval cannot run, and says so. */
function listModules(file: string): string[] {
  try {
    return listLocalImports(file);
  } catch {
    return [resolve(file)];
  }
}

/** Each opening quote counts, because an apostrophe in a comment would otherwise hide the rest of its line. */
const QUOTED = /["'`](?=([^"'`\n]{1,300})["'`])/g;

const DATA_FILE = /\.(?:jsonl?|ndjson|csv|tsv|parquet|md|txt|ya?ml|py|rb|sh)(?:\.gz)?$/;

/** Files named in the text of a module, as `data.jsonl`, `gsm8k=data.jsonl`, `prompts/*.md` or `python answer.py`. */
function listNamedFiles(module: string): string[] {
  let text: string;
  try {
    text = readFileSync(module, "utf8");
  } catch {
    return [];
  }
  const words = Array.from(text.matchAll(QUOTED), ([, quoted = ""]) => quoted.split(/[\s=,]+/)).flat();
  const names = words.filter((word) => DATA_FILE.test(word) && !word.includes("://"));
  // Paths in evals are relative to the working folder, those of new URL(…, import.meta.url) to the module.
  return names.flatMap((name) => [resolve(name), resolve(dirname(module), name)]).flatMap(expandPattern);
}

/** `prompts/*.md` stands for the files of that folder with this ending. */
function expandPattern(path: string): string[] {
  if (!path.includes("*")) return [path];
  const folder = dirname(path);
  const ending = extname(path);
  return isFolder(folder) && !folder.includes("*")
    ? readdirSync(folder).flatMap((name) => (name.endsWith(ending) ? [join(folder, name)] : []))
    : [];
}

function readVersion(file: string): string | null {
  const stats = readStats(file);
  return stats === undefined ? null : `${stats.mtimeMs} ${stats.size} ${stats.ino}`;
}

function isFolder(path: string): boolean {
  return readStats(path)?.isDirectory() === true;
}

/** Text in quotes may be no path at all, or one that cannot be read. */
function readStats(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
