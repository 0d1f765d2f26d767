import type { Grade, Output, Usage } from "../../core/index.js";
import {
  type AgentEvent,
  type AgentEventBody,
  ERROR_CATEGORIES,
  type ErrorCategory,
  type EvalRow,
  findFirstAttemptTime,
  OUTCOMES,
  type Trajectory,
} from "../../core/index.js";
import {
  classifyErrorMessage,
  getField,
  isJsonObject,
  type JsonObject,
  readCountField,
  readFlagField,
  readListField,
  readMeasureField,
  readObjectField,
  readPositiveField,
  readTextField,
  readTimeField,
  requireId,
  requireName,
  shortenName,
  toImportText,
  toUsage,
} from "./fields.js";
import type { ImportedRowFields, ImportedSystem, ImportedTrial, ImportFormat } from "./format.js";
import { collectGradeEvidence, listGradeScores, toGradedOutcome, toUngradedOutcome } from "./verdict.js";

const TRIAL_TYPE = "trial-result";

/** Results of skill evals: `results.jsonl` of Vally and of `assay eval`. */
export const vally: ImportFormat = {
  name: "vally",
  toldBy: 'lines with "type": "trial-result", or with "stimulus" and "gradeResult", "grades" or "trajectory"',
  isRecord: (record) => record.type === TRIAL_TYPE || record.type === "run-summary" || isVallyTrial(record),
  read: (record, file) => (isVallyTrial(record) || record.type === TRIAL_TYPE ? readVallyRecord(record, file) : null),
};

/** Other lines are about the run as a whole. */
function isVallyTrial(record: JsonObject): boolean {
  const hasName = getStimulus(record) !== undefined;
  return (
    hasName && ["gradeResult", "grades", "trajectory", "outcome", "status"].some((name) => Object.hasOwn(record, name))
  );
}

function getStimulus(record: JsonObject): unknown {
  const stimulus = getField(record, "stimulus");
  const named = isJsonObject(stimulus) ? getField(stimulus, "name") : stimulus;
  const asked = readObjectField(readObjectField(record, "trajectory"), "stimulus");
  const elsewhere = getField(readObjectField(record, "gradeResult"), "stimulusName") ?? getField(asked, "name");
  const isGraded = ["gradeResult", "grades"].some((name) => Object.hasOwn(record, name));
  return named ?? getField(record, "stimulusName") ?? elsewhere ?? (isGraded ? getField(record, "name") : undefined);
}

function readVallyRecord(record: JsonObject, file: string): ImportedTrial {
  const id = requireId(getStimulus(record), "stimulus");
  const dataset = readVallyDataset(record);
  const system = toVallySystem(record);
  const trial = readCountField(record, "trialIndex", "trial", "runIndex", "run");
  const grading = parseVallyGrading(record);
  const trajectory = parseVallyTrajectory(record);
  return {
    system,
    example: { id, dataset, ...readVallyQuestion(record) },
    trial,
    identity: buildVallyIdentity(record, trial === null ? null : [file, system.name, dataset, id, trial]),
    madeAt: readVallyTime(record, trajectory),
    row: toVallyRow(record, grading, trajectory),
    output: toVallyOutput(record, trajectory),
    evidence: collectGradeEvidence(grading.grades, grading.evidence),
    grades: grading.grades.length === 0 ? null : grading.grades,
  };
}

/** The trajectory has its own id; without it, the place of the trial in its file identifies it. */
function buildVallyIdentity(record: JsonObject, place: readonly unknown[] | null): string | null {
  const id = readTextField(readObjectField(record, "trajectory"), "id");
  if (id !== undefined) return JSON.stringify([id, readTextField(record, "variant") ?? ""]);
  return place === null ? null : JSON.stringify(place);
}

