import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, join, relative, resolve, sep } from "node:path";
import { UsageError } from "../core/errors.js";
import { readGlob } from "../graders/glob.js";

/** The files to look through. */
export interface LintTargets {
  readonly skills: readonly string[];
  readonly evals: readonly string[];
}

const SPEC_NAME = /^(?:eval|.+\.eval)\.ya?ml$/;
const PASSED_OVER = new Set(["node_modules"]);
/** Of the folders whose names begin with a dot, those in which agents look for skills. */
const DOT_FOLDERS = new Set([".agents", ".claude", ".codex", ".cursor", ".gemini", ".github", ".opencode", ".pi"]);
const DEEPEST = 24;

/**
 * The SKILL.md and eval files that paths mean: files, folders that are searched, and patterns.
 * @example
 * await findTargets(["skills"], process.cwd()); // { skills: ["…/skills/tidy/SKILL.md"], evals: ["…/skills/tidy/eval.yaml"] }
 */
export async function findTargets(paths: readonly string[], cwd: string): Promise<LintTargets> {
  const found = new Set<string>();
  for (const path of paths) for (const file of await filesOf(path, cwd)) found.add(file);
  const files = [...found].sort();
  if (files.length === 0)
    throw new UsageError(
      `There is nothing to look through in ${paths.join(", ")}: no SKILL.md, eval.yaml or *.eval.yaml. Name a file or another folder.`,
    );
  return { skills: files.filter(isSkill), evals: files.filter((file) => !isSkill(file)) };
}

function isSkill(file: string): boolean {
  return basename(file) === "SKILL.md";
}

async function filesOf(given: string, cwd: string): Promise<readonly string[]> {
  const path = resolve(cwd, given);
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory() === true) return searched(path);
  if (found !== null) return [requireKnown(path, given)];
  const matching = /[*?[{]/.test(given) ? await matchingIn(cwd, given) : [];
  if (matching.length > 0) return matching;
  throw new UsageError(`There is no file or folder ${given}. Name a SKILL.md, an eval file or a folder that has some.`);
}

/** Any YAML file that is named may be an eval file; one that is found has to be called so. */
function requireKnown(path: string, given: string): string {
  if (isSkill(path) || /\.ya?ml$/.test(path)) return path;
  throw new UsageError(`${given} is neither a SKILL.md nor an eval file in YAML. Name one of these, or a folder.`);
}

async function matchingIn(cwd: string, pattern: string): Promise<string[]> {
  const glob = readGlob(pattern);
  const fits = (file: string) => glob.matches(relative(cwd, file).split(sep).join("/"));
  return (await walked(cwd, 0)).filter((file) => fits(file) && (isSkill(file) || /\.ya?ml$/.test(file)));
}

async function searched(dir: string): Promise<string[]> {
  return (await walked(dir, 0)).filter((file) => isSkill(file) || SPEC_NAME.test(basename(file)));
}

async function walked(dir: string, depth: number): Promise<string[]> {
  const entries: Dirent[] = await readdir(dir, { withFileTypes: true }).catch(() => []);
  const below = await Promise.all(
    entries.map(async (entry): Promise<string[]> => {
      const path = join(dir, entry.name);
      if (entry.isFile()) return [path];
      return entry.isDirectory() && isEntered(entry.name) && depth < DEEPEST ? walked(path, depth + 1) : [];
    }),
  );
  return below.flat();
}

function isEntered(name: string): boolean {
  return name.startsWith(".") ? DOT_FOLDERS.has(name) : !PASSED_OVER.has(name);
}
