import type { Usage } from "./system.js";

/** All outcomes of a planned trial. */
export const OUTCOMES = ["pass", "fail", "error", "unscored", "skipped"] as const;

/** How a planned trial ended. Every planned trial has exactly one. */
export type Outcome = (typeof OUTCOMES)[number];

/** All error categories of a row. */
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

/** The source of a row's cost: the provider's bill, price times usage, an estimate, or unknown. */
export type CostSource = "provider" | "priced" | "estimated" | "unknown";

/** A call of the system that failed before the trial had an output. */
export interface Attempt {
  errorCategory: ErrorCategory;
  message: string;
  durationMs: number;
}

/** A value of a facet. */
export type FacetValue = string | number | boolean;

/** Example fields to break results down by, e.g. `{ subject: "anatomy" }`. */
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
  /** Numbers from evaluators with any range, such as a number of characters. Averaged, but they decide nothing. */
  measures: Readonly<Record<string, number>>;
  /** The field that decided pass or fail; null if none did. */
  primaryField: string | null;
  passed: boolean | null;
  inputTokens: number;
  outputTokens: number;
  usage: Usage | null;
  costUsd: number | null;
  costSource: CostSource;
  overshootUsd: number | null;
  /** Cost of scoring, such as judge calls; not part of `costUsd`. */
  judgeCostUsd: number | null;
  /** True if usage or cost is known to be incomplete. */
  partial: boolean;
  /** True if the output came from the cache or a recording, so this run did not pay for it. */
  cached: boolean;
  /** Seconds inside `System.process`. */
  latency: number | null;
  /** Milliseconds from admission to the end of the system's work, including retries. */
  durationMs: number | null;
  ttftMs: number | null;
  firstAttemptMs: number | null;
  successAtMs: number | null;
  turns: number | null;
  tokensPerSec: number | null;
  /** Running cost when the trial was stopped; 0 if it was not. */
  costKilledAt: number;
  attempts: readonly Attempt[];
  notes: readonly string[];
  metadata: Readonly<Record<string, unknown>> | null;
  /** Copied from the example, so that a stored run can be broken down without its examples. */
  facets: Facets | null;
  /** What the example shares with others of its dataset, such as a conversation. Rows of one group are not independent. */
  group: string | number | null;
}

/** Identifies a trial within a run. */
export type TrialKey = Pick<EvalRow, "system" | "dataset" | "exampleId" | "trial">;

/** First word of the note on a trial that was slower than expected for its model. */
export const SLOW_NOTE = "slow";

/** First words of the note on a trial that called another model than requested. */
export const OTHER_MODEL_NOTE = "another model";

/** First words of the note on a trial whose model rejected a request parameter. */
export const SENT_WITHOUT_NOTE = "sent without";

/** The fields of a row; those without a neutral value are required. */
export type RowInit = Partial<EvalRow> & Pick<EvalRow, "system" | "exampleId" | "outcome">;

const NO_MEASURES: EvalRow["measures"] = Object.freeze({});
const EMPTY_LIST: readonly never[] = Object.freeze([]);

/**
 * Creates a row from the known fields; the others get a neutral value, null where 0 would be a claim.
 * @example
 * makeRow({ system: "s", exampleId: 1, outcome: "pass", scores: { f1: 1 }, passed: true });
 */
export function makeRow(known: RowInit): EvalRow {
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
    attempts: known.attempts ?? EMPTY_LIST,
    notes: known.notes ?? EMPTY_LIST,
    metadata: known.metadata ?? null,
    facets: known.facets ?? null,
    group: known.group ?? null,
  };
}

export const EMPTY_ROW: Readonly<EvalRow> = makeRow({ system: "", exampleId: "", outcome: "skipped" });

/** Every field of a row, in the order it is written. */
export const ROW_FIELDS = Object.keys(EMPTY_ROW) as readonly (keyof EvalRow)[];

/** True if the output was graded, so that the row counts toward quality. */
export function isScored(row: EvalRow): boolean {
  return row.outcome === "pass" || row.outcome === "fail";
}

/** True if the system returned an output. */
export function hasOutput(row: EvalRow): boolean {
  return row.outcome !== "error" && row.outcome !== "skipped";
}

/** Returns a score of a row. `"score"` is the primary score: the evaluator's own `score`, else the primary field. */
export function getScore(row: EvalRow, field: string): number | undefined {
  const own = row.scores[field];
  // Prototype values are never numbers, so skip the slower hasOwn check.
  if (typeof own === "number") return own;
  if (field !== "score" || row.primaryField == null) return undefined;
  return row.scores[row.primaryField];
}

/**
 * Returns a measure of a row. An evaluator that does not separate measures from scores may return a value inside [0, 1]
 * on one row and outside on another; both are the same measure.
 */
export function getMeasure({ measures, scores }: EvalRow, field: string): number | undefined {
  if (measures != null && Object.hasOwn(measures, field)) return measures[field];
  return Object.hasOwn(scores, field) ? scores[field] : undefined;
}

/** The outcomes and total cost of one system's trials. */
export interface TrialCounts {
  trials: number;
  outcomes: Record<Outcome, number>;
  /** Counts per error category; categories that did not occur are absent. */
  categories: Partial<Record<ErrorCategory, number>>;
  /** Total of the known costs; null if no cost is known. */
  costUsd: number | null;
}

/**
 * Counts the trials of each system, so that a list of runs can be shown without reading rows.
 * @example
 * countTrials(result.rows)["gpt-5"]?.outcomes.pass; // 41
 */
export function countTrials(rows: readonly EvalRow[]): Record<string, TrialCounts> {
  const bySystem = new Map<string, TrialCounts>();
  let system = "";
  let counts: TrialCounts | undefined;
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i] as EvalRow;
    // Rows are usually ordered by system, so look it up only when it changes.
    if (counts === undefined || row.system !== system) {
      system = row.system;
      counts = getSystemCounts(system, bySystem);
    }
    addTrialToCounts(row, counts);
  }
  return Object.fromEntries(bySystem);
}

export function createTrialCounts(): TrialCounts {
  const outcomes = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0])) as Record<Outcome, number>;
  return { trials: 0, outcomes, categories: {}, costUsd: null };
}

function getSystemCounts(system: string, bySystem: Map<string, TrialCounts>): TrialCounts {
  const known = bySystem.get(system) ?? createTrialCounts();
  bySystem.set(system, known);
  return known;
}

function addTrialToCounts({ outcome, errorCategory, costUsd }: EvalRow, counts: TrialCounts): void {
  counts.trials += 1;
  counts.outcomes[outcome] += 1;
  if (errorCategory !== "none") counts.categories[errorCategory] = (counts.categories[errorCategory] ?? 0) + 1;
  if (costUsd != null) counts.costUsd = (counts.costUsd ?? 0) + costUsd;
}
