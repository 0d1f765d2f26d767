import { EVAL_RULES } from "./eval/rules.js";
import type { LintRule } from "./finding.js";
import { SKILL_RULES } from "./skill/rules.js";

/**
 * All lint rules by code. Codes are stable: files and pipelines use them to disable rules.
 * @example
 * LINT_RULES["SKILL-NAME"].severity; // "error"
 */
export const LINT_RULES = { ...SKILL_RULES, ...EVAL_RULES } as const satisfies Readonly<Record<string, LintRule>>;

/** The code of a lint rule. */
export type LintCode = keyof typeof LINT_RULES;

export function isLintCode(text: string): text is LintCode {
  return Object.hasOwn(LINT_RULES, text);
}
