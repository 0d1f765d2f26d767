import type { ErrorCategory, EvalRow } from "../../core/row.js";
import type { Output, Usage } from "../../core/system.js";
import {
  BadRecord,
  countOf,
  fieldOf,
  flagOf,
  type JsonObject,
  measureOf,
  momentOf,
  nameFrom,
  objectOf,
  positiveOf,
  scalarsOf,
  textOf,
} from "./fields.js";
import type { ImportedSystem, ImportedTrial, ImportFormat, RowFields } from "./format.js";
import { usageFrom } from "./usage.js";
import { graded, ungraded, VERDICT } from "./verdict.js";

/** Results of AILANG benchmarks: one JSON file per trial, a list of them, or JSON lines. */
export const ailang: ImportFormat = {
  name: "ailang",
  toldBy: 'records with "id", "lang", "model" and "stdout_ok" or "compile_ok"',
  isRecord: (record) =>
    ["id", "lang", "model"].every((name) => typeof fieldOf(record, name) === "string") &&
    ["stdout_ok", "compile_ok", "runtime_ok"].some((name) => flagOf(record, name) !== undefined),
  read,
};

const AGENT = "agent";

function read(record: JsonObject): ImportedTrial {
  const id = nameFrom(fieldOf(record, "id"), "id");
  const dataset = nameFrom(fieldOf(record, "lang"), "lang");
  const system = systemOf(record);
  const trial = countOf(record, "trial");
  const expected = textOf(record, "expected_stdout");
  return {
    system,
    example: { id, dataset, ...(expected === undefined ? {} : { answer: expected }) },
    trial,
    identity: JSON.stringify([system.name, dataset, id, fieldOf(record, "seed") ?? 0, trial ?? 1]),
    madeAt: momentOf(record, "timestamp"),
    row: rowOf(record),
    output: outputOf(record),
    evidence: evidenceOf(record),
    grades: null,
  };
}

/** Models, harnesses, modes and conditions are never pooled: each combination is a system. */
function systemOf(record: JsonObject): ImportedSystem {
  const model = nameFrom(fieldOf(record, "model"), "model");
  const harness = textOf(record, "harness", "executor");
  const kinds = [harness, modeOf(record), textOf(record, "condition")].filter((kind) => kind !== undefined);
  const name = nameFrom(`${model} [${kinds.join(", ")}]`, "name of model, harness and mode");
  return { name, model, ...(harness === undefined ? {} : { harness }) };
}

/** Records of the first versions have no mode; they all used this one. */
function modeOf(record: JsonObject): string {
  return textOf(record, "eval_mode") ?? "standard";
}

function rowOf(record: JsonObject): RowFields {
  const durationMs = positiveOf(record, "duration_ms");
  return {
    ...ailangOutcome(record),
    inputTokens: positiveOf(record, "input_tokens"),
    outputTokens: positiveOf(record, "output_tokens"),
    usage: usageOf(record),
    ...costOf(record),
    durationMs,
    // In the other mode the duration is that of the program, not of the model that wrote it.
    latency: durationMs !== null && modeOf(record) === AGENT ? durationMs / 1000 : null,
    firstAttemptMs: positiveOf(record, "first_attempt_ms"),
    successAtMs: positiveOf(record, "success_at_ms"),
    tokensPerSec: positiveOf(record, "tokens_per_sec"),
    turns: positiveOf(record, "agent_turns"),
    costKilledAt: measureOf(record, "cost_killed_at") ?? 0,
    attempts: attemptsOf(record, durationMs),
    notes: notesOf(record),
    metadata: scalarsOf(record, KEPT),
  };
}

/** AILANG writes a cost of 0 if it has no price for a model, unless the record says that it was free. */
function costOf(record: JsonObject): Pick<EvalRow, "costUsd" | "costSource"> {
  const provenance = textOf(record, "cost_provenance");
  const cost = provenance === "free-local" ? measureOf(record, "cost_usd") : positiveOf(record, "cost_usd");
  if (cost === null || provenance === "unknown") return { costUsd: null, costSource: "unknown" };
  return { costUsd: cost, costSource: provenance === "list-price-equivalent" ? "priced" : "provider" };
}

