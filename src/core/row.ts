import type { Usage } from "./system.js";

export const OUTCOMES = ["pass", "fail", "error", "unscored", "skipped"] as const;

/** How a planned trial ended. Every planned trial has exactly one. */
export type Outcome = (typeof OUTCOMES)[number];

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

export type ErrorCategory = (typeof ERROR_CATEGORIES)[number];

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

/** Fields that few rows have, with what they are on all others. */
const NEUTRAL = Object.freeze({
  measures: Object.freeze({}),
  usage: null,
  costUsd: null,
  costSource: "unknown",
  overshootUsd: null,
  judgeCostUsd: null,
  partial: false,
  cached: false,
  ttftMs: null,
  firstAttemptMs: null,
  successAtMs: null,
  turns: null,
  tokensPerSec: null,
  costKilledAt: 0,
  attempts: Object.freeze([]),
  notes: Object.freeze([]),
  metadata: null,
  facets: null,
  group: null,
} satisfies Partial<EvalRow>);

/** The fields that few rows have. */
export const RARE_FIELDS = Object.keys(NEUTRAL) as readonly (keyof typeof NEUTRAL)[];

/**
 * A row in memory. The neutral values stand on the prototype, once for all rows, so that a million rows hold what was
 * measured and nothing else; `toJSON` writes every field out.
 */
class Row implements EvalRow {
  system: string;
  exampleId: string | number;
  dataset: string;
  trial: number;
  outcome: Outcome;
  errorCategory: ErrorCategory;
  scores: Record<string, number>;
  primaryField: string | null;
  passed: boolean | null;
  inputTokens: number;
  outputTokens: number;
  latency: number | null;
  durationMs: number | null;
  declare measures: Readonly<Record<string, number>>;
  declare usage: Usage | null;
  declare costUsd: number | null;
  declare costSource: CostSource;
  declare overshootUsd: number | null;
  declare judgeCostUsd: number | null;
  declare partial: boolean;
  declare cached: boolean;
  declare ttftMs: number | null;
  declare firstAttemptMs: number | null;
  declare successAtMs: number | null;
  declare turns: number | null;
  declare tokensPerSec: number | null;
  declare costKilledAt: number;
  declare attempts: readonly Attempt[];
  declare notes: readonly string[];
  declare metadata: Readonly<Record<string, unknown>> | null;
  declare facets: Facets | null;
  declare group: string | number | null;

  constructor(known: KnownFields) {
    this.system = known.system;
    this.exampleId = known.exampleId;
    this.dataset = known.dataset ?? "";
    this.trial = known.trial ?? 0;
    this.outcome = known.outcome;
    this.errorCategory = known.errorCategory ?? "none";
    this.scores = known.scores ?? {};
    this.primaryField = known.primaryField ?? null;
    this.passed = known.passed ?? null;
    this.inputTokens = known.inputTokens ?? 0;
    this.outputTokens = known.outputTokens ?? 0;
    this.latency = known.latency ?? null;
    this.durationMs = known.durationMs ?? null;
  }

  toJSON(): EvalRow {
    return plainRow(this);
  }
}

Object.assign(Row.prototype, NEUTRAL);

/**
 * A row from the fields that are known; all others at their neutral value.
 * @example
 * makeRow({ system: "s", exampleId: 1, outcome: "pass", scores: { f1: 1 }, passed: true });
 */
export function makeRow(known: KnownFields): EvalRow {
  return withRareFields(new Row(known), known);
}

/** A row that has none of the rare fields, which is nearly every row: looking for each would cost more than the row. */
export function makeCommonRow(known: KnownFields): EvalRow {
  return new Row(known);
}

/** Whether a row has any field besides those that every row has. Spelled out, because it is asked of every row. */
export function hasRareFields(row: EvalRow): boolean {
  return !(
    row.notes.length === 0 &&
    row.attempts.length === 0 &&
    row.usage === null &&
    row.costUsd === null &&
    row.metadata === null &&
    isEmpty(row.measures) &&
    row.facets === null &&
    row.group === null &&
    row.ttftMs === null &&
    row.firstAttemptMs === null &&
    row.successAtMs === null &&
    row.turns === null &&
    row.tokensPerSec === null &&
    row.overshootUsd === null &&
    row.judgeCostUsd === null &&
    row.costSource === NEUTRAL.costSource &&
    row.costKilledAt === 0 &&
    !row.cached &&
    !row.partial
  );
}

/** Sets the rare fields that are known and not at their neutral value. */
export function withRareFields(row: EvalRow, known: Partial<EvalRow>): EvalRow {
  const own: Record<string, unknown> = row as never;
  for (const field of RARE_FIELDS) {
    const value = known[field];
    const isNeutral = value === undefined || value === NEUTRAL[field] || (Array.isArray(value) && value.length === 0);
    if (!isNeutral && !(field === "measures" && isEmpty(known.measures))) own[field] = value;
  }
  return row;
}

/** Rows made by hand may lack their measures. */
function isEmpty(measures: EvalRow["measures"] | null | undefined): boolean {
  for (const _ in measures) return false;
  return true;
}

/** A row as a plain object with every field of its own, as a copy or another thread needs it. */
export function plainRow(row: EvalRow): EvalRow {
  const fields: Record<string, unknown> = {};
  for (const field of ROW_FIELDS) fields[field] = row[field] ?? (NEUTRAL as Partial<EvalRow>)[field] ?? null;
  return fields as unknown as EvalRow;
}

/** Every field of a row, in the order it is written. */
export const ROW_FIELDS: readonly (keyof EvalRow)[] = [
  ...(Object.keys(new Row({ system: "", exampleId: "", outcome: "skipped" })) as (keyof EvalRow)[]),
  ...RARE_FIELDS,
];

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
