import type { Usage } from "./system.js";

/** Every way in which a planned trial can end. */
export const OUTCOMES = ["pass", "fail", "error", "unscored", "skipped"] as const;

/** How a planned trial ended. Every planned trial has exactly one. */
export type Outcome = (typeof OUTCOMES)[number];

/** Every category that the error of a row can have. */
export const ERROR_CATEGORIES = [
  "none",
  "logic_error",
  "cost_killed",
  "time_killed",
  "refused",
  "truncated",
  "api_error",
  "rate_limit",
  "timeout",
  "system_error",
  "grader_error",
  "skipped",
] as const;

/** Why a trial did not pass; `none` when it did. */
export type ErrorCategory = (typeof ERROR_CATEGORIES)[number];

/** Where the cost of a row comes from: the provider's bill, prices and usage, an estimate, or nowhere. */
export type CostSource = "provider" | "priced" | "estimated" | "unknown";

/** One call of the system that failed before the trial had its output. */
export interface Attempt {
  errorCategory: ErrorCategory;
  message: string;
  durationMs: number;
}

/** What a facet of an example can be. */
export type FacetValue = string | number | boolean;

/** The fields of an example by which results are broken down, e.g. `{ subject: "anatomy" }`. */
export type Facets = Readonly<Record<string, FacetValue>>;

/** One finished trial. What was not measured is null, never 0. */
export interface EvalRow {
  system: string;
  exampleId: string | number;
  dataset: string;
  trial: number;
  outcome: Outcome;
  errorCategory: ErrorCategory;
  scores: Record<string, number>;
  /** Figures of evaluators that may lie anywhere, such as a number of characters. They are averaged, and decide nothing. */
  measures: Readonly<Record<string, number>>;
  /** The field that decided pass or fail; null when nothing could. */
  primaryField: string | null;
  passed: boolean | null;
  inputTokens: number;
  outputTokens: number;
  usage: Usage | null;
  costUsd: number | null;
  costSource: CostSource;
  overshootUsd: number | null;
  /** What scoring cost, such as the calls of a judge: no part of `costUsd`. */
  judgeCostUsd: number | null;
  /** True when usage or cost is known to be incomplete. */
  partial: boolean;
  /** True when the output was there already, in the cache or in a recording: this run has not paid for it. */
  cached: boolean;
  /** Seconds inside `System.process`. */
  latency: number | null;
  /** Milliseconds from admission to the end of the system's work, retries included. */
  durationMs: number | null;
  ttftMs: number | null;
  firstAttemptMs: number | null;
  successAtMs: number | null;
  turns: number | null;
  tokensPerSec: number | null;
  /** Running cost when the trial was stopped; 0 when it was not. */
  costKilledAt: number;
  attempts: readonly Attempt[];
  notes: readonly string[];
  metadata: Readonly<Record<string, unknown>> | null;
  /** Of the example, as its dataset declares them, so that a stored run can be broken down without the examples. */
  facets: Facets | null;
  /** What the example shares with others of its dataset, such as its conversation: rows of one group are not independent. */
  group: string | number | null;
}

/** What tells a trial from all others of its run. */
export type TrialKey = Pick<EvalRow, "system" | "dataset" | "exampleId" | "trial">;

/** The first word of a note on a trial that was slower than its model is expected to be. */
export const SLOW = "slow";

/** The first words of a note on a trial in which another model was called than the one that was asked for. */
export const ANOTHER_MODEL = "another model";

/** The first words of a note on a trial whose model refused a part of the request. */
export const SENT_WITHOUT = "sent without";

/** What a row needs at least. */
export type KnownFields = Partial<EvalRow> & Pick<EvalRow, "system" | "exampleId" | "outcome">;

const NO_MEASURES: EvalRow["measures"] = Object.freeze({});
const NOTHING: readonly never[] = Object.freeze([]);

/**
 * A row from the fields that are known; all others say nothing: null where 0 would be a claim.
 * @example
 * makeRow({ system: "s", exampleId: 1, outcome: "pass", scores: { f1: 1 }, passed: true });
 */
export function makeRow(known: KnownFields): EvalRow {
  return {
    system: known.system,
    dataset: known.dataset ?? "",
    exampleId: known.exampleId,
    trial: known.trial ?? 0,
    outcome: known.outcome,
    errorCategory: known.errorCategory ?? "none",
    scores: known.scores ?? {},
    primaryField: known.primaryField ?? null,
    passed: known.passed ?? null,
    inputTokens: known.inputTokens ?? 0,
    outputTokens: known.outputTokens ?? 0,
    latency: known.latency ?? null,
    durationMs: known.durationMs ?? null,
    measures: known.measures ?? NO_MEASURES,
    usage: known.usage ?? null,
    costUsd: known.costUsd ?? null,
    costSource: known.costSource ?? "unknown",
    overshootUsd: known.overshootUsd ?? null,
    judgeCostUsd: known.judgeCostUsd ?? null,
    partial: known.partial ?? false,
    cached: known.cached ?? false,
    ttftMs: known.ttftMs ?? null,
    firstAttemptMs: known.firstAttemptMs ?? null,
    successAtMs: known.successAtMs ?? null,
    turns: known.turns ?? null,
    tokensPerSec: known.tokensPerSec ?? null,
    costKilledAt: known.costKilledAt ?? 0,
    attempts: known.attempts ?? NOTHING,
    notes: known.notes ?? NOTHING,
    metadata: known.metadata ?? null,
    facets: known.facets ?? null,
    group: known.group ?? null,
  };
}

/** A row that says nothing yet. */
export const EMPTY_ROW: Readonly<EvalRow> = makeRow({ system: "", exampleId: "", outcome: "skipped" });

/** Every field of a row, in the order it is written. */
export const ROW_FIELDS = Object.keys(EMPTY_ROW) as readonly (keyof EvalRow)[];

/** A row whose output was graded, so that it counts in quality denominators. */
export function isScored(row: EvalRow): boolean {
  return row.outcome === "pass" || row.outcome === "fail";
}

/** A row whose system gave something back, whatever came of it. */
export function hasOutput(row: EvalRow): boolean {
  return row.outcome !== "error" && row.outcome !== "skipped";
}

/** The value of a score field on a row. `"score"` means the primary score: the evaluator's own `score`, else the primary field's. */
export function scoreOf(row: EvalRow, field: string): number | undefined {
  const own = row.scores[field];
  // Nothing that an object inherits is a number. Asking whether the field is its own takes several times as long.
  if (typeof own === "number") return own;
  if (field !== "score" || row.primaryField == null) return undefined;
  return row.scores[row.primaryField];
}

/**
 * The value of a measure on a row. An evaluator that does not tell measures from scores may return one figure within
 * [0, 1] here and outside there: they are the same measure.
 */
export function measureOf({ measures, scores }: EvalRow, field: string): number | undefined {
  if (measures != null && Object.hasOwn(measures, field)) return measures[field];
  return Object.hasOwn(scores, field) ? scores[field] : undefined;
}
