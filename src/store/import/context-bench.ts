import type { Usage } from "../../core/system.js";
import {
  BadRecord,
  countOf,
  fieldOf,
  idFrom,
  isFiniteNumber,
  isObject,
  type JsonObject,
  measureOf,
  nameFrom,
  objectOf,
  positiveOf,
  scalarsOf,
  textOf,
} from "./fields.js";
import type { ImportedTrial, ImportFormat, OpenedDocument, RowFields } from "./format.js";
import { usageFrom } from "./usage.js";
import { scoresOf, ungraded } from "./verdict.js";

/** The default threshold of both tools; the files do not contain it. */
const THRESHOLD = 0.7;

/** Results of the Python package context-bench, as written by `result.to_json()`. */
export const contextBench: ImportFormat = {
  name: "context-bench",
  toldBy: 'a document with "rows", each with "system", "example_id" and "scores"',
  open,
  isRecord: (record) =>
    typeof fieldOf(record, "system") === "string" && Object.hasOwn(record, "example_id") && isObject(record.scores),
  read: (record, file) => read(record, file, decidingField([record], {})),
};

function open(document: JsonObject): OpenedDocument | null {
  const { rows } = document;
  if (!(Array.isArray(rows) && rows.some((row) => isObject(row) && contextBench.isRecord(row)))) return null;
  const field = decidingField(rows.filter(isObject), objectOf(document, "summary"));
  return { records: rows, list: "rows", read: (record, file) => read(record, file, field) };
}

function read(record: JsonObject, file: string, field: string | null): ImportedTrial {
  const system = nameFrom(fieldOf(record, "system"), "system");
  const id = idFrom(fieldOf(record, "example_id"), "example_id");
  const dataset = textOf(record, "dataset") ?? "";
  return {
    system: { name: system },
    example: { id, dataset },
    trial: null,
    // One file is one run, so a second row of the same example is not a second trial.
    identity: JSON.stringify([file, system, dataset, id]),
    madeAt: null,
    row: rowOf(record, field),
    output: null,
    evidence: null,
    grades: null,
  };
}

function rowOf(record: JsonObject, field: string | null): RowFields {
  const metadata = objectOf(record, "metadata");
  const latency = positiveOf(record, "latency");
  return {
    ...outcomeOf(record, field),
    inputTokens: countOf(record, "input_tokens"),
    outputTokens: countOf(record, "output_tokens"),
    usage: usageOf(metadata),
    latency,
    durationMs: millisecondsOf(latency),
    metadata: scalarsOf(metadata, Object.keys(metadata)),
  };
}

type Outcome = Pick<RowFields, "outcome" | "errorCategory" | "scores" | "primaryField" | "passed">;

function outcomeOf(record: JsonObject, field: string | null): Outcome {
  if (!isObject(record.scores)) throw new BadRecord("it has no scores");
  const scores = scoresOf(Object.entries(record.scores));
  const decides = field === null || !Object.hasOwn(scores, field) ? undefined : scores[field];
  if (decides === undefined) return { ...ungraded("unscored", "grader_error"), scores };
  const passed = decides >= THRESHOLD;
  return {
    outcome: passed ? "pass" : "fail",
    errorCategory: passed ? "none" : "logic_error",
    scores,
    primaryField: field,
    passed,
  };
}

function usageOf(metadata: JsonObject): Usage | null {
  return usageFrom({
    input: measureOf(metadata, "prompt_tokens"),
    output: measureOf(metadata, "completion_tokens"),
    inputHoldsCache: true,
  });
}

/** Seconds that overflow as milliseconds were never measured. */
function millisecondsOf(seconds: number | null): number | null {
  const milliseconds = (seconds ?? Number.NaN) * 1000;
  return Number.isFinite(milliseconds) ? milliseconds : null;
}

/** Fields that decide if nothing else tells; the first one present. */
const USUAL = ["score", "f1", "accuracy", "exact_match"];
const EXACT = 1e-9;

/**
 * Finds the score field behind a summary. context-bench files do not name it, but hold its mean per system: the field with
 * these means decides. Null if there is no score at all.
 * @example
 * findDecidingField([{ system: "s", scores: { em: 0, f1: 0.5 } }], { s: { mean_score: 0.5 } }); // "f1"
 */
export function decidingField(rows: readonly JsonObject[], summary: JsonObject): string | null {
  const fields = [...new Set(rows.flatMap((row) => Object.keys(objectOf(row, "scores"))))];
  const usual = USUAL.filter((name) => fields.includes(name));
  const candidates = [...usual, ...fields.filter((name) => !usual.includes(name))];
  return candidates.find((field) => isSummarised(field, rows, summary)) ?? candidates[0] ?? null;
}

function isSummarised(field: string, rows: readonly JsonObject[], summary: JsonObject): boolean {
  const said = Object.entries(summary).flatMap(([system, values]) => {
    const mean = isObject(values) ? measureOf(values, "mean_score") : null;
    return mean === null ? [] : [{ system, mean }];
  });
  return said.length > 0 && said.every(({ system, mean }) => isMean(mean, field, ofSystem(rows, system)));
}

function ofSystem(rows: readonly JsonObject[], system: string): JsonObject[] {
  return rows.filter((row) => row.system === system);
}

/** context-bench counts a row without the field as 0. */
function isMean(mean: number, field: string, rows: readonly JsonObject[]): boolean {
  const total = rows.reduce((sum, row) => sum + scoreIn(objectOf(row, "scores"), field), 0);
  return rows.length > 0 && Math.abs(total / rows.length - mean) < EXACT;
}

function scoreIn(scores: JsonObject, field: string): number {
  const value = Object.hasOwn(scores, field) ? scores[field] : 0;
  return isFiniteNumber(value) ? value : 0;
}
