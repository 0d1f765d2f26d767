import type { ErrorCategory, Grade } from "../../core/index.js";
import { BadRecordError, isFiniteNumber } from "./fields.js";
import type { ImportedRowFields } from "./format.js";

/** The deciding field: the verdict of the other tool, 1 or 0. */
export const VERDICT_FIELD = "verdict";
/** The combined score of its graders, from 0 to 1. */
const WEIGHTED_FIELD = "weighted_score";
/** A field named `score` would be used instead of the verdict. */
const RENAMED_SCORE_FIELD = "score_of_grader";
const MAX_SCORES = 200;

/** Scores by name; values that are not numbers are omitted. */
export function toScores(entries: Iterable<readonly [string, unknown]>): Record<string, number> {
  const numbers = [...entries].filter((entry): entry is [string, number] => isFiniteNumber(entry[1]));
  const scores = numbers.filter(([name]) => name !== "" && name !== "__proto__");
  if (scores.length > MAX_SCORES) throw new BadRecordError(`it has ${scores.length} scores, which is too many`);
  return Object.fromEntries(scores);
}

interface ImportedVerdict {
  readonly passed: boolean;
  /** The combined score of the graders, if there is more than a verdict. */
  readonly score?: number | null;
  /** Additional scores. */
  readonly others?: Iterable<readonly [string, unknown]>;
  /** Why the work ended early; it is graded anyway. */
  readonly stopped?: ErrorCategory;
}

type ImportedOutcome = Pick<ImportedRowFields, "outcome" | "errorCategory" | "scores" | "primaryField" | "passed">;

/** The outcome of a graded trial: it passes or fails by the verdict of the other tool, whatever its score. */
export function toGradedOutcome({ passed, score = null, others = [], stopped }: ImportedVerdict): ImportedOutcome {
  const beside = Array.from(others, ([name, value]) => [name === "score" ? RENAMED_SCORE_FIELD : name, value] as const);
  const scores = toScores([
    ...beside,
    ...(score === null ? [] : [[WEIGHTED_FIELD, score] as const]),
    [VERDICT_FIELD, +passed],
  ]);
  return {
    outcome: passed ? "pass" : "fail",
    errorCategory: stopped ?? (passed ? "none" : "logic_error"),
    scores,
    primaryField: VERDICT_FIELD,
    passed,
  };
}

/** The outcome of a trial that says nothing about quality. */
export function toUngradedOutcome(
  outcome: "error" | "unscored" | "skipped",
  errorCategory: ErrorCategory,
): ImportedOutcome {
  return { outcome, errorCategory, scores: {}, primaryField: null, passed: null };
}

/** Each grader's score under its own name; the last one wins if names repeat. */
export function listGradeScores(grades: readonly Grade[]): [string, number][] {
  return grades.map(({ name, score }) => [name, score]);
}

/** The graders' evidence by score field; null if there is none. */
export function collectGradeEvidence(grades: readonly Grade[], reason?: string): Record<string, string> | null {
  const said = grades.filter(({ evidence }) => evidence !== "").map(({ name, evidence }) => [name, evidence] as const);
  const all = [...said, ...(reason === undefined ? [] : [[VERDICT_FIELD, reason] as const])];
  return all.length === 0 ? null : Object.fromEntries(all);
}
