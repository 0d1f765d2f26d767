import { digest } from "../../core/fingerprint.js";
import type { Grade } from "../../core/grader.js";
import type { EvalRow } from "../../core/row.js";
import type { Output, Usage } from "../../core/system.js";
import {
  asText,
  BadRecord,
  categoryOfError,
  countOf,
  fieldOf,
  flagOf,
  isFiniteNumber,
  isObject,
  type JsonObject,
  listOf,
  measureOf,
  momentOf,
  nameFrom,
  objectOf,
  positiveOf,
  scalarsOf,
  shortName,
  textOf,
} from "./fields.js";
import type { ImportedSystem, ImportedTrial, ImportFormat, OpenedDocument, RowFields } from "./format.js";
import { usageFrom } from "./usage.js";
import { evidenceOfGrades, graded, scoresOfGrades, ungraded } from "./verdict.js";

/** Results of promptfoo: `promptfoo eval -o results.json` (versions 2 to 4), or `-o results.jsonl`. */
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

/** What a document says about all its records. */
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
  // A cached answer takes no time, which says nothing about the system's speed.
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

/** Older versions have no failure reason, and also write an error for failed assertions. */
function isError(record: JsonObject): boolean {
  const reason = fieldOf(record, "failureReason");
  if (typeof reason === "number") return reason === FAILED.byError;
  const wasGraded = isObject(record.gradingResult);
  return textOf(record, "error") !== undefined && !wasGraded && record.success !== true;
}

/** promptfoo counts a test without assertions as a success; here it is ungraded. */
function isUngraded(record: JsonObject, grades: readonly Grade[]): boolean {
  const grading = fieldOf(record, "gradingResult");
  return grades.length === 0 && (!isObject(grading) || textOf(grading, "reason") === "No assertions");
}

/** promptfoo writes a cost of 0 on the record if it is unknown. */
function costOf(record: JsonObject, response: JsonObject): Pick<EvalRow, "costUsd" | "costSource"> {
  const costUsd = measureOf(response, "cost") ?? positiveOf(record, "cost");
  return { costUsd, costSource: costUsd === null ? "unknown" : "provider" };
}

/** Only the tokens of the response: those on the record may include grading. */
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

/** The record's position in the promptfoo table. */
const KEPT = ["testIdx", "promptIdx", "failureReason"] as const;

/** The result of each assertion. Names are numbered, because a test may have the same assertion twice. */
function promptfooGrades(record: JsonObject): Grade[] {
  const grading = objectOf(record, "gradingResult");
  const parts = listOf(grading, "componentResults").filter(isObject);
  const alone = isObject(grading.assertion) ? [grading] : [];
  const grades = (parts.length > 0 ? parts : alone).map(gradeOf);
  const met = new Map<string, number>();
  return grades.map((grade) => {
    const times = (met.get(grade.name) ?? 0) + 1;
    met.set(grade.name, times);
    return times === 1 ? grade : { ...grade, name: `${grade.name} #${times}` };
  });
}

function gradeOf(part: JsonObject): Grade {
  const assertion = objectOf(part, "assertion");
  const type = shortName(textOf(assertion, "type")) || "assertion";
  const passed = flagOf(part, "pass") ?? false;
  const isJudged = (measureOf(objectOf(part, "tokensUsed"), "total") ?? 0) > 0;
  return {
    name: shortName(textOf(assertion, "metric")) || type,
    type,
    kind: isJudged ? "llm" : "code",
    passed,
    score: Math.min(1, measureOf(part, "score") ?? Number(passed)),
    evidence: textOf(part, "reason", "comment") ?? "",
    status: "ok",
  };
}

const SLUG_CHARS = 32;
const HASH_CHARS = 8;

/**
 * The example. Repeats have different `testIdx` values, so a test is identified by its content: variables, assertions and
 * description.
 */
