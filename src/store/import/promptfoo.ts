import type { EvalRow, Grade, Output, Usage } from "../../core/index.js";
import { digest } from "../../core/index.js";
import {
  BadRecordError,
  classifyErrorMessage,
  getField,
  isFiniteNumber,
  isJsonObject,
  type JsonObject,
  pickScalars,
  readCountField,
  readFlagField,
  readListField,
  readMeasureField,
  readObjectField,
  readPositiveField,
  readTextField,
  readTimeField,
  requireName,
  shortenName,
  toImportText,
  toUsage,
} from "./fields.js";
import type { ImportedRowFields, ImportedSystem, ImportedTrial, ImportFormat, OpenedDocument } from "./format.js";
import { collectGradeEvidence, listGradeScores, toGradedOutcome, toUngradedOutcome } from "./verdict.js";

/** Results of promptfoo: `promptfoo eval -o results.json` (versions 2 to 4), or `-o results.jsonl`. */
export const promptfoo: ImportFormat = {
  name: "promptfoo",
  toldBy: 'a document with "results.results", or lines with "provider", "prompt", "success" and "score"',
  open: openPromptfoo,
  isRecord: (record) =>
    Object.hasOwn(record, "provider") &&
    typeof record.success === "boolean" &&
    ["prompt", "vars", "testCase"].some((name) => isJsonObject(record[name])),
  read: (record) =>
    readPromptfooRecord(record, { names: resolveSystemByRecord, dataset: DEFAULT_DATASET, madeAt: null }),
};

const DEFAULT_DATASET = "promptfoo";

/** What a document says about all its records. */
interface PromptfooContext {
  readonly names: SystemResolver;
  readonly dataset: string;
  readonly madeAt: number | null;
}

function openPromptfoo(document: JsonObject): OpenedDocument | null {
  const results = isJsonObject(document.results) ? document.results : document;
  const records = readListField(results, "results");
  if (!records.some((record) => isJsonObject(record) && promptfoo.isRecord(record))) return null;
  const about = {
    names: createColumnResolver(results),
    dataset: readTextField(readObjectField(document, "config"), "description") ?? DEFAULT_DATASET,
    madeAt: readTimeField(results, "timestamp") ?? readTimeField(document, "createdAt"),
  };
  const list = results === document ? "results" : "results.results";
  return { records, list, read: (record) => readPromptfooRecord(record, about) };
}

function readPromptfooRecord(record: JsonObject, { names, dataset, madeAt }: PromptfooContext): ImportedTrial {
  const grades = listPromptfooGrades(record);
  const grading = readObjectField(record, "gradingResult");
  const response = readObjectField(record, "response");
  return {
    system: names(record),
    example: toPromptfooExample(record, dataset),
    trial: null,
    identity: readTextField(record, "id") ?? null,
    madeAt,
    row: toPromptfooRow(record, grades, response),
    output: toPromptfooOutput(record, response),
    evidence: collectGradeEvidence(grades, readTextField(grading, "reason")),
    grades: grades.length === 0 ? null : grades,
  };
}

function toPromptfooRow(record: JsonObject, grades: readonly Grade[], response: JsonObject): ImportedRowFields {
  const cached = readFlagField(response, "cached") === true;
  const usage = readPromptfooUsage(response);
  // A cached answer takes no time, which says nothing about the system's speed.
  const latencyMs =
    readPositiveField(response, "latencyMs") ?? (cached ? null : readPositiveField(record, "latencyMs"));
  return {
    ...classifyPromptfooOutcome(record, grades),
    inputTokens: usage === null ? null : usage.input + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0),
    outputTokens: usage?.output ?? null,
    usage,
    ...readPromptfooCost(record, response),
    cached,
    latency: latencyMs === null ? null : latencyMs / 1000,
    durationMs: latencyMs,
    attempts: listPromptfooAttempts(record),
    metadata: pickScalars(record, METADATA_FIELDS),
  };
}

type PromptfooOutcome = Pick<ImportedRowFields, "outcome" | "errorCategory" | "scores" | "primaryField" | "passed">;

function classifyPromptfooOutcome(record: JsonObject, grades: readonly Grade[]): PromptfooOutcome {
  if (isPromptfooError(record))
    return toUngradedOutcome("error", classifyErrorMessage(toImportText(getField(record, "error"))));
  const passed = readFlagField(record, "success");
  if (passed === undefined) throw new BadRecordError('it has no "success"');
  if (passed && isUngradedRecord(record, grades)) return toUngradedOutcome("unscored", "none");
  const named = Object.entries(readObjectField(record, "namedScores"));
  return toGradedOutcome({
    passed,
    score: readMeasureField(record, "score"),
    others: [...listGradeScores(grades), ...named],
  });
}

