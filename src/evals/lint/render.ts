import type { Finding } from "./finding.js";
import type { LintReport } from "./lint.js";
import { LINT_RULES } from "./rules.js";

/** How many of each kind there are. */
export function tally(findings: readonly Finding[]): { errors: number; warnings: number } {
  const errors = findings.filter(({ severity }) => severity === "error").length;
  return { errors, warnings: findings.length - errors };
}

/** Findings for people: a line for each that editors can follow, and what to do below it. */
export function asText({ findings }: LintReport): string {
  return findings
    .map(({ file, line, column, severity, code, message, fix }) => {
      const said = oneLine(message);
      return `${file}:${line}:${column}: ${severity} ${code}: ${said}\n    ${oneLine(fix)}\n`;
    })
    .join("");
}

/** Findings for programs. */
export function asJson({ files, findings }: LintReport): string {
  return `${JSON.stringify({ schema: "assay.lint/1", ...tally(findings), files, findings }, null, 2)}\n`;
}

/** Findings as lines that a GitHub workflow turns into annotations of the files. */
export function asAnnotations({ findings }: LintReport): string {
  return findings
    .map(({ file, line, column, severity, code, message, fix }) => {
      const place = `file=${property(file)},line=${line},col=${column},title=${property(code)}`;
      return `::${severity} ${place}::${data(`${message} ${fix}`)}\n`;
    })
    .join("");
}

/** Everything that is looked for, as lines. */
export function rulesAsText(): string {
  const width = Math.max(...Object.keys(LINT_RULES).map((code) => code.length));
  return Object.entries(LINT_RULES)
    .map(([code, { severity, about, fix }]) => `${code.padEnd(width)}  ${severity.padEnd(7)}  ${about} ${fix}\n`)
    .join("");
}

/** Everything that is looked for, for programs. */
export function rulesAsJson(): string {
  const rules = Object.entries(LINT_RULES).map(([code, rule]) => ({ code, ...rule }));
  return `${JSON.stringify({ schema: "assay.lint-rules/1", rules }, null, 2)}\n`;
}

/** How many findings there are, in words. */
export function summary({ files, findings }: LintReport): string {
  const { errors, warnings } = tally(findings);
  const looked = counted(files.length, "file");
  if (findings.length === 0) return `${looked} looked through: nothing found.`;
  return `${looked} looked through: ${counted(errors, "error")}, ${counted(warnings, "warning")}.`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

/** As the runner of workflows decodes it. */
function data(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
