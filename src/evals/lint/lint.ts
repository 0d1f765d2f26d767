import { relative, resolve, sep } from "node:path";
import { UsageError } from "../../core/errors.js";
import { didYouMean } from "../../core/suggest.js";
import { evalRemarks, type LintEvalOptions } from "./eval/lint-eval.js";
import { findTargets } from "./find-targets.js";
import type { Finding, Remark } from "./finding.js";
import { isLintCode, LINT_RULES, type LintCode } from "./rules.js";
import { skillRemarks } from "./skill/lint-skill.js";

/** How files are looked through. */
export interface LintOptions extends LintEvalOptions {
  /** What paths are relative to, those of findings too; the working folder unless told. */
  readonly cwd?: string;
  /** Codes that are not looked for. */
  readonly disable?: readonly string[];
}

/** What was looked through, and what was found. */
export interface LintReport {
  readonly files: readonly string[];
  /** In the order of files and lines. */
  readonly findings: readonly Finding[];
}

/**
 * Looks through SKILL.md and eval files: those that are named, and those in folders that are named. Nothing is run.
 * @example
 * const { findings } = await lint(["skills/tidy"]);
 * findings.map(({ file, line, code, message }) => `${file}:${line} ${code} ${message}`);
 */
export async function lint(paths: readonly string[], options: LintOptions = {}): Promise<LintReport> {
  const { cwd = process.cwd(), disable = [], ...evalOptions } = options;
  for (const code of disable) requireCode(code);
  const { skills, evals } = await findTargets(paths.length === 0 ? ["."] : paths, cwd);
  const shown = (file: string) => shownPath(resolve(cwd, file), cwd);
  const findings: Finding[] = [];
  const take = (file: string, remarks: readonly Remark<LintCode>[]) =>
    findings.push(...remarks.map((remark) => findingOf(remark, shown(remark.file ?? file))));
  for (const file of skills) take(file, await skillRemarks(file));
  for (const file of evals) take(file, await evalRemarks(file, evalOptions));
  return {
    files: [...skills, ...evals].map(shown).sort(),
    findings: findings.filter(({ code }) => !disable.includes(code)).sort(inOrder),
  };
}

function requireCode(code: string): void {
  if (!isLintCode(code))
    throw new UsageError(`There is no code "${code}".${didYouMean(code, Object.keys(LINT_RULES))}`);
}

function findingOf({ code, line, column, message, fix }: Remark<LintCode>, file: string): Finding {
  const rule = LINT_RULES[code];
  return { code, severity: rule.severity, file, line, column, message, fix: fix ?? rule.fix };
}

/** With slashes, and short where the file lies below the folder. */
function shownPath(file: string, cwd: string): string {
  const way = relative(cwd, file);
  return (way.startsWith("..") ? file : way).split(sep).join("/");
}

function inOrder(a: Finding, b: Finding): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}
