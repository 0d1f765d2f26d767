export type { Finding, LintRule } from "./finding.js";
export { type LintOptions, type LintReport, lint } from "./lint.js";
export { asAnnotations, asJson, asText, rulesAsJson, rulesAsText, summary, tally } from "./render.js";
export { LINT_RULES, type LintCode } from "./rules.js";
