import type { Grade } from "../../core/grader.js";
import { ERROR_CATEGORIES, type ErrorCategory, type EvalRow, OUTCOMES } from "../../core/row.js";
import type { Output, Usage } from "../../core/system.js";
import { type AgentEvent, type AgentHappening, firstAttemptAt, type Trajectory } from "../../core/trajectory.js";
import {
  asText,
  categoryOfError,
  countOf,
  fieldOf,
  flagOf,
  idFrom,
  isObject,
  type JsonObject,
  listOf,
  measureOf,
  momentOf,
  nameFrom,
  objectOf,
  positiveOf,
  shortName,
  textOf,
} from "./fields.js";
import type { ImportedSystem, ImportedTrial, ImportFormat, RowFields } from "./format.js";
import { usageFrom } from "./usage.js";
import { evidenceOfGrades, graded, scoresOfGrades, ungraded } from "./verdict.js";

const TRIAL = "trial-result";

/** Results of skill evals: `results.jsonl` of Vally and of `assay eval`. */
export const vally: ImportFormat = {
  name: "vally",
  toldBy: 'lines with "type": "trial-result", or with "stimulus" and "gradeResult", "grades" or "trajectory"',
  isRecord: (record) => record.type === TRIAL || record.type === "run-summary" || isTrial(record),
  read: (record, file) => (isTrial(record) || record.type === TRIAL ? read(record, file) : null),
};

/** Other lines are about the run as a whole. */
function isTrial(record: JsonObject): boolean {
  const hasName = stimulusOf(record) !== undefined;
  return (
    hasName && ["gradeResult", "grades", "trajectory", "outcome", "status"].some((name) => Object.hasOwn(record, name))
  );
}

function stimulusOf(record: JsonObject): unknown {
  const stimulus = fieldOf(record, "stimulus");
  const named = isObject(stimulus) ? fieldOf(stimulus, "name") : stimulus;
  const asked = objectOf(objectOf(record, "trajectory"), "stimulus");
  const elsewhere = fieldOf(objectOf(record, "gradeResult"), "stimulusName") ?? fieldOf(asked, "name");
  const isGraded = ["gradeResult", "grades"].some((name) => Object.hasOwn(record, name));
  return named ?? fieldOf(record, "stimulusName") ?? elsewhere ?? (isGraded ? fieldOf(record, "name") : undefined);
}

function read(record: JsonObject, file: string): ImportedTrial {
  const id = idFrom(stimulusOf(record), "stimulus");
  const dataset = datasetOf(record);
  const system = systemOf(record);
  const trial = countOf(record, "trialIndex", "trial", "runIndex", "run");
  const grading = vallyGrading(record);
  const trajectory = vallyTrajectory(record);
  return {
    system,
    example: { id, dataset, ...questionOf(record) },
    trial,
    identity: identityOf(record, trial === null ? null : [file, system.name, dataset, id, trial]),
    madeAt: madeAt(record, trajectory),
    row: rowOf(record, grading, trajectory),
    output: outputOf(record, trajectory),
    evidence: evidenceOfGrades(grading.grades, grading.evidence),
    grades: grading.grades.length === 0 ? null : grading.grades,
  };
}

/** The trajectory has its own id; without it, the place of the trial in its file identifies it. */
function identityOf(record: JsonObject, place: readonly unknown[] | null): string | null {
  const id = textOf(objectOf(record, "trajectory"), "id");
  if (id !== undefined) return JSON.stringify([id, textOf(record, "variant") ?? ""]);
  return place === null ? null : JSON.stringify(place);
}

