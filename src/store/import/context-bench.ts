import type { Usage } from "../../core/index.js";
import {
  BadRecordError,
  getField,
  isFiniteNumber,
  isJsonObject,
  type JsonObject,
  pickScalars,
  readCountField,
  readMeasureField,
  readObjectField,
  readPositiveField,
  readTextField,
  requireId,
  requireName,
  toUsage,
} from "./fields.js";
import type { ImportedRowFields, ImportedTrial, ImportFormat, OpenedDocument } from "./format.js";
import { toScores, toUngradedOutcome } from "./verdict.js";

/** The default threshold of both tools; the files do not contain it. */
const PASS_THRESHOLD = 0.7;

/** Results of the Python package context-bench, as written by `result.to_json()`. */
export const contextBench: ImportFormat = {
  name: "context-bench",
  toldBy: 'a document with "rows", each with "system", "example_id" and "scores"',
  open: openContextBench,
  isRecord: (record) =>
    typeof getField(record, "system") === "string" &&
    Object.hasOwn(record, "example_id") &&
    isJsonObject(record.scores),
  read: (record, file) => readContextBenchRecord(record, file, findDecidingField([record], {})),
};

function openContextBench(document: JsonObject): OpenedDocument | null {
  const { rows } = document;
  if (!(Array.isArray(rows) && rows.some((row) => isJsonObject(row) && contextBench.isRecord(row)))) return null;
  const field = findDecidingField(rows.filter(isJsonObject), readObjectField(document, "summary"));
  return { records: rows, list: "rows", read: (record, file) => readContextBenchRecord(record, file, field) };
}

function readContextBenchRecord(record: JsonObject, file: string, field: string | null): ImportedTrial {
  const system = requireName(getField(record, "system"), "system");
  const id = requireId(getField(record, "example_id"), "example_id");
  const dataset = readTextField(record, "dataset") ?? "";
  return {
    system: { name: system },
    example: { id, dataset },
    trial: null,
    // One file is one run, so a second row of the same example is not a second trial.
    identity: JSON.stringify([file, system, dataset, id]),
    madeAt: null,
    row: toContextBenchRow(record, field),
    output: null,
    evidence: null,
    grades: null,
  };
}

function toContextBenchRow(record: JsonObject, field: string | null): ImportedRowFields {
  const metadata = readObjectField(record, "metadata");
  const latency = readPositiveField(record, "latency");
  return {
    ...classifyContextBenchOutcome(record, field),
    inputTokens: readCountField(record, "input_tokens"),
    outputTokens: readCountField(record, "output_tokens"),
    usage: readContextBenchUsage(metadata),
    latency,
    durationMs: secondsToMs(latency),
    metadata: pickScalars(metadata, Object.keys(metadata)),
  };
}

type ContextBenchOutcome = Pick<ImportedRowFields, "outcome" | "errorCategory" | "scores" | "primaryField" | "passed">;

function classifyContextBenchOutcome(record: JsonObject, field: string | null): ContextBenchOutcome {
  if (!isJsonObject(record.scores)) throw new BadRecordError("it has no scores");
  const scores = toScores(Object.entries(record.scores));
  const decides = field === null || !Object.hasOwn(scores, field) ? undefined : scores[field];
  if (decides === undefined) return { ...toUngradedOutcome("unscored", "grader_error"), scores };
  const passed = decides >= PASS_THRESHOLD;
  return {
    outcome: passed ? "pass" : "fail",
    errorCategory: passed ? "none" : "logic_error",
    scores,
    primaryField: field,
    passed,
  };
}

function readContextBenchUsage(metadata: JsonObject): Usage | null {
  return toUsage({
    input: readMeasureField(metadata, "prompt_tokens"),
    output: readMeasureField(metadata, "completion_tokens"),
    inputHoldsCache: true,
  });
}

/** Seconds that overflow as milliseconds were never measured. */
function secondsToMs(seconds: number | null): number | null {
  const milliseconds = (seconds ?? Number.NaN) * 1000;
  return Number.isFinite(milliseconds) ? milliseconds : null;
}

/** Fields that decide if nothing else tells; the first one present. */
const COMMON_SCORE_FIELDS = ["score", "f1", "accuracy", "exact_match"];
const MEAN_TOLERANCE = 1e-9;

/**
 * Finds the score field behind a summary. context-bench files do not name it, but hold its mean per system: the field with
 * these means decides. Null if there is no score at all.
 * @example
 * findDecidingField([{ system: "s", scores: { em: 0, f1: 0.5 } }], { s: { mean_score: 0.5 } }); // "f1"
 */
export function findDecidingField(rows: readonly JsonObject[], summary: JsonObject): string | null {
  const fields = [...new Set(rows.flatMap((row) => Object.keys(readObjectField(row, "scores"))))];
  const usual = COMMON_SCORE_FIELDS.filter((name) => fields.includes(name));
  const candidates = [...usual, ...fields.filter((name) => !usual.includes(name))];
  return candidates.find((field) => isSummarizedField(field, rows, summary)) ?? candidates[0] ?? null;
}

function isSummarizedField(field: string, rows: readonly JsonObject[], summary: JsonObject): boolean {
  const said = Object.entries(summary).flatMap(([system, values]) => {
    const mean = isJsonObject(values) ? readMeasureField(values, "mean_score") : null;
    return mean === null ? [] : [{ system, mean }];
  });
  return said.length > 0 && said.every(({ system, mean }) => isMeanOfRows(mean, field, filterBySystem(rows, system)));
}

function filterBySystem(rows: readonly JsonObject[], system: string): JsonObject[] {
  return rows.filter((row) => row.system === system);
}

/** context-bench counts a row without the field as 0. */
function isMeanOfRows(mean: number, field: string, rows: readonly JsonObject[]): boolean {
  const total = rows.reduce((sum, row) => sum + readContextBenchScore(readObjectField(row, "scores"), field), 0);
  return rows.length > 0 && Math.abs(total / rows.length - mean) < MEAN_TOLERANCE;
}

function readContextBenchScore(scores: JsonObject, field: string): number {
  const value = Object.hasOwn(scores, field) ? scores[field] : 0;
  return isFiniteNumber(value) ? value : 0;
}
