import { join } from "node:path";
import type { EvalResult, EvalRow, ReportOptions } from "../core/index.js";
import { type EvidenceReader, evalReport, renderEvalMarkdown, renderJunitXml } from "../report/index.js";
import { encodeKey, readOutputs, type StoredOutput } from "../store/index.js";
import { writeReportFile } from "./publish.js";

/** Writes the files of `--output-dir`. */
export function writeEvalFiles(result: EvalResult, outputDir: string, options: ReportOptions = {}): void {
  const report = evalReport(result, options);
  const files = {
    "results.jsonl": formatResultLines(result),
    "report.json": [`${JSON.stringify(report, null, 2)}\n`],
    "report.md": [renderEvalMarkdown(report, result)],
    "junit.xml": renderJunitFile(result, options),
  };
  for (const [name, lines] of Object.entries(files)) writeReportFile(join(outputDir, name), lines);
}

/** JUnit XML with the graders' evidence, which the store has and rows alone do not. */
export function renderJunitFile(result: EvalResult, options: ReportOptions = {}): Iterable<string> {
  return renderJunitXml(result, createEvidenceReader(result), options);
}

export function renderMarkdownFile(result: EvalResult, options: ReportOptions): string {
  return renderEvalMarkdown(evalReport(result, options), result);
}

/** What graders found in failed trials, read from the store on first use. */
export function createEvidenceReader({ runDir, rows }: EvalResult): EvidenceReader {
  const failed = new Set(rows.filter(({ outcome }) => outcome === "fail").map(encodeKey));
  let known: Map<string, string> | null = null;
  return (row) => {
    known ??= runDir === null ? new Map() : readEvidence(runDir, failed);
    return known.get(encodeKey(row)) ?? null;
  };
}

function readEvidence(dir: string, keys: ReadonlySet<string>): Map<string, string> {
  const found = new Map<string, string>();
  for (const stored of readOutputs(dir)) {
    const key = encodeKey(stored);
    const against = stored.grades?.filter(({ passed }) => !passed) ?? [];
    if (keys.has(key)) found.set(key, against.map(({ name, evidence }) => `${name}: ${evidence}`).join("; "));
  }
  return found;
}

/** One line per trial: its test case, result, grader verdicts and what the agent did. */
function* formatResultLines({ rows, config, runDir }: EvalResult): Generator<string> {
  const skills = new Map(config.datasets.flatMap(({ tags, skill = null }) => tags.map((tag) => [tag, skill] as const)));
  const waiting = new Map(rows.map((row) => [encodeKey(row), row]));
  const line = (row: EvalRow, stored?: StoredOutput) =>
    `${JSON.stringify(toResultRecord(row, { skill: skills.get(row.dataset) ?? null, stored }))}\n`;
  for (const stored of runDir === null ? [] : readOutputs(runDir)) {
    const key = encodeKey(stored);
    const row = waiting.get(key);
    if (row === undefined) continue;
    waiting.delete(key);
    yield line(row, stored);
  }
  for (const row of waiting.values()) yield line(row);
}

function toResultRecord(row: EvalRow, { skill, stored }: { skill: string | null; stored: StoredOutput | undefined }) {
  const { exampleId, dataset, system, trial, outcome, errorCategory, passed, scores, usage, costUsd, notes } = row;
  return {
    stimulus: exampleId,
    eval: dataset,
    skill,
    system,
    trial,
    outcome,
    errorCategory,
    passed,
    score: scores.weighted_score ?? null,
    grades: stored?.grades ?? [],
    usage,
    costUsd,
    turns: row.turns,
    durationMs: row.durationMs,
    successAtMs: row.successAtMs,
    notes,
    attempts: row.attempts,
    response: stored?.output.response ?? null,
    trajectory: stored?.output.trajectory ?? null,
  };
}