function datasetOf(record: JsonObject): string {
  const experiment = objectOf(record, "experiment");
  const name = textOf(record, "evalName", "eval") ?? textOf(experiment, "evalFile") ?? textOf(record, "evalFilePath");
  return (name ?? "").replaceAll("\\", "/").replace(/^\.\//, "");
}

/** Models, executors and variants are never pooled; our own files name the system. */
function systemOf(record: JsonObject): ImportedSystem {
  const own = textOf(record, "system");
  const metadata = objectOf(objectOf(record, "trajectory"), "metadata");
  const model = textOf(metadata, "model") ?? textOf(record, "model");
  const harness = textOf(metadata, "executor") ?? textOf(record, "executor");
  const known = { ...(model === undefined ? {} : { model }), ...(harness === undefined ? {} : { harness }) };
  if (own !== undefined) return { name: nameFrom(own, "system"), ...known };
  const variant = textOf(record, "variant");
  const kinds = [harness, variant].filter((kind) => kind !== undefined);
  const name = `${model ?? "unknown model"}${kinds.length === 0 ? "" : ` [${kinds.join(", ")}]`}`;
  return { name: nameFrom(name, "name of model, executor and variant"), ...known, variant: variant ?? "" };
}

function questionOf(record: JsonObject): { question?: string } {
  const stimulus = objectOf(objectOf(record, "trajectory"), "stimulus");
  const question =
    textOf(stimulus, "prompt") ?? textOf(objectOf(record, "stimulus"), "prompt") ?? textOf(record, "prompt");
  return question === undefined ? {} : { question };
}

function madeAt(record: JsonObject, trajectory: Trajectory | null): number | null {
  const metadata = objectOf(objectOf(record, "trajectory"), "metadata");
  const places = [record, metadata, objectOf(record, "gradeResult")];
  const moments = places.map((place) => momentOf(place, "timestamp", "startTime", "startedAt"));
  return moments.find((moment) => moment !== null) ?? trajectory?.startedAt ?? null;
}

function rowOf(record: JsonObject, grading: VallyGrading, trajectory: Trajectory | null): RowFields {
  const metrics = objectOf(objectOf(record, "trajectory"), "metrics");
  const agentMs = positiveOf(metrics, "wallTimeMs");
  const durationMs = agentMs ?? positiveOf(record, "durationMs");
  const usage = usageOf(record, metrics);
  const costUsd = measureOf(record, "costUsd") ?? measureOf(metrics, "costUsd", "totalCostUsd");
  return {
    ...vallyOutcome(record, grading),
    inputTokens: usage === null ? null : usage.input + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0),
    outputTokens: usage?.output ?? null,
    usage,
    costUsd,
    costSource: costUsd === null ? "unknown" : "provider",
    durationMs,
    latency: durationMs === null ? null : durationMs / 1000,
    turns: positiveOf(metrics, "turnCount") ?? positiveOf(record, "turns"),
    firstAttemptMs: firstAttemptMs(record, trajectory),
    successAtMs: positiveOf(record, "successAtMs"),
    tokensPerSec: positiveOf(record, "tokensPerSec"),
    costKilledAt: measureOf(record, "costKilledAt") ?? 0,
    attempts: attemptsOf(record, durationMs),
    notes: listOf(record, "notes").filter((note) => typeof note === "string"),
  };
}

/** The first event of a trajectory is its start; everything before is set-up. */
function firstAttemptMs(record: JsonObject, trajectory: Trajectory | null): number | null {
  const told = positiveOf(record, "firstAttemptMs");
  const at = trajectory === null ? null : firstAttemptAt(trajectory.events);
  const since = at === null ? 0 : at - (trajectory?.startedAt ?? at);
  return told ?? (since > 0 ? since : null);
}

function attemptsOf(record: JsonObject, durationMs: number | null): EvalRow["attempts"] {
  const message = errorText(record);
  if (message === "") return [];
  return [{ errorCategory: ownCategory(record) ?? categoryOfError(message), message, durationMs: durationMs ?? 0 }];
}

/** Vally reports `metrics.tokenUsage`; our own files have `usage` like rows. */
function usageOf(record: JsonObject, metrics: JsonObject): Usage | null {
  const told = objectOf(metrics, "tokenUsage");
  const own = objectOf(record, "usage");
  const from = Object.keys(told).length > 0 ? told : own;
  return usageFrom({
    input: countOf(from, "inputTokens", "input"),
    output: countOf(from, "outputTokens", "output"),
    cacheRead: countOf(from, "cacheReadTokens", "cacheRead"),
    cacheWrite: countOf(from, "cacheWriteTokens", "cacheWrite"),
    reasoning: countOf(from, "reasoningTokens", "reasoning"),
    inputHoldsCache: from === told,
  });
}

