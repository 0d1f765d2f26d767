import type { Grade } from "../core/grader.js";

/** A grade, and what it counts. */
export interface WeightedGrade extends Pick<Grade, "passed" | "score" | "status"> {
  readonly weight: number;
  readonly required: boolean;
}

/** What the graders of a trial say together. */
export interface TrialVerdict {
  /** The weighted mean over the graders that answered; null when none of those counts. */
  readonly score: number | null;
  /** Null when graders that could not tell would decide, and when there are none. */
  readonly passed: boolean | null;
}

/** Sums of weights such as 0.1 are not exact: a score that is the threshold must reach it. */
const ROUNDING = 1e-12;

/**
 * The verdict on a trial: every required grader passed, and the score reaches the threshold or, without one, all graders
 * that count have passed. Where some could not tell, it is given when no answer of theirs would change it.
 * @example
 * verdictOn([{ passed: true, score: 1, status: "ok", weight: 1, required: false }], null); // { score: 1, passed: true }
 */
export function verdictOn(grades: readonly WeightedGrade[], threshold: number | null): TrialVerdict {
  if (grades.length === 0) return { score: null, passed: null };
  // More passes and higher scores never turn a pass into a failure, so that the two ends show all there is.
  const atBest = passes(answeredAs(grades, true), threshold);
  const atWorst = passes(answeredAs(grades, false), threshold);
  return { score: scoreOf(grades.filter(({ status }) => status === "ok")), passed: atBest === atWorst ? atBest : null };
}

function answeredAs(grades: readonly WeightedGrade[], passed: boolean): WeightedGrade[] {
  return grades.map((grade) => (grade.status === "ok" ? grade : { ...grade, passed, score: passed ? 1 : 0 }));
}

function passes(grades: readonly WeightedGrade[], threshold: number | null): boolean {
  if (grades.some(({ required, passed }) => required && !passed)) return false;
  if (threshold === null) return grades.every(({ weight, passed }) => weight === 0 || passed);
  const score = scoreOf(grades);
  return score !== null && score >= threshold - ROUNDING;
}

function scoreOf(grades: readonly WeightedGrade[]): number | null {
  let sum = 0;
  let total = 0;
  for (const { weight, score } of grades) {
    sum += weight * score;
    total += weight;
  }
  return total === 0 ? null : Math.min(1, sum / total);
}
