import type { ErrorCategory, EvalRow, Output, Usage } from "../../core/index.js";
import {
  BadRecordError,
  getField,
  type JsonObject,
  pickScalars,
  readCountField,
  readFlagField,
  readMeasureField,
  readObjectField,
  readPositiveField,
  readTextField,
  readTimeField,
  requireName,
  toUsage,
} from "./fields.js";
import type { ImportedRowFields, ImportedSystem, ImportedTrial, ImportFormat } from "./format.js";
import { toGradedOutcome, toUngradedOutcome, VERDICT_FIELD } from "./verdict.js";

/** Results of AILANG benchmarks: one JSON file per trial, a list of them, or JSON lines. */
export const ailang: ImportFormat = {
  name: "ailang",
  toldBy: 'records with "id", "lang", "model" and "stdout_ok" or "compile_ok"',
  isRecord: (record) =>
    ["id", "lang", "model"].every((name) => typeof getField(record, name) === "string") &&
    ["stdout_ok", "compile_ok", "runtime_ok"].some((name) => readFlagField(record, name) !== undefined),
  read: readAilangRecord,
};

const AGENT_MODE = "agent";

function readAilangRecord(record: JsonObject): ImportedTrial {
  const id = requireName(getField(record, "id"), "id");
  const dataset = requireName(getField(record, "lang"), "lang");
  const system = toAilangSystem(record);
  const trial = readCountField(record, "trial");
  const expected = readTextField(record, "expected_stdout");
  return {
    system,
    example: { id, dataset, ...(expected === undefined ? {} : { answer: expected }) },
    trial,
    identity: JSON.stringify([system.name, dataset, id, getField(record, "seed") ?? 0, trial ?? 1]),
    madeAt: readTimeField(record, "timestamp"),
    row: toAilangRow(record),
    output: toAilangOutput(record),
    evidence: readAilangEvidence(record),
    grades: null,
  };
}

/** Models, harnesses, modes and conditions are never pooled: each combination is a system. */
function toAilangSystem(record: JsonObject): ImportedSystem {
  const model = requireName(getField(record, "model"), "model");
  const harness = readTextField(record, "harness", "executor");
  const kinds = [harness, readAilangMode(record), readTextField(record, "condition")].filter(
    (kind) => kind !== undefined,
  );
  const name = requireName(`${model} [${kinds.join(", ")}]`, "name of model, harness and mode");
  return { name, model, ...(harness === undefined ? {} : { harness }) };
}

/** Records of the first versions have no mode; they all used this one. */
function readAilangMode(record: JsonObject): string {
  return readTextField(record, "eval_mode") ?? "standard";
}

function toAilangRow(record: JsonObject): ImportedRowFields {
  const durationMs = readPositiveField(record, "duration_ms");
  return {
    ...classifyAilangOutcome(record),
    inputTokens: readPositiveField(record, "input_tokens"),
    outputTokens: readPositiveField(record, "output_tokens"),
    usage: readAilangUsage(record),
    ...readAilangCost(record),
    durationMs,
    // In the other mode the duration is that of the program, not of the model that wrote it.
    latency: durationMs !== null && readAilangMode(record) === AGENT_MODE ? durationMs / 1000 : null,
    firstAttemptMs: readPositiveField(record, "first_attempt_ms"),
    successAtMs: readPositiveField(record, "success_at_ms"),
    tokensPerSec: readPositiveField(record, "tokens_per_sec"),
    turns: readPositiveField(record, "agent_turns"),
    costKilledAt: readMeasureField(record, "cost_killed_at") ?? 0,
    attempts: listAilangAttempts(record, durationMs),
    notes: listAilangNotes(record),
    metadata: pickScalars(record, METADATA_FIELDS),
  };
}

/** AILANG writes a cost of 0 if it has no price for a model, unless the record says that it was free. */
function readAilangCost(record: JsonObject): Pick<EvalRow, "costUsd" | "costSource"> {
  const provenance = readTextField(record, "cost_provenance");
  const cost =
    provenance === "free-local" ? readMeasureField(record, "cost_usd") : readPositiveField(record, "cost_usd");
  if (cost === null || provenance === "unknown") return { costUsd: null, costSource: "unknown" };
  return { costUsd: cost, costSource: provenance === "list-price-equivalent" ? "priced" : "provider" };
}

/** Its output excludes reasoning; its input includes cached tokens. */
function readAilangUsage(record: JsonObject): Usage | null {
  const reasoning = readCountField(record, "reason_tokens");
  return toUsage({
    input: readCountField(record, "input_tokens"),
    output: (readCountField(record, "output_tokens") ?? 0) + (reasoning ?? 0),
    cacheRead: readCountField(record, "cache_read_input_tokens"),
    cacheWrite: readCountField(record, "cache_creation_input_tokens"),
    reasoning,
    inputHoldsCache: true,
  });
}