function outputOf(record: JsonObject, trajectory: Trajectory | null): Output | null {
  const told = objectOf(record, "trajectory");
  const response = textOf(told, "output") ?? textOf(record, "response", "output");
  if (response === undefined && trajectory === null) return null;
  return { ...(response === undefined ? {} : { response }), ...(trajectory === null ? {} : { trajectory }) };
}

type Outcome = Pick<RowFields, "outcome" | "errorCategory" | "scores" | "primaryField" | "passed">;

/** The outcome of a trial, in Vally's terms or our own. */
function vallyOutcome(record: JsonObject, grading: VallyGrading): Outcome {
  const { passed, score, grades } = grading;
  const end = endOf(record);
  if (end !== null) return end;
  if (passed === null) return ungraded("unscored", grades.some(isError) ? "grader_error" : "none");
  const stopped = stoppedBy(record);
  const others = scoresOfGrades(grades.filter((grade) => !isError(grade)));
  return graded({ passed, score, others, ...(stopped === undefined ? {} : { stopped }) });
}

function isError({ status }: VallyGrading["grades"][number]): boolean {
  return status === "error";
}

/** The outcome of a trial that was not graded; null if it was. */
function endOf(record: JsonObject): Outcome | null {
  const said = textOf(record, "outcome");
  const outcome = OUTCOMES.find((name) => name === said);
  const category = ownCategory(record);
  if (outcome === "error" || outcome === "unscored" || outcome === "skipped")
    return ungraded(outcome, category ?? (outcome === "skipped" ? "skipped" : "none"));
  const status = textOf(record, "status");
  if (status === "skipped") return ungraded("skipped", "skipped");
  if (status !== "error" && status !== "failed") return null;
  return ungraded("error", categoryOfError(errorText(record)));
}

/** The error category in our own files. */
function ownCategory(record: JsonObject): ErrorCategory | undefined {
  const said = textOf(record, "errorCategory");
  return ERROR_CATEGORIES.find((name) => name === said);
}

const STOPS = ["cost_killed", "time_killed", "refused", "truncated"] as const;

/** A trial stopped by its own limit is graded on what it produced. */
function stoppedBy(record: JsonObject): ErrorCategory | undefined {
  const category = ownCategory(record);
  const known = STOPS.find((name) => name === category);
  const endReason = textOf(objectOf(record, "trajectory"), "endReason") ?? "";
  return known ?? (/timeout|time_limit/.test(endReason) ? "time_killed" : undefined);
}

/** The error message of a failed trial; empty if there is none. */
function errorText(record: JsonObject): string {
  const error = fieldOf(record, "error", "errorMessage");
  return isObject(error) ? (textOf(error, "message") ?? asText(error)) : asText(error);
}

/** The combined result of a record's graders; null where unknown. */
interface VallyGrading {
  readonly passed: boolean | null;
  readonly score: number | null;
  readonly evidence: string | undefined;
  readonly grades: readonly Grade[];
}

/** Reads `gradeResult` with its details, or a list of grades as written by `assay eval`. */
function vallyGrading(record: JsonObject): VallyGrading {
  const whole = objectOf(record, "gradeResult");
  const parts = [listOf(whole, "details"), listOf(record, "grades", "graders", "gradeResults")];
  const listed = parts.find((list) => list.length > 0) ?? [];
  // Without a name it is not a separate grader: its score and verdict are those of the trial.
  const isGrade = textOf(whole, "name") !== undefined;
  const grades = (listed.length > 0 ? listed : isGrade ? [whole] : []).filter(isObject).map(gradeOf);
  return {
    passed: flagOf(record, "passed") ?? flagOf(whole, "passed") ?? all(grades),
    score: measureOf(whole, "score") ?? measureOf(record, "score"),
    evidence: textOf(whole, "evidence"),
    grades,
  };
}

