import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, join, relative, resolve, sep } from "node:path";
import { didYouMean, UsageError } from "../../core/index.js";
import { readGlob } from "../../graders/index.js";
import { isForeignFile, isSearchedFolder, isSpecName } from "../spec/index.js";
import { type LintEvalOptions, lintEval } from "./eval/lint-eval.js";
import { EVAL_RULES } from "./eval/rules.js";
import type { Finding, LintIssue, LintRule } from "./finding.js";
import { lintSkill } from "./skill/lint-skill.js";
import { SKILL_RULES } from "./skill/rules.js";

/**
 * All lint rules by code. Codes are stable: files and pipelines use them to disable rules.
 * @example
 * LINT_RULES["SKILL-NAME"].severity; // "error"
 */
export const LINT_RULES = { ...SKILL_RULES, ...EVAL_RULES } as const satisfies Readonly<Record<string, LintRule>>;

/** The code of a lint rule. */
export type LintCode = keyof typeof LINT_RULES;

function isLintCode(text: string): text is LintCode {
  return Object.hasOwn(LINT_RULES, text);
}

/** Options of `lint`. */
export interface LintOptions extends LintEvalOptions {
  /** The folder that paths and findings are relative to. Default: the working directory. */
  readonly cwd?: string;
  /** Codes of rules to skip. */
  readonly disable?: readonly string[];
}

/** The linted files and the findings in them. */
export interface LintReport {
  readonly files: readonly string[];
  /** Ordered by file and line. */
  readonly findings: readonly Finding[];
}

/**
 * Checks SKILL.md and eval files: the given files, and those in the given folders. Nothing is run.
 * @example
 * const { findings } = await lint(["skills/tidy"]);
 * findings.map(({ file, line, code, message }) => `${file}:${line} ${code} ${message}`);
 */
export async function lint(paths: readonly string[], options: LintOptions = {}): Promise<LintReport> {
  const { cwd = process.cwd(), disable = [], ...evalOptions } = options;
  for (const code of disable) requireLintCode(code);
  const { skills, evals } = await findTargets(paths.length === 0 ? ["."] : paths, cwd);
  const shown = (file: string) => formatFindingPath(resolve(cwd, file), cwd);
  const findings: Finding[] = [];
  const take = (file: string, remarks: readonly LintIssue<LintCode>[]) =>
    findings.push(...remarks.map((remark) => toFinding(remark, shown(remark.file ?? file))));
  for (const file of skills) take(file, await lintSkill(file));
  for (const file of evals) take(file, await lintEval(file, evalOptions));
  return {
    files: [...skills, ...evals].map(shown).sort(),
    findings: findings.filter(({ code }) => !disable.includes(code)).sort(compareFindings),
  };
}

function requireLintCode(code: string): void {
  if (!isLintCode(code)) throw new UsageError(`Unknown code "${code}".${didYouMean(code, Object.keys(LINT_RULES))}`);
}

function toFinding({ code, line, column, message, fix }: LintIssue<LintCode>, file: string): Finding {
  const rule = LINT_RULES[code];
  return { code, severity: rule.severity, file, line, column, message, fix: fix ?? rule.fix };
}

/** With slashes, and relative for files inside of the folder. */
function formatFindingPath(file: string, cwd: string): string {
  const way = relative(cwd, file);
  return (way.startsWith("..") ? file : way).split(sep).join("/");
}

function compareFindings(a: Finding, b: Finding): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}

interface LintTargets {
  readonly skills: readonly string[];
  readonly evals: readonly string[];
}

const MAX_DEPTH = 24;

/**
 * Resolves files, folders (which are searched) and patterns.
 * @example
 * await findTargets(["skills"], process.cwd()); // { skills: ["…/skills/tidy/SKILL.md"], evals: ["…/skills/tidy/eval.yaml"] }
 */
async function findTargets(paths: readonly string[], cwd: string): Promise<LintTargets> {
  const found = new Set<string>();
  for (const path of paths) for (const file of await resolveTarget(path, cwd)) found.add(file);
  const files = [...found].sort();
  if (files.length === 0)
    throw new UsageError(
      `Nothing to lint in ${paths.join(", ")}: no SKILL.md, eval.yaml, *.eval.yaml or evals.json. Name a file or another folder.`,
    );
  return { skills: files.filter(isSkillFile), evals: files.filter((file) => !isSkillFile(file)) };
}

function isSkillFile(file: string): boolean {
  return basename(file) === "SKILL.md";
}

async function resolveTarget(given: string, cwd: string): Promise<readonly string[]> {
  const path = resolve(cwd, given);
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory() === true) return searchFolder(path);
  if (found !== null) return [requireLintable(path, given)];
  const matching = /[*?[{]/.test(given) ? await matchTargets(cwd, given) : [];
  if (matching.length > 0) return matching;
  throw new UsageError(`No file or folder ${given}. Name a SKILL.md, an eval file or a folder that contains them.`);
}

/** A named YAML or JSON file may be an eval file whatever its name; a file found in a folder must be named like one. */
function requireLintable(path: string, given: string): string {
  if (isSkillFile(path) || /\.(?:ya?ml|json)$/.test(path)) return path;
  throw new UsageError(`${given} is neither a SKILL.md nor an eval file. Name one of these, or a folder.`);
}

async function matchTargets(cwd: string, pattern: string): Promise<string[]> {
  const glob = readGlob(pattern);
  const fits = (file: string) => glob.matches(relative(cwd, file).split(sep).join("/"));
  return (await listFilesBelow(cwd)).filter(
    (file) => fits(file) && (isSkillFile(file) || /\.ya?ml$/.test(file) || isSpecName(file)),
  );
}

async function searchFolder(dir: string): Promise<string[]> {
  const files = (await listFilesBelow(dir)).filter((file) => isSkillFile(file) || isSpecName(file));
  const isForeign = await Promise.all(files.map(async (file) => !isSkillFile(file) && (await isForeignFile(file))));
  return files.filter((_, i) => isForeign[i] === false);
}

/** `inside` is the relative path so far, with slashes. */
async function listFilesBelow(dir: string, inside = "", depth = 0): Promise<string[]> {
  const entries: Dirent[] = await readdir(join(dir, inside), { withFileTypes: true }).catch(() => []);
  const below = await Promise.all(
    entries.map(async (entry): Promise<string[]> => {
      const path = inside === "" ? entry.name : `${inside}/${entry.name}`;
      if (entry.isFile()) return [join(dir, path)];
      return entry.isDirectory() && isSearchedFolder(path) && depth < MAX_DEPTH
        ? listFilesBelow(dir, path, depth + 1)
        : [];
    }),
  );
  return below.flat();
}
