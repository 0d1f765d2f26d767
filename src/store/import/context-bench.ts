import type { Usage } from "../../core/system.js";
import { decidingField } from "./deciding-field.js";
import {
  BadRecord,
  countOf,
  fieldOf,
  idFrom,
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

/** What passing means there and here, unless told: its files do not say. */
const THRESHOLD = 0.7;

/** The results of the Python package context-bench, as `result.to_json()` writes them. */
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
    // One file is one run, so that a second row of the same example in it is no second trial.
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

/** Seconds that no number of milliseconds can hold were never measured. */
function millisecondsOf(seconds: number | null): number | null {
  const milliseconds = (seconds ?? Number.NaN) * 1000;
  return Number.isFinite(milliseconds) ? milliseconds : null;
}
