import type { Grade } from "../../core/grader.js";
import type { ErrorCategory } from "../../core/row.js";
import { BadRecord, isFiniteNumber } from "./fields.js";
import type { RowFields } from "./format.js";

/** The field that decides: what the other tool said, 1 or 0. */
export const VERDICT = "verdict";
/** What its graders say together, from 0 to 1. */
const WEIGHTED = "weighted_score";
/** A field called `score` would stand for the verdict in every figure. */
const RENAMED = "score_of_grader";
const MOST_SCORES = 200;

/** Scores by name; values that are no numbers are left out, since nothing can be said of them. */
export function scoresOf(entries: Iterable<readonly [string, unknown]>): Record<string, number> {
  const numbers = [...entries].filter((entry): entry is [string, number] => isFiniteNumber(entry[1]));
  const scores = numbers.filter(([name]) => name !== "" && name !== "__proto__");
  if (scores.length > MOST_SCORES) throw new BadRecord(`it has ${scores.length} scores, which no table can show`);
  return Object.fromEntries(scores);
}

interface Said {
  readonly passed: boolean;
  /** What the graders say together, where there is more than a verdict. */
  readonly score?: number | null;
  /** Scores beside it. */
  readonly others?: Iterable<readonly [string, unknown]>;
  /** Why the work ended early; it is graded all the same. */
  readonly stopped?: ErrorCategory;
}

type Outcome = Pick<RowFields, "outcome" | "errorCategory" | "scores" | "primaryField" | "passed">;

/** A trial that was graded: it passed or failed by what the other tool said, whatever its score is. */
export function graded({ passed, score = null, others = [], stopped }: Said): Outcome {
  const beside = Array.from(others, ([name, value]) => [name === "score" ? RENAMED : name, value] as const);
  const scores = scoresOf([...beside, ...(score === null ? [] : [[WEIGHTED, score] as const]), [VERDICT, +passed]]);
  return {
    outcome: passed ? "pass" : "fail",
    errorCategory: stopped ?? (passed ? "none" : "logic_error"),
    scores,
    primaryField: VERDICT,
    passed,
  };
}

/** A trial that says nothing about quality. */
export function ungraded(outcome: "error" | "unscored" | "skipped", errorCategory: ErrorCategory): Outcome {
  return { outcome, errorCategory, scores: {}, primaryField: null, passed: null };
}

/** Each grader's score under its own name, the last of those that share one. */
export function scoresOfGrades(grades: readonly Grade[]): [string, number][] {
  return grades.map(({ name, score }) => [name, score]);
}

/** What graders found, by the fields of their scores; null when they found nothing to say. */
export function evidenceOfGrades(grades: readonly Grade[], reason?: string): Record<string, string> | null {
  const said = grades.filter(({ evidence }) => evidence !== "").map(({ name, evidence }) => [name, evidence] as const);
  const all = [...said, ...(reason === undefined ? [] : [[VERDICT, reason] as const])];
  return all.length === 0 ? null : Object.fromEntries(all);
}