const FAILURE_REASONS = { byAssertion: 1, byError: 2 };

/** Older versions have no failure reason, and also write an error for failed assertions. */
function isPromptfooError(record: JsonObject): boolean {
  const reason = getField(record, "failureReason");
  if (typeof reason === "number") return reason === FAILURE_REASONS.byError;
  const wasGraded = isJsonObject(record.gradingResult);
  return readTextField(record, "error") !== undefined && !wasGraded && record.success !== true;
}

/** promptfoo counts a test without assertions as a success; here it is ungraded. */
function isUngradedRecord(record: JsonObject, grades: readonly Grade[]): boolean {
  const grading = getField(record, "gradingResult");
  return grades.length === 0 && (!isJsonObject(grading) || readTextField(grading, "reason") === "No assertions");
}

/** promptfoo writes a cost of 0 on the record if it is unknown. */
function readPromptfooCost(record: JsonObject, response: JsonObject): Pick<EvalRow, "costUsd" | "costSource"> {
  const costUsd = readMeasureField(response, "cost") ?? readPositiveField(record, "cost");
  return { costUsd, costSource: costUsd === null ? "unknown" : "provider" };
}

/** Only the tokens of the response: those on the record may include grading. */
function readPromptfooUsage(response: JsonObject): Usage | null {
  const tokens = readObjectField(response, "tokenUsage");
  const details = readObjectField(tokens, "completionDetails");
  return toUsage({
    input: readCountField(tokens, "prompt"),
    output: readCountField(tokens, "completion"),
    cacheRead: readCountField(details, "cacheReadInputTokens"),
    cacheWrite: readCountField(details, "cacheCreationInputTokens"),
    reasoning: readCountField(details, "reasoning"),
    inputHoldsCache: true,
  });
}

function listPromptfooAttempts(record: JsonObject): EvalRow["attempts"] {
  if (!isPromptfooError(record)) return [];
  const message = toImportText(getField(record, "error"));
  return [
    { errorCategory: classifyErrorMessage(message), message, durationMs: readMeasureField(record, "latencyMs") ?? 0 },
  ];
}

function toPromptfooOutput(record: JsonObject, response: JsonObject): Output | null {
  if (!Object.hasOwn(response, "output")) return null;
  const prompt = readPrompt(record);
  return { response: toImportText(getField(response, "output")), ...(prompt === undefined ? {} : { prompt }) };
}

/** The record's position in the promptfoo table. */
const METADATA_FIELDS = ["testIdx", "promptIdx", "failureReason"] as const;

/** The result of each assertion. Names are numbered, because a test may have the same assertion twice. */
function listPromptfooGrades(record: JsonObject): Grade[] {
  const grading = readObjectField(record, "gradingResult");
  const parts = readListField(grading, "componentResults").filter(isJsonObject);
  const alone = isJsonObject(grading.assertion) ? [grading] : [];
  const grades = (parts.length > 0 ? parts : alone).map(toPromptfooGrade);
  const met = new Map<string, number>();
  return grades.map((grade) => {
    const times = (met.get(grade.name) ?? 0) + 1;
    met.set(grade.name, times);
    return times === 1 ? grade : { ...grade, name: `${grade.name} #${times}` };
  });
}

function toPromptfooGrade(part: JsonObject): Grade {
  const assertion = readObjectField(part, "assertion");
  const type = shortenName(readTextField(assertion, "type")) || "assertion";
  const passed = readFlagField(part, "pass") ?? false;
  const isJudged = (readMeasureField(readObjectField(part, "tokensUsed"), "total") ?? 0) > 0;
  return {
    name: shortenName(readTextField(assertion, "metric")) || type,
    type,
    kind: isJudged ? "llm" : "code",
    passed,
    score: Math.min(1, readMeasureField(part, "score") ?? Number(passed)),
    evidence: readTextField(part, "reason", "comment") ?? "",
    status: "ok",
  };
}

const SLUG_CHARS = 32;
const HASH_CHARS = 8;

/**
 * The example. Repeats have different `testIdx` values, so a test is identified by its content: variables, assertions and
 * description.
 */
