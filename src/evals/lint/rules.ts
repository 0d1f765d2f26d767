import { EVAL_RULES } from "./eval/rules.js";
import type { LintRule } from "./finding.js";
import { SKILL_RULES } from "./skill/rules.js";

/**
 * Everything that is looked for, by its code. Codes are stable: files and pipelines name them to disable one.
 * @example
 * LINT_RULES["SKILL-NAME"].severity; // "error"
 */
export const LINT_RULES = { ...SKILL_RULES, ...EVAL_RULES } as const satisfies Readonly<Record<string, LintRule>>;

/** The code of something that is looked for. */
export type LintCode = keyof typeof LINT_RULES;

/** Whether a text is such a code. */
export function isLintCode(text: string): text is LintCode {
  return Object.hasOwn(LINT_RULES, text);
}
