import { readFile, stat } from "node:fs/promises";
import { resolve } from "node:path";
import { AGENT_NAMES } from "../../budget/index.js";
import { computeEditDistance, UsageError } from "../../core/index.js";
import { findMatchingFiles, isGlob, listFilesBelow } from "../../graders/index.js";
import { parseYaml } from "../../utils/index.js";
import { resolveKeyAlias } from "./key-aliases.js";
import { SPEC_RULES } from "./key-rules.js";
import { isRawMapping } from "./raw-mapping.js";

/** Hidden folders in which agents look for skills, which may have evals beside them. */
const AGENT_FOLDERS = new Set([".agents", ".cursor", ".github", ...AGENT_NAMES.map((name) => `.${name}`)]);

/**
 * Whether a folder is searched for skills and eval files. `path` is relative to the start of the search, with slashes.
 * Hidden folders of tools are skipped, and so are GitHub workflows, one of which may be called eval.yml.
 */
export function isSearchedFolder(path: string): boolean {
  const [name = "", parent = ""] = path.split("/").reverse();
  if (name === "workflows" && parent === ".github") return false;
  return name.startsWith(".") ? AGENT_FOLDERS.has(name) : name !== "node_modules";
}

/** Keys that many kinds of files have. */
const COMMON_KEYS = new Set(["$schema", "name", "description", "type", "tags", "defaults"]);

/** Keys that identify an eval file, of Assay or of another harness. */
const EVAL_KEYS = [...SPEC_RULES.keys.filter((key) => !COMMON_KEYS.has(key)), ...Object.keys(SPEC_RULES.refused ?? {})];

/** The names of eval files: those of Assay, and the one of the skill folders of other harnesses. */
const SPEC_NAME = /^(?:(?:.+\.)?eval\.ya?ml|evals\.json)$/;

/** True for a path whose last part is the name of an eval file. */
export function isSpecName(path: string): boolean {
  return SPEC_NAME.test(path.split(/[\\/]/).at(-1) ?? "");
}

/**
 * True for a file that is about something else, such as a CI workflow: it has keys that no eval file has, and none that
 * identify one. False for unreadable and empty files, whose problems should be reported.
 */
export async function isForeignFile(file: string): Promise<boolean> {
  const tree = await parseYaml(await readFile(file, "utf8").catch(() => ""));
  if (tree.isBroken || !isRawMapping(tree.value)) return false;
  const keys = Object.keys(tree.value);
  if (file.endsWith(".json")) return !keys.includes("evals");
  return !keys.some(isEvalKey) && keys.some((key) => resolveKeyAlias(key, SPEC_RULES) === null);
}

/** A typo in an identifying key should be reported, not hide the file. */
function isEvalKey(key: string): boolean {
  const ours = resolveKeyAlias(key, SPEC_RULES);
  if (ours !== null) return EVAL_KEYS.includes(ours.key);
  return EVAL_KEYS.some((known) => computeEditDistance(key.toLowerCase(), known) <= key.length / 4);
}

const SPEC_FILES = {
  canContain: isSearchedFolder,
  matches: (file: string) => /\.ya?ml$/.test(file) || isSpecName(file),
};

/**
 * Finds eval files: files as given, folders searched for `eval.yaml`, `*.eval.yaml` and `evals.json` without those of
 * other tools, patterns for what they match. Each file is listed once, those of a folder sorted by name.
 * @example
 * await findSpecs(["evals", "skills/*\/eval.yaml"]);
 */
export async function findSpecs(paths: readonly string[]): Promise<string[]> {
  const found = new Map<string, string>();
  for (const path of paths)
    for (const file of await findSpecsAtPath(path)) found.set(resolve(file), found.get(resolve(file)) ?? file);
  return [...found.values()];
}

/** The usual names of experiment files: `experiment.yaml`, `skill.experiment.yml`. */
const EXPERIMENT_NAME = /(?:^|[/.-])experiment\.ya?ml$/;

/** Lists the files of a folder and those in it that are called like experiments. */
export function listExperimentFiles(dir: string): Promise<string[]> {
  return listFilesBelow(dir, { canContain: isSearchedFolder, matches: (path) => EXPERIMENT_NAME.test(path) });
}

async function findSpecsAtPath(path: string): Promise<string[]> {
  const stats = await stat(path).catch(() => null);
  if (stats?.isFile() === true) return [path];
  const files =
    stats?.isDirectory() === true ? await findSpecsInFolder(path) : await findMatchingFiles(path, SPEC_FILES);
  if (files.length > 0) return files;
  if (stats === null && !isGlob(path)) throw new UsageError(`No eval file or folder ${path}.`);
  throw new UsageError(`No eval file in ${path}: name it eval.yaml, NAME.eval.yaml or evals.json.`);
}

async function findSpecsInFolder(path: string): Promise<string[]> {
  const files = await listFilesBelow(path, { canContain: isSearchedFolder, matches: isSpecName });
  const isForeign = await Promise.all(files.map(isForeignFile));
  return files.filter((_, i) => isForeign[i] === false);
}