/** The failed attempt of a trial that the endpoint or the harness ended. */
function listAilangAttempts(record: JsonObject, durationMs: number | null): EvalRow["attempts"] {
  const { outcome, errorCategory = "none" } = classifyAilangOutcome(record);
  const message = readAilangError(record);
  if (outcome !== "error" || message === "") return [];
  return [{ errorCategory, message, durationMs: durationMs ?? 0 }];
}

/** The error message of the record; empty if there is none. */
function readAilangError(record: JsonObject): string {
  const said = readTextField(record, "stderr")?.trim().slice(0, MAX_EVIDENCE_CHARS);
  return [readTextField(record, "err_code"), said].filter((text) => text !== undefined).join(": ");
}

const TEXT_FIELDS = { stdout: "stdout", stderr: "stderr", agent_transcript: "transcript" } as const;

function toAilangOutput(record: JsonObject): Output {
  const texts = Object.entries(TEXT_FIELDS).flatMap(([field, name]) => {
    const text = readTextField(record, field);
    return text === undefined ? [] : [[name, text] as const];
  });
  const response = readTextField(record, "code");
  return { ...(response === undefined ? {} : { response }), ...Object.fromEntries(texts) };
}

const MAX_EVIDENCE_CHARS = 4000;

function readAilangEvidence(record: JsonObject): Record<string, string> | null {
  const said = readAilangError(record);
  return said === "" ? null : { [VERDICT_FIELD]: said };
}

function listAilangNotes(record: JsonObject): string[] {
  const category = readTextField(record, "error_category") ?? "none";
  const validity = readObjectField(record, "validity");
  return [
    ...(category === "none" ? [] : [`AILANG calls its error ${category.slice(0, 100)}`]),
    ...(readFlagField(record, "repair_used") === true ? ["a second attempt was made after the first one failed"] : []),
    ...(readFlagField(validity, "valid") === false
      ? [`marked as no measurement: ${(readTextField(validity, "detail", "reason") ?? "").slice(0, 500)}`]
      : []),
  ];
}

/** Fields that are not part of a row but explain it. */
const METADATA_FIELDS = [
  "seed",
  "timestamp",
  "error_category",
  "err_code",
  "finish_reason",
  "first_attempt_ok",
  "repair_used",
  "repair_ok",
  "prompt_version",
  "agent_tool_calls",
  "microrag_state",
  "cost_provenance",
] as const;

/** Failures of the endpoint or the harness: they say nothing about quality. */
const INFRASTRUCTURE_CATEGORIES: Readonly<Record<string, "api_error" | "rate_limit" | "system_error">> = {
  api_error: "api_error",
  quota_exhausted: "api_error",
  rate_limit: "rate_limit",
  wire_drift: "system_error",
};

/** Graded endings with their own category. AILANG's `timeout` is a limit of the benchmark, not of the endpoint. */
const STOPPED_CATEGORIES: Readonly<Record<string, ErrorCategory>> = {
  cost_killed: "cost_killed",
  timeout: "time_killed",
  refused: "refused",
};

type AilangOutcome = Pick<ImportedRowFields, "outcome" | "errorCategory" | "scores" | "primaryField" | "passed">;

const CHECK_FIELDS = ["compile_ok", "runtime_ok", "stdout_ok"] as const;

/** A trial passed if its program compiled, ran and printed what was expected. */
function classifyAilangOutcome(record: JsonObject): AilangOutcome {
  if (isUnmeasured(record)) return toUngradedOutcome("error", "system_error");
  const checks = CHECK_FIELDS.map((name) => [name, readFlagField(record, name)] as const);
  if (checks.every(([, ok]) => ok === undefined)) throw new BadRecordError(`it has none of ${CHECK_FIELDS.join(", ")}`);
  const passed = checks.every(([, ok]) => ok !== false) && readFlagField(record, "stdout_ok") === true;
  const category = readTextField(record, "error_category") ?? "none";
  const infrastructure = Object.hasOwn(INFRASTRUCTURE_CATEGORIES, category)
    ? INFRASTRUCTURE_CATEGORIES[category]
    : undefined;
  if (!passed && infrastructure !== undefined) return toUngradedOutcome("error", infrastructure);
  const stopped = Object.hasOwn(STOPPED_CATEGORIES, category) ? STOPPED_CATEGORIES[category] : undefined;
  const others = checks.flatMap(([name, ok]) => (ok === undefined ? [] : [[name, Number(ok)] as const]));
  return toGradedOutcome({ passed, others, ...(stopped === undefined ? {} : { stopped }) });
}

/** Later versions mark records of runs in which the harness itself failed. */
function isUnmeasured(record: JsonObject): boolean {
  return readFlagField(readObjectField(record, "validity"), "valid") === false;
}