function toPromptfooExample(record: JsonObject, dataset: string): ImportedTrial["example"] {
  const test = readObjectField(record, "testCase");
  const vars = omitHistory(
    Object.hasOwn(test, "vars") ? readObjectField(test, "vars") : readObjectField(record, "vars"),
  );
  const description = readTextField(test, "description") ?? readTextField(record, "description");
  const assertions = readListField(test, "assert");
  const hash = digest([vars, assertions, description ?? null]).slice(0, HASH_CHARS);
  const question = readPrompt(record);
  const answer = findExpectedAnswer(assertions);
  return {
    id: `${slugify(description ?? findFirstVariableText(vars))}${hash}`,
    dataset,
    ...(question === undefined ? {} : { question }),
    ...(answer === undefined ? {} : { answer }),
    ...(Object.keys(vars).length === 0 ? {} : { vars }),
    ...(assertions.length === 0 ? {} : { assertions }),
    ...(description === undefined ? {} : { description }),
  };
}

/** The prompt as sent, with the variables filled in. */
function readPrompt(record: JsonObject): string | undefined {
  return readTextField(readObjectField(record, "prompt"), "raw", "display", "label");
}

/** The conversation so far differs between systems and is not part of the example. */
function omitHistory(vars: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(vars).filter(([name]) => name !== "_conversation" && name !== "sessionId"));
}

function findFirstVariableText(vars: JsonObject): string {
  const first = Object.values(vars).find((value) => typeof value === "string" || isFiniteNumber(value));
  return first === undefined ? "" : String(first);
}

function slugify(text: string): string {
  const words = shortenName(text, 200)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-");
  const slug = words.replace(/^-+/, "").slice(0, SLUG_CHARS).replace(/-+$/, "");
  return slug === "" ? "" : `${slug}-`;
}

/** Takes the expected answer from an assertion that compares with it. */
function findExpectedAnswer(assertions: readonly unknown[]): string | undefined {
  const equal = assertions.filter(isJsonObject).find((assertion) => assertion.type === "equals");
  const value = equal === undefined ? undefined : getField(equal, "value");
  return typeof value === "string" || isFiniteNumber(value) ? String(value) : undefined;
}

/** A column of the promptfoo table: a provider with one of the prompts. */
interface PromptColumn {
  readonly provider: string;
  readonly prompt: string;
}

/** Returns the system of a record. */
type SystemResolver = (record: JsonObject) => ImportedSystem;

const MAX_PROMPT_CHARS = 60;

/** For records without a document that lists all prompts: prompts are distinguished by their label. */
function resolveSystemByRecord(record: JsonObject): ImportedSystem {
  const { provider, prompt } = readRecordColumn(record);
  return toPromptfooSystem(provider, prompt === "" ? provider : `${provider} [${prompt}]`);
}

/** If all columns are known, the prompt is named only for providers with several prompts. */
function createColumnResolver(results: JsonObject): SystemResolver {
  const heads = [
    readListField(results, "prompts"),
    readListField(readObjectField(readObjectField(results, "table"), "head"), "prompts"),
  ];
  const columns = (heads.find((list) => list.length > 0) ?? []).map((head) =>
    isJsonObject(head) ? parseColumnHead(head) : null,
  );
  const labels = columns.map((column, index) => buildColumnLabel(column, index, columns));
  const hasOnePrompt = new Set(columns.map((column) => column?.prompt)).size <= 1;
  return (record) => {
    const { provider } = readRecordColumn(record);
    const label = hasOnePrompt ? provider : labels[Number(getField(record, "promptIdx"))];
    return label === undefined ? resolveSystemByRecord(record) : toPromptfooSystem(provider, label);
  };
}

/** If two prompts begin alike, the column number is added. */
function buildColumnLabel(
  column: PromptColumn | null,
  index: number,
  columns: readonly (PromptColumn | null)[],
): string | undefined {
  if (column === null) return undefined;
  const others = columns.filter((other) => other?.provider === column.provider);
  if (others.length <= 1) return column.provider;
  const isAlone = others.filter((other) => other?.prompt === column.prompt).length === 1;
  return `${column.provider} [${isAlone ? column.prompt : `${column.prompt} #${index + 1}`}]`;
}

function parseColumnHead(head: JsonObject): PromptColumn {
  return { provider: readTextField(head, "provider") ?? "", prompt: readColumnPrompt(head) };
}

function readColumnPrompt(prompt: JsonObject): string {
  return shortenName(readTextField(prompt, "label", "display", "raw"), MAX_PROMPT_CHARS);
}

function readRecordColumn(record: JsonObject): PromptColumn {
  const provider = getField(record, "provider");
  const name = isJsonObject(provider) ? readTextField(provider, "label", "id") : provider;
  return { provider: requireName(name, "provider"), prompt: readColumnPrompt(readObjectField(record, "prompt")) };
}

/** A provider is named `openai:chat:NAME`: the part after the first colon only resembles a model name. */
function toPromptfooSystem(model: string, name: string): ImportedSystem {
  return { name, model };
}
