import { appendFileSync, closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import type { EvalResult, EvalRow, GateVerdict } from "../core/index.js";
import { getErrorMessage, ReporterError } from "../core/index.js";
import {
  type EvalReport,
  type EvidenceReader,
  evalReport,
  renderEvalMarkdown,
  renderJunitXml,
} from "../report/index.js";
import { encodeKey, readOutputs, type StoredOutput } from "../store/index.js";
import type { EvalSelection } from "./run-flags.js";
import { printNote } from "./streams.js";

interface EvalFileOptions extends Pick<EvalSelection, "junit" | "markdown" | "outputDir"> {
  /** Gates given on the command line. */
  gates?: readonly GateVerdict[];
}

/** Writes the requested reports of an eval; in a GitHub workflow also its summary. */
export function writeEvalFiles(result: EvalResult, wanted: EvalFileOptions): void {
  const report = evalReport(result, wanted.gates);
  for (const { file, lines } of listEvalFiles(result, report, wanted)) {
    tryToWrite(file, () => writeEvalLines(file, lines));
    printNote(`Written: ${file}`);
  }
  const summary = process.env.GITHUB_STEP_SUMMARY ?? "";
  if (summary !== "") tryToWrite(summary, () => appendFileSync(summary, renderEvalMarkdown(report)));
}

interface EvalOutputFile {
  readonly file: string;
  readonly lines: Iterable<string>;
}

function listEvalFiles(
  result: EvalResult,
  report: EvalReport,
  { junit, markdown, outputDir, gates }: EvalFileOptions,
): EvalOutputFile[] {
  const comment = () => [renderEvalMarkdown(report)];
  const beside =
    outputDir === undefined
      ? []
      : [
          { file: join(outputDir, "results.jsonl"), lines: formatResultLines(result) },
          { file: join(outputDir, "report.json"), lines: [`${JSON.stringify(report, null, 2)}\n`] },
          { file: join(outputDir, "report.md"), lines: comment() },
          { file: join(outputDir, "junit.xml"), lines: renderJunitXml(result, createEvidenceReader(result), gates) },
        ];
  return [
    ...beside,
    ...(junit === undefined
      ? []
      : [{ file: junit, lines: renderJunitXml(result, createEvidenceReader(result), gates) }]),
    ...(markdown === undefined ? [] : [{ file: markdown, lines: comment() }]),
  ];
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

function writeEvalLines(file: string, lines: Iterable<string>): void {
  mkdirSync(dirname(file), { recursive: true });
  const fd = openSync(file, "w");
  try {
    for (const line of lines) writeSync(fd, line);
  } finally {
    closeSync(fd);
  }
}

function tryToWrite(file: string, write: () => void): void {
  try {
    write();
  } catch (cause) {
    throw new ReporterError(`${file} could not be written: ${getErrorMessage(cause)}. The run itself is stored.`, {
      cause,
    });
  }
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