/** With grades only, a trial passes if all of them do. */
function all(grades: readonly Grade[]): boolean | null {
  return grades.length === 0 ? null : grades.every(({ passed }) => passed);
}

function gradeOf(grade: JsonObject): Grade {
  const passed = flagOf(grade, "passed") ?? false;
  const type = shortName(fieldOf(grade, "type", "graderType", "name")) || "grader";
  const details = listOf(grade, "details").filter(isObject).map(gradeOf);
  return {
    name: shortName(fieldOf(grade, "name")) || type,
    type,
    kind: isJudge(grade) ? "llm" : "code",
    passed,
    score: Math.min(1, measureOf(grade, "score") ?? Number(passed)),
    evidence: textOf(grade, "evidence", "reason", "message") ?? "",
    status: textOf(grade, "status") === "error" ? "error" : "ok",
    ...(details.length === 0 ? {} : { details }),
  };
}

function isJudge(grade: JsonObject): boolean {
  return textOf(grade, "kind") === "llm" || textOf(grade, "judgeModel") !== undefined;
}

/** Converts the events of a trial; null if the record has none with a valid time. */
function vallyTrajectory(record: JsonObject): Trajectory | null {
  const events = eventsIn(record).filter(isObject).map(eventOf);
  const known = events.filter((event) => event !== null);
  const first = known[0];
  return first === undefined ? null : { events: known, startedAt: first.timestamp };
}

function eventsIn(record: JsonObject): readonly unknown[] {
  const events = fieldOf(objectOf(record, "trajectory"), "events");
  return Array.isArray(events) ? events : [];
}

/** Our own files already have our event format, with numeric times. */
function eventOf(event: JsonObject): AgentEvent | null {
  const timestamp = momentOf(event, "timestamp");
  if (timestamp === null) return null;
  if (!isObject(event.data) && typeof event.type === "string" && typeof event.timestamp === "number")
    return { ...event, timestamp } as AgentEvent;
  return { ...happeningOf(textOf(event, "type") ?? "", objectOf(event, "data")), timestamp };
}

type Reader = (data: JsonObject) => AgentHappening;

const READERS: Readonly<Record<string, Reader>> = {
  tool_call: (data) => ({
    type: "tool_call",
    name: textOf(data, "toolName", "name") ?? "",
    callId: textOf(data, "toolCallId", "callId") ?? "",
    arguments: fieldOf(data, "arguments") ?? {},
  }),
  tool_result: (data) => ({
    type: "tool_result",
    callId: textOf(data, "toolCallId", "callId") ?? "",
    success: flagOf(data, "success") ?? true,
    result: asText(fieldOf(data, "result", "error")),
  }),
  token_usage: (data) => ({
    type: "token_usage",
    model: textOf(data, "model") ?? null,
    usage: usageFrom({
      input: countOf(data, "inputTokens"),
      output: countOf(data, "outputTokens"),
      cacheRead: countOf(data, "cacheReadTokens"),
      cacheWrite: countOf(data, "cacheWriteTokens"),
      inputHoldsCache: true,
    }) ?? { input: 0, output: 0 },
    costUsd: null,
    durationMs: countOf(data, "durationMs") ?? 0,
  }),
  turn_start: () => ({ type: "turn_start" }),
  turn_end: () => ({ type: "turn_end" }),
  user_message: (data) => ({ type: "user_message", text: wordsOf(data) }),
  assistant_message: (data) => ({ type: "assistant_message", text: wordsOf(data) }),
  reasoning: (data) => ({ type: "reasoning", text: wordsOf(data) }),
  skill_activation: (data) => ({ type: "skill_activation", name: textOf(data, "skillName", "name", "skill") ?? "" }),
  error: (data) => ({ type: "error", message: textOf(data, "message", "error") ?? asText(data) }),
};

function happeningOf(type: string, data: JsonObject): AgentHappening {
  const reader = Object.hasOwn(READERS, type) ? READERS[type] : undefined;
  return reader === undefined ? { type: "custom", name: type, data } : reader(data);
}

function wordsOf(data: JsonObject): string {
  return asText(fieldOf(data, "content", "text", "message"));
}
