import {
  type EvalResult,
  type EvalRow,
  EXIT,
  type GateVerdict,
  type ReportOptions,
  type RunVerdict,
} from "../../core/index.js";
import type { EvalPart } from "./eval-part.js";
import { describeReason, evalReport, listFailedChecks, UNNAMED_DATASET } from "./eval-report.js";
import { formatGateResult } from "./eval-text.js";

/**
 * Renders a run as JUnit XML: a suite for each eval and system, a case for each trial and gate. A failed trial is a failure, a trial with an error is an error, and a trial
 * without a verdict is skipped.
 */
export function* renderJunitXml(
  result: EvalResult,
  evidenceOf: EvidenceReader = () => null,
  { gates = [], verdict }: ReportOptions = {},
): Generator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n';
  yield `<testsuites name="${escapeXml(result.config.title)}">\n`;
  for (const part of evalReport(result).parts) {
    const tags = result.config.datasets.find(({ name }) => (name || UNNAMED_DATASET) === part.eval)?.tags ?? [
      part.eval,
    ];
    const rows = result.rows.filter(({ dataset, system }) => tags.includes(dataset) && system === part.system);
    yield* renderSuite(part, rows, evidenceOf);
  }
  yield* renderGateSuite(gates, verdict);
  yield "</testsuites>\n";
}

/** The gates of the command, which cover the whole run. A command that failed without one has an error instead. */
export function* renderGateSuite(gates: readonly GateVerdict[], verdict: RunVerdict = NO_VERDICT): Generator<string> {
  const failures = gates.filter(({ passed }) => !passed).length;
  const errors = verdict.exitCode > EXIT.gateFailed && failures === 0 ? 1 : 0;
  if (gates.length + errors === 0) return;
  yield `  <testsuite name="gates" tests="${gates.length + errors}" failures="${failures}" errors="${errors}" skipped="0" time="0.000">\n`;
  if (errors > 0) {
    const words = escapeXml(verdict.words);
    yield `    <testcase name="exit code ${verdict.exitCode}" classname="gates"><error type="exit" message="${words}"/></testcase>\n`;
  }
  for (const { gate, passed, words } of gates) {
    const open = `    <testcase name="${escapeXml(`${gate}: ${words}`)}" classname="gates"`;
    yield passed ? `${open}/>\n` : `${open}><failure type="gate" message="${escapeXml(words)}"/></testcase>\n`;
  }
  yield "  </testsuite>\n";
}

const NO_VERDICT: RunVerdict = { exitCode: EXIT.fine, words: "" };

/** Returns the graders' evidence for a trial, if there is any. */
export type EvidenceReader = (row: EvalRow) => string | null;

function* renderSuite(part: EvalPart, rows: readonly EvalRow[], evidenceOf: EvidenceReader): Generator<string> {
  const count = (...outcomes: readonly string[]) => rows.filter(({ outcome }) => outcomes.includes(outcome)).length;
  const failures = count("fail") + part.gates.filter(({ passed }) => !passed).length;
  const counts = `tests="${rows.length + part.gates.length}" failures="${failures}" errors="${count("error")}" skipped="${count("unscored", "skipped")}"`;
  yield `  <testsuite name="${escapeXml(`${part.eval}: ${part.system}`)}" ${counts} time="${formatXmlSeconds(sumSeconds(rows))}">\n`;
  for (const row of rows) yield renderTrialCase(row, evidenceOf);
  for (const gate of part.gates) yield renderGateCase(gate, part);
  yield "  </testsuite>\n";
}

function sumSeconds(rows: readonly EvalRow[]): number {
  return rows.reduce((total, { durationMs }) => total + (durationMs ?? 0), 0) / 1000;
}

function formatXmlSeconds(value: number): string {
  return value.toFixed(3);
}

function renderTrialCase(row: EvalRow, evidenceOf: EvidenceReader): string {
  const { exampleId, trial, dataset, system, durationMs } = row;
  const name = `${exampleId} [trial ${trial}]`;
  const open = `    <testcase name="${escapeXml(name)}" classname="${escapeXml(`${dataset || UNNAMED_DATASET}.${system}`)}" time="${formatXmlSeconds((durationMs ?? 0) / 1000)}"`;
  const inner = renderTrialResult(row, evidenceOf);
  return inner === "" ? `${open}/>\n` : `${open}>${inner}</testcase>\n`;
}

function renderTrialResult(row: EvalRow, evidenceOf: EvidenceReader): string {
  const { outcome, errorCategory } = row;
  if (outcome === "pass") return "";
  const message = escapeXml(outcome === "fail" ? describeFailure(row) : describeReason(row));
  if (outcome === "fail")
    return `<failure type="${escapeXml(errorCategory)}" message="${message}">${escapeXml(evidenceOf(row) ?? "")}</failure>`;
  if (outcome === "error") return `<error type="${escapeXml(errorCategory)}" message="${message}"/>`;
  return `<skipped message="${escapeXml(outcome)}: ${message}"/>`;
}

/** The checks that failed, according to their scores. */
function describeFailure(row: EvalRow): string {
  const { scores, errorCategory } = row;
  const names = listFailedChecks(row).map((field) => `${field} ${Number((scores[field] ?? 0).toFixed(3))}`);
  const why = errorCategory === "logic_error" || errorCategory === "none" ? [] : [errorCategory];
  return [...why, ...names].join(", ") || "failed";
}

function renderGateCase(gate: EvalPart["gates"][number], { eval: name, system }: EvalPart): string {
  const words = escapeXml(formatGateResult(gate));
  const open = `    <testcase name="${escapeXml(`gate ${gate.metric} ${gate.op} ${gate.value}`)}" classname="${escapeXml(`${name}.${system}`)}"`;
  return gate.passed ? `${open}/>\n` : `${open}><failure type="gate" message="${words}"/></testcase>\n`;
}

/** XML does not allow control characters, not even as character references. */
export function escapeXml(text: string): string {
  return text
    .replace(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, "\uFFFD")
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/"/g, "&quot;")
    .replace(/[\t\n\r]/g, " ");
}
