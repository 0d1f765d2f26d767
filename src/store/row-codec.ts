import { type EvalRow, makeRow } from "../core/row.js";

/** A row as one line of JSON. Fields at their neutral value are left out: most of a row is, and lines are written by the million. */
export function encodeRow(row: EvalRow): string {
  const line: Record<string, unknown> = {
    system: row.system,
    exampleId: row.exampleId,
    dataset: row.dataset,
    trial: row.trial,
    outcome: row.outcome,
    errorCategory: row.errorCategory,
    scores: row.scores,
    primaryField: row.primaryField,
    passed: row.passed,
    inputTokens: row.inputTokens,
    outputTokens: row.outputTokens,
    latency: row.latency,
    durationMs: row.durationMs,
  };
  for (const field of RARELY_SET) {
    const value = row[field];
    if (value !== null) line[field] = value;
  }
  if (row.costSource !== "unknown") line.costSource = row.costSource;
  if (row.partial) line.partial = true;
  if (row.costKilledAt !== 0) line.costKilledAt = row.costKilledAt;
  if (row.attempts.length > 0) line.attempts = row.attempts;
  if (row.notes.length > 0) line.notes = row.notes;
  return JSON.stringify(line);
}

const RARELY_SET = [
  "usage",
  "costUsd",
  "overshootUsd",
  "ttftMs",
  "firstAttemptMs",
  "successAtMs",
  "turns",
  "tokensPerSec",
  "metadata",
] as const satisfies readonly (keyof EvalRow)[];

/** The row of a line written by `encodeRow`, of this version or an older one. */
export function decodeRow(line: string): EvalRow {
  return makeRow(JSON.parse(line) as EvalRow);
}
