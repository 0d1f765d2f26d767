import type { Grade } from "../../core/grader.js";
import type { EvalRow } from "../../core/row.js";
import type { Output, Usage } from "../../core/system.js";
import { categoryOfError } from "./error-words.js";
import {
  asText,
  BadRecord,
  countOf,
  fieldOf,
  flagOf,
  isObject,
  type JsonObject,
  listOf,
  measureOf,
  momentOf,
  objectOf,
  positiveOf,
  scalarsOf,
  textOf,
} from "./fields.js";
import type { ImportedTrial, ImportFormat, OpenedDocument, RowFields } from "./format.js";
import { namesByColumns, namesByRecord, type SystemNames } from "./promptfoo-columns.js";
import { promptfooGrades } from "./promptfoo-grades.js";
import { exampleOf, promptOf } from "./promptfoo-test.js";
import { usageFrom } from "./usage.js";
import { evidenceOfGrades, graded, scoresOfGrades, ungraded } from "./verdict.js";

/** The results of promptfoo: `promptfoo eval -o results.json` of versions 2 to 4, or `-o results.jsonl`. */
export const promptfoo: ImportFormat = {
  name: "promptfoo",
  toldBy: 'a document with "results.results", or lines with "provider", "prompt", "success" and "score"',
  open,
  isRecord: (record) =>
    Object.hasOwn(record, "provider") &&
    typeof record.success === "boolean" &&
    ["prompt", "vars", "testCase"].some((name) => isObject(record[name])),
  read: (record) => read(record, { names: namesByRecord, dataset: DATASET, madeAt: null }),
};

const DATASET = "promptfoo";

/** What a document tells about all of its records. */
interface About {
  readonly names: SystemNames;
  readonly dataset: string;
  readonly madeAt: number | null;
}

function open(document: JsonObject): OpenedDocument | null {
  const results = isObject(document.results) ? document.results : document;
  const records = listOf(results, "results");
  if (!records.some((record) => isObject(record) && promptfoo.isRecord(record))) return null;
  const about = {
    names: namesByColumns(results),
    dataset: textOf(objectOf(document, "config"), "description") ?? DATASET,
    madeAt: momentOf(results, "timestamp") ?? momentOf(document, "createdAt"),
  };
  const list = results === document ? "results" : "results.results";
  return { records, list, read: (record) => read(record, about) };
}

function read(record: JsonObject, { names, dataset, madeAt }: About): ImportedTrial {
  const grades = promptfooGrades(record);
  const grading = objectOf(record, "gradingResult");
  const response = objectOf(record, "response");
  return {
    system: names(record),
    example: exampleOf(record, dataset),
    trial: null,
    identity: textOf(record, "id") ?? null,
    madeAt,
    row: rowOf(record, grades, response),
    output: outputOf(record, response),
    evidence: evidenceOfGrades(grades, textOf(grading, "reason")),
    grades: grades.length === 0 ? null : grades,
  };
}

function rowOf(record: JsonObject, grades: readonly Grade[], response: JsonObject): RowFields {
  const cached = flagOf(response, "cached") === true;
  const usage = usageOf(response);
  // An answer from its cache takes no time, which is not how fast the system is.
  const latencyMs = positiveOf(response, "latencyMs") ?? (cached ? null : positiveOf(record, "latencyMs"));
  return {
    ...outcomeOf(record, grades),
    inputTokens: usage === null ? null : usage.input + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0),
    outputTokens: usage?.output ?? null,
    usage,
    ...costOf(record, response),
    cached,
    latency: latencyMs === null ? null : latencyMs / 1000,
    durationMs: latencyMs,
    attempts: attemptsOf(record),
    metadata: scalarsOf(record, KEPT),
  };
}

type Outcome = Pick<RowFields, "outcome" | "errorCategory" | "scores" | "primaryField" | "passed">;

function outcomeOf(record: JsonObject, grades: readonly Grade[]): Outcome {
  if (isError(record)) return ungraded("error", categoryOfError(asText(fieldOf(record, "error"))));
  const passed = flagOf(record, "success");
  if (passed === undefined) throw new BadRecord('it has no "success"');
  if (passed && isUngraded(record, grades)) return ungraded("unscored", "none");
  const named = Object.entries(objectOf(record, "namedScores"));
  return graded({ passed, score: measureOf(record, "score"), others: [...scoresOfGrades(grades), ...named] });
}

const FAILED = { byAssertion: 1, byError: 2 };

/** Older versions have no reason of failure, and write an error for assertions that failed as well. */
function isError(record: JsonObject): boolean {
  const reason = fieldOf(record, "failureReason");
  if (typeof reason === "number") return reason === FAILED.byError;
  const wasGraded = isObject(record.gradingResult);
  return textOf(record, "error") !== undefined && !wasGraded && record.success !== true;
}

/** A test without assertions is a success there; here nobody has judged it. */
function isUngraded(record: JsonObject, grades: readonly Grade[]): boolean {
  const grading = fieldOf(record, "gradingResult");
  return grades.length === 0 && (!isObject(grading) || textOf(grading, "reason") === "No assertions");
}

/** A cost of 0 on the record alone is what it writes when it knows none. */
function costOf(record: JsonObject, response: JsonObject): Pick<EvalRow, "costUsd" | "costSource"> {
  const costUsd = measureOf(response, "cost") ?? positiveOf(record, "cost");
  return { costUsd, costSource: costUsd === null ? "unknown" : "provider" };
}

/** The tokens of the response alone: those on the record may hold what grading used. */
function usageOf(response: JsonObject): Usage | null {
  const tokens = objectOf(response, "tokenUsage");
  const details = objectOf(tokens, "completionDetails");
  return usageFrom({
    input: countOf(tokens, "prompt"),
    output: countOf(tokens, "completion"),
    cacheRead: countOf(details, "cacheReadInputTokens"),
    cacheWrite: countOf(details, "cacheCreationInputTokens"),
    reasoning: countOf(details, "reasoning"),
    inputHoldsCache: true,
  });
}

function attemptsOf(record: JsonObject): EvalRow["attempts"] {
  if (!isError(record)) return [];
  const message = asText(fieldOf(record, "error"));
  return [{ errorCategory: categoryOfError(message), message, durationMs: measureOf(record, "latencyMs") ?? 0 }];
}

function outputOf(record: JsonObject, response: JsonObject): Output | null {
  if (!Object.hasOwn(response, "output")) return null;
  const prompt = promptOf(record);
  return { response: asText(fieldOf(response, "output")), ...(prompt === undefined ? {} : { prompt }) };
}

/** Where the record stood in its table. */
const KEPT = ["testIdx", "promptIdx", "failureReason"] as const;