function readVallyDataset(record: JsonObject): string {
  const experiment = readObjectField(record, "experiment");
  const name =
    readTextField(record, "evalName", "eval") ??
    readTextField(experiment, "evalFile") ??
    readTextField(record, "evalFilePath");
  return (name ?? "").replaceAll("\\", "/").replace(/^\.\//, "");
}

/** Models, executors and variants are never pooled; our own files name the system. */
function toVallySystem(record: JsonObject): ImportedSystem {
  const own = readTextField(record, "system");
  const metadata = readObjectField(readObjectField(record, "trajectory"), "metadata");
  const model = readTextField(metadata, "model") ?? readTextField(record, "model");
  const harness = readTextField(metadata, "executor") ?? readTextField(record, "executor");
  const known = { ...(model === undefined ? {} : { model }), ...(harness === undefined ? {} : { harness }) };
  if (own !== undefined) return { name: requireName(own, "system"), ...known };
  const variant = readTextField(record, "variant");
  const kinds = [harness, variant].filter((kind) => kind !== undefined);
  const name = `${model ?? "unknown model"}${kinds.length === 0 ? "" : ` [${kinds.join(", ")}]`}`;
  return { name: requireName(name, "name of model, executor and variant"), ...known, variant: variant ?? "" };
}

function readVallyQuestion(record: JsonObject): { question?: string } {
  const stimulus = readObjectField(readObjectField(record, "trajectory"), "stimulus");
  const question =
    readTextField(stimulus, "prompt") ??
    readTextField(readObjectField(record, "stimulus"), "prompt") ??
    readTextField(record, "prompt");
  return question === undefined ? {} : { question };
}

function readVallyTime(record: JsonObject, trajectory: Trajectory | null): number | null {
  const metadata = readObjectField(readObjectField(record, "trajectory"), "metadata");
  const places = [record, metadata, readObjectField(record, "gradeResult")];
  const moments = places.map((place) => readTimeField(place, "timestamp", "startTime", "startedAt"));
  return moments.find((moment) => moment !== null) ?? trajectory?.startedAt ?? null;
}

function toVallyRow(record: JsonObject, grading: VallyGrading, trajectory: Trajectory | null): ImportedRowFields {
  const metrics = readObjectField(readObjectField(record, "trajectory"), "metrics");
  const agentMs = readPositiveField(metrics, "wallTimeMs");
  const durationMs = agentMs ?? readPositiveField(record, "durationMs");
  const usage = readVallyUsage(record, metrics);
  const costUsd = readMeasureField(record, "costUsd") ?? readMeasureField(metrics, "costUsd", "totalCostUsd");
  return {
    ...classifyVallyOutcome(record, grading),
    inputTokens: usage === null ? null : usage.input + (usage.cacheRead ?? 0) + (usage.cacheWrite ?? 0),
    outputTokens: usage?.output ?? null,
    usage,
    costUsd,
    costSource: costUsd === null ? "unknown" : "provider",
    durationMs,
    latency: durationMs === null ? null : durationMs / 1000,
    turns: readPositiveField(metrics, "turnCount") ?? readPositiveField(record, "turns"),
    firstAttemptMs: measureFirstAttemptMs(record, trajectory),
    successAtMs: readPositiveField(record, "successAtMs"),
    tokensPerSec: readPositiveField(record, "tokensPerSec"),
    costKilledAt: readMeasureField(record, "costKilledAt") ?? 0,
    attempts: listVallyAttempts(record, durationMs),
    notes: readListField(record, "notes").filter((note) => typeof note === "string"),
  };
}

/** The first event of a trajectory is its start; everything before is set-up. */
function measureFirstAttemptMs(record: JsonObject, trajectory: Trajectory | null): number | null {
  const told = readPositiveField(record, "firstAttemptMs");
  const at = trajectory === null ? null : findFirstAttemptTime(trajectory.events);
  const since = at === null ? 0 : at - (trajectory?.startedAt ?? at);
  return told ?? (since > 0 ? since : null);
}

function listVallyAttempts(record: JsonObject, durationMs: number | null): EvalRow["attempts"] {
  const message = readVallyError(record);
  if (message === "") return [];
  return [
    { errorCategory: readVallyCategory(record) ?? classifyErrorMessage(message), message, durationMs: durationMs ?? 0 },
  ];
}

/** Vally reports `metrics.tokenUsage`; our own files have `usage` like rows. */
function readVallyUsage(record: JsonObject, metrics: JsonObject): Usage | null {
  const told = readObjectField(metrics, "tokenUsage");
  const own = readObjectField(record, "usage");
  const from = Object.keys(told).length > 0 ? told : own;
  return toUsage({
    input: readCountField(from, "inputTokens", "input"),
    output: readCountField(from, "outputTokens", "output"),
    cacheRead: readCountField(from, "cacheReadTokens", "cacheRead"),
    cacheWrite: readCountField(from, "cacheWriteTokens", "cacheWrite"),
    reasoning: readCountField(from, "reasoningTokens", "reasoning"),
    inputHoldsCache: from === told,
  });
}

function toVallyOutput(record: JsonObject, trajectory: Trajectory | null): Output | null {
  const told = readObjectField(record, "trajectory");
  const response = readTextField(told, "output") ?? readTextField(record, "response", "output");
  if (response === undefined && trajectory === null) return null;
  return { ...(response === undefined ? {} : { response }), ...(trajectory === null ? {} : { trajectory }) };
}

type VallyOutcome = Pick<ImportedRowFields, "outcome" | "errorCategory" | "scores" | "primaryField" | "passed">;

/** The outcome of a trial, in Vally's terms or our own. */
function classifyVallyOutcome(record: JsonObject, grading: VallyGrading): VallyOutcome {
  const { passed, score, grades } = grading;
  const end = classifyVallyEnd(record);
  if (end !== null) return end;
  if (passed === null) return toUngradedOutcome("unscored", grades.some(isVallyGradeError) ? "grader_error" : "none");
  const stopped = readVallyStop(record);
  const others = listGradeScores(grades.filter((grade) => !isVallyGradeError(grade)));
  return toGradedOutcome({ passed, score, others, ...(stopped === undefined ? {} : { stopped }) });
}

function isVallyGradeError({ status }: VallyGrading["grades"][number]): boolean {
  return status === "error";
}

/** The outcome of a trial that was not graded; null if it was. */
function classifyVallyEnd(record: JsonObject): VallyOutcome | null {
  const said = readTextField(record, "outcome");
  const outcome = OUTCOMES.find((name) => name === said);
  const category = readVallyCategory(record);
  if (outcome === "error" || outcome === "unscored" || outcome === "skipped")
    return toUngradedOutcome(outcome, category ?? (outcome === "skipped" ? "skipped" : "none"));
  const status = readTextField(record, "status");
  if (status === "skipped") return toUngradedOutcome("skipped", "skipped");
  if (status !== "error" && status !== "failed") return null;
  return toUngradedOutcome("error", classifyErrorMessage(readVallyError(record)));
}

/** The error category in our own files. */
function readVallyCategory(record: JsonObject): ErrorCategory | undefined {
  const said = readTextField(record, "errorCategory");
  return ERROR_CATEGORIES.find((name) => name === said);
}

const STOP_CATEGORIES = ["cost_killed", "time_killed", "refused", "truncated"] as const;

/** A trial stopped by its own limit is graded on what it produced. */
function readVallyStop(record: JsonObject): ErrorCategory | undefined {
  const category = readVallyCategory(record);
  const known = STOP_CATEGORIES.find((name) => name === category);
  const endReason = readTextField(readObjectField(record, "trajectory"), "endReason") ?? "";
  return known ?? (/timeout|time_limit/.test(endReason) ? "time_killed" : undefined);
}

/** The error message of a failed trial; empty if there is none. */
function readVallyError(record: JsonObject): string {
  const error = getField(record, "error", "errorMessage");
  return isJsonObject(error) ? (readTextField(error, "message") ?? toImportText(error)) : toImportText(error);
}

/** The combined result of a record's graders; null where unknown. */
interface VallyGrading {
  readonly passed: boolean | null;
  readonly score: number | null;
  readonly evidence: string | undefined;
  readonly grades: readonly Grade[];
}

/** Reads `gradeResult` with its details, or a list of grades as written by `assay eval`. */
function parseVallyGrading(record: JsonObject): VallyGrading {
  const whole = readObjectField(record, "gradeResult");
  const parts = [readListField(whole, "details"), readListField(record, "grades", "graders", "gradeResults")];
  const listed = parts.find((list) => list.length > 0) ?? [];
  // Without a name it is not a separate grader: its score and verdict are those of the trial.
  const isGrade = readTextField(whole, "name") !== undefined;
  const grades = (listed.length > 0 ? listed : isGrade ? [whole] : []).filter(isJsonObject).map(toVallyGrade);
  return {
    passed: readFlagField(record, "passed") ?? readFlagField(whole, "passed") ?? combineGrades(grades),
    score: readMeasureField(whole, "score") ?? readMeasureField(record, "score"),
    evidence: readTextField(whole, "evidence"),
    grades,
  };
}

/** With grades only, a trial passes if all of them do. */
function combineGrades(grades: readonly Grade[]): boolean | null {
  return grades.length === 0 ? null : grades.every(({ passed }) => passed);
}

function toVallyGrade(grade: JsonObject): Grade {
  const passed = readFlagField(grade, "passed") ?? false;
  const type = shortenName(getField(grade, "type", "graderType", "name")) || "grader";
  const details = readListField(grade, "details").filter(isJsonObject).map(toVallyGrade);
  return {
    name: shortenName(getField(grade, "name")) || type,
    type,
    kind: isVallyJudge(grade) ? "llm" : "code",
    passed,
    score: Math.min(1, readMeasureField(grade, "score") ?? Number(passed)),
    evidence: readTextField(grade, "evidence", "reason", "message") ?? "",
    status: readTextField(grade, "status") === "error" ? "error" : "ok",
    ...(details.length === 0 ? {} : { details }),
  };
}

function isVallyJudge(grade: JsonObject): boolean {
  return readTextField(grade, "kind") === "llm" || readTextField(grade, "judgeModel") !== undefined;
}

/** Converts the events of a trial; null if the record has none with a valid time. */
function parseVallyTrajectory(record: JsonObject): Trajectory | null {
  const events = listVallyEvents(record).filter(isJsonObject).map(toVallyEvent);
  const known = events.filter((event) => event !== null);
  const first = known[0];
  return first === undefined ? null : { events: known, startedAt: first.timestamp };
}

function listVallyEvents(record: JsonObject): readonly unknown[] {
  const events = getField(readObjectField(record, "trajectory"), "events");
  return Array.isArray(events) ? events : [];
}

/** Our own files already have our event format, with numeric times. */
function toVallyEvent(event: JsonObject): AgentEvent | null {
  const timestamp = readTimeField(event, "timestamp");
  if (timestamp === null) return null;
  if (!isJsonObject(event.data) && typeof event.type === "string" && typeof event.timestamp === "number")
    return { ...event, timestamp } as AgentEvent;
  return { ...readVallyEvent(readTextField(event, "type") ?? "", readObjectField(event, "data")), timestamp };
}

type VallyEventReader = (data: JsonObject) => AgentEventBody;

const EVENT_READERS: Readonly<Record<string, VallyEventReader>> = {
  tool_call: (data) => ({
    type: "tool_call",
    name: readTextField(data, "toolName", "name") ?? "",
    callId: readTextField(data, "toolCallId", "callId") ?? "",
    arguments: getField(data, "arguments") ?? {},
  }),
  tool_result: (data) => ({
    type: "tool_result",
    callId: readTextField(data, "toolCallId", "callId") ?? "",
    success: readFlagField(data, "success") ?? true,
    result: toImportText(getField(data, "result", "error")),
  }),
  token_usage: (data) => ({
    type: "token_usage",
    model: readTextField(data, "model") ?? null,
    usage: toUsage({
      input: readCountField(data, "inputTokens"),
      output: readCountField(data, "outputTokens"),
      cacheRead: readCountField(data, "cacheReadTokens"),
      cacheWrite: readCountField(data, "cacheWriteTokens"),
      inputHoldsCache: true,
    }) ?? { input: 0, output: 0 },
    costUsd: null,
    durationMs: readCountField(data, "durationMs"),
  }),
  turn_start: () => ({ type: "turn_start" }),
  turn_end: () => ({ type: "turn_end" }),
  user_message: (data) => ({ type: "user_message", text: readVallyText(data) }),
  assistant_message: (data) => ({ type: "assistant_message", text: readVallyText(data) }),
  reasoning: (data) => ({ type: "reasoning", text: readVallyText(data) }),
  skill_activation: (data) => ({
    type: "skill_activation",
    name: readTextField(data, "skillName", "name", "skill") ?? "",
  }),
  error: (data) => ({ type: "error", message: readTextField(data, "message", "error") ?? toImportText(data) }),
};

function readVallyEvent(type: string, data: JsonObject): AgentEventBody {
  const reader = Object.hasOwn(EVENT_READERS, type) ? EVENT_READERS[type] : undefined;
  return reader === undefined ? { type: "custom", name: type, data } : reader(data);
}

function readVallyText(data: JsonObject): string {
  return toImportText(getField(data, "content", "text", "message"));
}
