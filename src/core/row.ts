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

/** One finished trial. What was not measured is null, never 0. */
export interface EvalRow {
  system: string;
  exampleId: string | number;
  dataset: string;
  trial: number;
  outcome: Outcome;
  errorCategory: ErrorCategory;
  scores: Record<string, number>;
  /** The field that decided pass or fail; null when nothing could. */
  primaryField: string | null;
  passed: boolean | null;
  inputTokens: number;
  outputTokens: number;
  usage: Usage | null;
  costUsd: number | null;
  costSource: CostSource;
  overshootUsd: number | null;
  /** True when usage or cost is known to be incomplete. */
  partial: boolean;
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
}

const NO_ATTEMPTS: readonly Attempt[] = Object.freeze([]);
const NO_NOTES: readonly string[] = Object.freeze([]);

/**
 * A row from the fields that are known; all others at their neutral value.
 * @example
 * makeRow({ system: "s", exampleId: 1, outcome: "pass", scores: { f1: 1 }, passed: true });
 */
export function makeRow(known: Partial<EvalRow> & Pick<EvalRow, "system" | "exampleId" | "outcome">): EvalRow {
  // One literal, so that every row has the same hidden class and costs the same few bytes.
  return {
    system: known.system,
    exampleId: known.exampleId,
    dataset: known.dataset ?? "",
    trial: known.trial ?? 0,
    outcome: known.outcome,
    errorCategory: known.errorCategory ?? "none",
    scores: known.scores ?? {},
    primaryField: known.primaryField ?? null,
    passed: known.passed ?? null,
    inputTokens: known.inputTokens ?? 0,
    outputTokens: known.outputTokens ?? 0,
    usage: known.usage ?? null,
    costUsd: known.costUsd ?? null,
    costSource: known.costSource ?? "unknown",
    overshootUsd: known.overshootUsd ?? null,
    partial: known.partial ?? false,
    latency: known.latency ?? null,
    durationMs: known.durationMs ?? null,
    ttftMs: known.ttftMs ?? null,
    firstAttemptMs: known.firstAttemptMs ?? null,
    successAtMs: known.successAtMs ?? null,
    turns: known.turns ?? null,
    tokensPerSec: known.tokensPerSec ?? null,
    costKilledAt: known.costKilledAt ?? 0,
    attempts: known.attempts ?? NO_ATTEMPTS,
    notes: known.notes ?? NO_NOTES,
    metadata: known.metadata ?? null,
  };
}

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
  if (own !== undefined || field !== "score") return own;
  return row.primaryField == null ? undefined : row.scores[row.primaryField];
}
