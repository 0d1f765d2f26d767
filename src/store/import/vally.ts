import type { EvalRow } from "../../core/row.js";
import type { Output, Usage } from "../../core/system.js";
import type { Trajectory } from "../../core/trajectory.js";
import { firstAttemptAt } from "../../core/trajectory-figures.js";
import { categoryOfError } from "./error-words.js";
import {
  countOf,
  fieldOf,
  idFrom,
  isObject,
  type JsonObject,
  listOf,
  measureOf,
  momentOf,
  nameFrom,
  objectOf,
  positiveOf,
  textOf,
} from "./fields.js";
import type { ImportedSystem, ImportedTrial, ImportFormat, RowFields } from "./format.js";
import { usageFrom } from "./usage.js";
import { vallyTrajectory } from "./vally-events.js";
import { type VallyGrading, vallyGrading } from "./vally-grades.js";
import { errorText, ownCategory, vallyOutcome } from "./vally-outcome.js";
import { evidenceOfGrades } from "./verdict.js";

const TRIAL = "trial-result";

/** The results of skill evals: `results.jsonl` of Vally, and that of `assay eval`. */
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

/** The trajectory has an id of its own; without it, the place of the trial in its file tells. */
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

/** Model, executor and variant are never pooled; our own files name the system itself. */
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

/** The first event of a trajectory is its start: what came before is of the set-up. */
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

/** Vally counts under `metrics.tokenUsage`; our own files have `usage` as rows have it. */
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
