import type { Finding } from "./finding.js";
import type { LintReport } from "./lint.js";
import { LINT_RULES } from "./lint.js";

export function countFindings(findings: readonly Finding[]): { errors: number; warnings: number } {
  const errors = findings.filter(({ severity }) => severity === "error").length;
  return { errors, warnings: findings.length - errors };
}

/** For people: a line for each finding that editors can link, and its fix below. */
export function formatFindings({ findings }: LintReport): string {
  return findings
    .map(({ file, line, column, severity, code, message, fix }) => {
      const said = toSingleLine(message);
      return `${file}:${line}:${column}: ${severity} ${code}: ${said}\n    ${toSingleLine(fix)}\n`;
    })
    .join("");
}

export function serializeFindings({ files, findings }: LintReport): string {
  return `${JSON.stringify({ schema: "assay.lint/1", ...countFindings(findings), files, findings }, null, 2)}\n`;
}

/** Lines that a GitHub workflow turns into annotations. */
export function formatAnnotations({ findings }: LintReport): string {
  return findings
    .map(({ file, line, column, severity, code, message, fix }) => {
      const place = `file=${escapeAnnotationProperty(file)},line=${line},col=${column},title=${escapeAnnotationProperty(code)}`;
      return `::${severity} ${place}::${escapeAnnotationData(`${message} ${fix}`)}\n`;
    })
    .join("");
}

export function formatRules(): string {
  const width = Math.max(...Object.keys(LINT_RULES).map((code) => code.length));
  return Object.entries(LINT_RULES)
    .map(([code, { severity, about, fix }]) => `${code.padEnd(width)}  ${severity.padEnd(7)}  ${about} ${fix}\n`)
    .join("");
}

export function serializeRules(): string {
  const rules = Object.entries(LINT_RULES).map(([code, rule]) => ({ code, ...rule }));
  return `${JSON.stringify({ schema: "assay.lint-rules/1", rules }, null, 2)}\n`;
}

export function summarizeFindings({ files, findings }: LintReport): string {
  const { errors, warnings } = countFindings(findings);
  const looked = formatFindingCount(files.length, "file");
  if (findings.length === 0) return `${looked} checked: no findings.`;
  return `${looked} checked: ${formatFindingCount(errors, "error")}, ${formatFindingCount(warnings, "warning")}.`;
}

function formatFindingCount(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

function toSingleLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** Escapes as the GitHub runner decodes it. */
function escapeAnnotationData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeAnnotationProperty(text: string): string {
  return escapeAnnotationData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