/** Its output excludes reasoning; its input includes cached tokens. */
function usageOf(record: JsonObject): Usage | null {
  const reasoning = countOf(record, "reason_tokens");
  return usageFrom({
    input: countOf(record, "input_tokens"),
    output: (countOf(record, "output_tokens") ?? 0) + (reasoning ?? 0),
    cacheRead: countOf(record, "cache_read_input_tokens"),
    cacheWrite: countOf(record, "cache_creation_input_tokens"),
    reasoning,
    inputHoldsCache: true,
  });
}

/** The failed attempt of a trial that the endpoint or the harness ended. */
function attemptsOf(record: JsonObject, durationMs: number | null): EvalRow["attempts"] {
  const { outcome, errorCategory = "none" } = ailangOutcome(record);
  const message = saidOn(record);
  if (outcome !== "error" || message === "") return [];
  return [{ errorCategory, message, durationMs: durationMs ?? 0 }];
}

/** The error message of the record; empty if there is none. */
function saidOn(record: JsonObject): string {
  const said = textOf(record, "stderr")?.trim().slice(0, LONGEST_EVIDENCE);
  return [textOf(record, "err_code"), said].filter((text) => text !== undefined).join(": ");
}

const TEXTS = { stdout: "stdout", stderr: "stderr", agent_transcript: "transcript" } as const;

function outputOf(record: JsonObject): Output {
  const texts = Object.entries(TEXTS).flatMap(([field, name]) => {
    const text = textOf(record, field);
    return text === undefined ? [] : [[name, text] as const];
  });
  const response = textOf(record, "code");
  return { ...(response === undefined ? {} : { response }), ...Object.fromEntries(texts) };
}

const LONGEST_EVIDENCE = 4000;

function evidenceOf(record: JsonObject): Record<string, string> | null {
  const said = saidOn(record);
  return said === "" ? null : { [VERDICT]: said };
}

function notesOf(record: JsonObject): string[] {
  const category = textOf(record, "error_category") ?? "none";
  const validity = objectOf(record, "validity");
  return [
    ...(category === "none" ? [] : [`AILANG calls its error ${category.slice(0, 100)}`]),
    ...(flagOf(record, "repair_used") === true ? ["a second attempt was made after the first one failed"] : []),
    ...(flagOf(validity, "valid") === false
      ? [`marked as no measurement: ${(textOf(validity, "detail", "reason") ?? "").slice(0, 500)}`]
      : []),
  ];
}

/** Fields that are not part of a row but explain it. */
const KEPT = [
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
const INFRASTRUCTURE: Readonly<Record<string, "api_error" | "rate_limit" | "system_error">> = {
  api_error: "api_error",
  quota_exhausted: "api_error",
  rate_limit: "rate_limit",
  wire_drift: "system_error",
};

/** Graded endings with their own category. AILANG's `timeout` is a limit of the benchmark, not of the endpoint. */
const STOPPED: Readonly<Record<string, ErrorCategory>> = {
  cost_killed: "cost_killed",
  timeout: "time_killed",
  refused: "refused",
};

type Outcome = Pick<RowFields, "outcome" | "errorCategory" | "scores" | "primaryField" | "passed">;

const CHECKS = ["compile_ok", "runtime_ok", "stdout_ok"] as const;

/** A trial passed if its program compiled, ran and printed what was expected. */
function ailangOutcome(record: JsonObject): Outcome {
  if (isNoMeasurement(record)) return ungraded("error", "system_error");
  const checks = CHECKS.map((name) => [name, flagOf(record, name)] as const);
  if (checks.every(([, ok]) => ok === undefined)) throw new BadRecord(`it has none of ${CHECKS.join(", ")}`);
  const passed = checks.every(([, ok]) => ok !== false) && flagOf(record, "stdout_ok") === true;
  const category = textOf(record, "error_category") ?? "none";
  const infrastructure = Object.hasOwn(INFRASTRUCTURE, category) ? INFRASTRUCTURE[category] : undefined;
  if (!passed && infrastructure !== undefined) return ungraded("error", infrastructure);
  const stopped = Object.hasOwn(STOPPED, category) ? STOPPED[category] : undefined;
  const others = checks.flatMap(([name, ok]) => (ok === undefined ? [] : [[name, Number(ok)] as const]));
  return graded({ passed, others, ...(stopped === undefined ? {} : { stopped }) });
}

/** Later versions mark records of runs in which the harness itself failed. */
function isNoMeasurement(record: JsonObject): boolean {
  return flagOf(objectOf(record, "validity"), "valid") === false;
}