function exampleOf(record: JsonObject, dataset: string): ImportedTrial["example"] {
  const test = objectOf(record, "testCase");
  const vars = withoutHistory(Object.hasOwn(test, "vars") ? objectOf(test, "vars") : objectOf(record, "vars"));
  const description = textOf(test, "description") ?? textOf(record, "description");
  const assertions = listOf(test, "assert");
  const hash = digest([vars, assertions, description ?? null]).slice(0, HASH_CHARS);
  const question = promptOf(record);
  const answer = expectedOf(assertions);
  return {
    id: `${slugOf(description ?? firstText(vars))}${hash}`,
    dataset,
    ...(question === undefined ? {} : { question }),
    ...(answer === undefined ? {} : { answer }),
    ...(Object.keys(vars).length === 0 ? {} : { vars }),
    ...(assertions.length === 0 ? {} : { assertions }),
    ...(description === undefined ? {} : { description }),
  };
}

/** The prompt as sent, with the variables filled in. */
function promptOf(record: JsonObject): string | undefined {
  return textOf(objectOf(record, "prompt"), "raw", "display", "label");
}

/** The conversation so far differs between systems and is not part of the example. */
function withoutHistory(vars: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(vars).filter(([name]) => name !== "_conversation" && name !== "sessionId"));
}

function firstText(vars: JsonObject): string {
  const first = Object.values(vars).find((value) => typeof value === "string" || isFiniteNumber(value));
  return first === undefined ? "" : String(first);
}

function slugOf(text: string): string {
  const words = shortName(text, 200)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-");
  const slug = words.replace(/^-+/, "").slice(0, SLUG_CHARS).replace(/-+$/, "");
  return slug === "" ? "" : `${slug}-`;
}

/** Takes the expected answer from an assertion that compares with it. */
function expectedOf(assertions: readonly unknown[]): string | undefined {
  const equal = assertions.filter(isObject).find((assertion) => assertion.type === "equals");
  const value = equal === undefined ? undefined : fieldOf(equal, "value");
  return typeof value === "string" || isFiniteNumber(value) ? String(value) : undefined;
}

/** A column of the promptfoo table: a provider with one of the prompts. */
interface Column {
  readonly provider: string;
  readonly prompt: string;
}

/** Returns the system of a record. */
type SystemNames = (record: JsonObject) => ImportedSystem;

const LONGEST_PROMPT = 60;

/** For records without a document that lists all prompts: prompts are distinguished by their label. */
function namesByRecord(record: JsonObject): ImportedSystem {
  const { provider, prompt } = columnOf(record);
  return systemOf(provider, prompt === "" ? provider : `${provider} [${prompt}]`);
}

/** If all columns are known, the prompt is named only for providers with several prompts. */
function namesByColumns(results: JsonObject): SystemNames {
  const heads = [listOf(results, "prompts"), listOf(objectOf(objectOf(results, "table"), "head"), "prompts")];
  const columns = (heads.find((list) => list.length > 0) ?? []).map((head) => (isObject(head) ? headOf(head) : null));
  const labels = columns.map((column, index) => labelOf(column, index, columns));
  const hasOnePrompt = new Set(columns.map((column) => column?.prompt)).size <= 1;
  return (record) => {
    const { provider } = columnOf(record);
    const label = hasOnePrompt ? provider : labels[Number(fieldOf(record, "promptIdx"))];
    return label === undefined ? namesByRecord(record) : systemOf(provider, label);
  };
}

/** If two prompts begin alike, the column number is added. */
function labelOf(column: Column | null, index: number, columns: readonly (Column | null)[]): string | undefined {
  if (column === null) return undefined;
  const others = columns.filter((other) => other?.provider === column.provider);
  if (others.length <= 1) return column.provider;
  const isAlone = others.filter((other) => other?.prompt === column.prompt).length === 1;
  return `${column.provider} [${isAlone ? column.prompt : `${column.prompt} #${index + 1}`}]`;
}

function headOf(head: JsonObject): Column {
  return { provider: textOf(head, "provider") ?? "", prompt: readColumnPrompt(head) };
}

function readColumnPrompt(prompt: JsonObject): string {
  return shortName(textOf(prompt, "label", "display", "raw"), LONGEST_PROMPT);
}

function columnOf(record: JsonObject): Column {
  const provider = fieldOf(record, "provider");
  const name = isObject(provider) ? textOf(provider, "label", "id") : provider;
  return { provider: nameFrom(name, "provider"), prompt: readColumnPrompt(objectOf(record, "prompt")) };
}

/** A provider is named `openai:chat:gpt-5`: the part after the first colon only resembles a model name. */
function systemOf(model: string, name: string): ImportedSystem {
  return { name, model };
}
