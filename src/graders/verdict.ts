import type { Grade } from "../core/index.js";

/** A grade and its weight. */
export interface WeightedGrade extends Pick<Grade, "passed" | "score" | "status"> {
  readonly weight: number;
  readonly required: boolean;
}

/** The combined result of a trial's graders. */
export interface TrialVerdict {
  /** The weighted mean over the graders that answered; null if none of them has a weight. */
  readonly score: number | null;
  /** Null if graders in error would decide, or if there are no graders. */
  readonly passed: boolean | null;
}

/** Tolerance for rounding: a sum of weights such as 0.1 is not exact, and a score equal to the threshold must reach it. */
const ROUNDING = 1e-12;

/**
 * The verdict on a trial: all required graders pass, and the score reaches the threshold or, without a threshold, all
 * weighted graders pass. If some graders are in error, there is a verdict only if no answer of theirs could change it.
 * @example
 * computeTrialVerdict([{ passed: true, score: 1, status: "ok", weight: 1, required: false }], null); // { score: 1, passed: true }
 */
export function computeTrialVerdict(grades: readonly WeightedGrade[], threshold: number | null): TrialVerdict {
  if (grades.length === 0) return { score: null, passed: null };
  // Passing is monotonic in the grades, so comparing the best and the worst case is enough.
  const atBest = isTrialPassed(fillUnanswered(grades, true), threshold);
  const atWorst = isTrialPassed(fillUnanswered(grades, false), threshold);
  return {
    score: computeWeightedScore(grades.filter(({ status }) => status === "ok")),
    passed: atBest === atWorst ? atBest : null,
  };
}

function fillUnanswered(grades: readonly WeightedGrade[], passed: boolean): WeightedGrade[] {
  return grades.map((grade) => (grade.status === "ok" ? grade : { ...grade, passed, score: passed ? 1 : 0 }));
}

function isTrialPassed(grades: readonly WeightedGrade[], threshold: number | null): boolean {
  if (grades.some(({ required, passed }) => required && !passed)) return false;
  if (threshold === null) return grades.every(({ weight, passed }) => weight === 0 || passed);
  const score = computeWeightedScore(grades);
  return score !== null && score >= threshold - ROUNDING;
}

function computeWeightedScore(grades: readonly WeightedGrade[]): number | null {
  let sum = 0;
  let total = 0;
  for (const { weight, score } of grades) {
    sum += weight * score;
    total += weight;
  }
  return total === 0 ? null : Math.min(1, sum / total);
}
