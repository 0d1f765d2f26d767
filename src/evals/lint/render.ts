import type { Finding } from "./finding.js";
import type { LintReport } from "./lint.js";
import { LINT_RULES } from "./rules.js";

export function tally(findings: readonly Finding[]): { errors: number; warnings: number } {
  const errors = findings.filter(({ severity }) => severity === "error").length;
  return { errors, warnings: findings.length - errors };
}

/** For people: a line for each finding that editors can link, and its fix below. */
export function asText({ findings }: LintReport): string {
  return findings
    .map(({ file, line, column, severity, code, message, fix }) => {
      const said = oneLine(message);
      return `${file}:${line}:${column}: ${severity} ${code}: ${said}\n    ${oneLine(fix)}\n`;
    })
    .join("");
}

export function asJson({ files, findings }: LintReport): string {
  return `${JSON.stringify({ schema: "assay.lint/1", ...tally(findings), files, findings }, null, 2)}\n`;
}

/** Lines that a GitHub workflow turns into annotations. */
export function asAnnotations({ findings }: LintReport): string {
  return findings
    .map(({ file, line, column, severity, code, message, fix }) => {
      const place = `file=${property(file)},line=${line},col=${column},title=${property(code)}`;
      return `::${severity} ${place}::${data(`${message} ${fix}`)}\n`;
    })
    .join("");
}

export function rulesAsText(): string {
  const width = Math.max(...Object.keys(LINT_RULES).map((code) => code.length));
  return Object.entries(LINT_RULES)
    .map(([code, { severity, about, fix }]) => `${code.padEnd(width)}  ${severity.padEnd(7)}  ${about} ${fix}\n`)
    .join("");
}

export function rulesAsJson(): string {
  const rules = Object.entries(LINT_RULES).map(([code, rule]) => ({ code, ...rule }));
  return `${JSON.stringify({ schema: "assay.lint-rules/1", rules }, null, 2)}\n`;
}

export function summary({ files, findings }: LintReport): string {
  const { errors, warnings } = tally(findings);
  const looked = counted(files.length, "file");
  if (findings.length === 0) return `${looked} checked: no findings.`;
  return `${looked} checked: ${counted(errors, "error")}, ${counted(warnings, "warning")}.`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** Escapes as the GitHub runner decodes it. */
function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
