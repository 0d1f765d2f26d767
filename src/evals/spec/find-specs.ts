import { readdir, stat } from "node:fs/promises";
import { join, normalize, resolve, sep } from "node:path";
import { UsageError } from "../../core/errors.js";
import { type Glob, readGlob } from "../../graders/glob.js";
import { isForeignYaml, isSearchedFolder } from "./discovery.js";

const SPEC_NAME = /^(?:.+\.)?eval\.ya?ml$/;
const WILDCARD = /[*?[{]/;

/**
 * Finds eval files: files as given, folders searched for `eval.yaml` and `*.eval.yaml` without those of other tools,
 * patterns for what they match. Each file is listed once, those of a folder sorted by name.
 * @example
 * await findSpecs(["evals", "skills/*\/eval.yaml"]);
 */
export async function findSpecs(paths: readonly string[]): Promise<string[]> {
  const found = new Map<string, string>();
  for (const path of paths)
    for (const file of await findSpecsAtPath(path)) found.set(resolve(file), found.get(resolve(file)) ?? file);
  return [...found.values()];
}

async function findSpecsAtPath(path: string): Promise<string[]> {
  const stats = await stat(path).catch(() => null);
  if (stats?.isFile() === true) return [path];
  const files = stats?.isDirectory() === true ? await findSpecsInFolder(path) : await findMatchingSpecs(path);
  if (files.length > 0) return files;
  if (stats === null && !WILDCARD.test(path)) throw new UsageError(`No eval file or folder ${path}.`);
  throw new UsageError(`No eval file in ${path}: name it eval.yaml or NAME.eval.yaml.`);
}

async function findSpecsInFolder(path: string): Promise<string[]> {
  const isNamedSo = (file: string) => SPEC_NAME.test(file.split("/").at(-1) ?? "");
  const files = await listMatchingFiles(path, { canContain: () => true, matches: isNamedSo });
  const isForeign = await Promise.all(files.map(isForeignYaml));
  return files.filter((_, i) => isForeign[i] === false);
}

/** The search starts at the part of the pattern before the first wildcard. */
async function findMatchingSpecs(pattern: string): Promise<string[]> {
  const parts = pattern.split(sep).join("/").split("/");
  const firstWild = parts.findIndex((part) => WILDCARD.test(part));
  if (firstWild === -1) return [];
  const base = parts.slice(0, firstWild).join("/") || (pattern.startsWith("/") ? "/" : ".");
  const glob = readGlob(parts.slice(firstWild).join("/"));
  return listMatchingFiles(base, {
    canContain: (folder) => glob.canContain(folder),
    matches: (file) => isSpecFile(glob, file),
  });
}

function isSpecFile(glob: Glob, file: string): boolean {
  return glob.matches(file) && /\.ya?ml$/.test(file);
}

type FileFilter = Pick<Glob, "matches" | "canContain">;

async function listMatchingFiles(folder: string, wanted: FileFilter, inside = ""): Promise<string[]> {
  const entries = await readdir(join(folder, inside), { withFileTypes: true }).catch(() => []);
  const files: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = inside === "" ? entry.name : `${inside}/${entry.name}`;
    const isFolder = entry.isDirectory() && isSearchedFolder(path);
    if (isFolder && wanted.canContain(path)) files.push(...(await listMatchingFiles(folder, wanted, path)));
    else if (!entry.isDirectory() && wanted.matches(path)) files.push(normalize(join(folder, path)));
  }
  return files;
}
