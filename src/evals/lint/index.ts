export type { Finding, LintRule } from "./finding.js";
export { LINT_RULES, type LintCode, type LintOptions, type LintReport, lint } from "./lint.js";
export {
  countFindings,
  formatAnnotations,
  formatFindings,
  formatRules,
  serializeFindings,
  serializeRules,
  summarizeFindings,
} from "./render.js";
