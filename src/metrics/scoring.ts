import { mean, passAtK, passToTheK } from "../stats/index.js";

/** The result of one grader for one trial. */
export interface GraderResult {
  name: string;
  kind: "code" | "llm";
  type?: string | undefined;
  passed: boolean;
  /** In [0, 1]. */
  score: number;
  evidence: string;
  /** The parts of a combined grade. */
  details?: readonly GraderResult[] | undefined;
  status?: "ok" | "error" | undefined;
}

/** The weighted grade of one trial and its verdict. */
export interface TrialGrade {
  grade: GraderResult;
  passed: boolean;
}

/** The reliability of k trials of one test case. */
export interface MultiTrialMetrics {
  perTrialPassRate: number;
  passAtK: number;
  passToTheK: number;
  k: number;
}

/** All trials of one test case. */
export interface StimulusScore {
  stimulusName: string;
  /** [trial][grader] */
  trialResults: readonly (readonly GraderResult[])[];
  aggregateScore: number;
  multiTrial: MultiTrialMetrics;
  /** True if nothing was graded; the test case is then excluded from every mean. */
  unscored: boolean;
  flaky: boolean;
  flakinessPercent: number;
}

/** All test cases of one skill. */
export interface SkillScore {
  skillName: string;
  stimulusScores: readonly StimulusScore[];
  overallScore: number;
  overallMultiTrial: MultiTrialMetrics;
  passed: boolean;
}

function requireWeights(scores: readonly number[], weights: readonly number[]): void {
  if (scores.length !== weights.length) {
    throw new RangeError(`there must be as many weights as scores (${scores.length}), got ${weights.length}`);
  }
  for (const weight of weights) {
    if (!(weight >= 0 && weight < Number.POSITIVE_INFINITY)) {
      throw new RangeError(`weights must be finite and not negative, got ${weight}`);
    }
  }
}

/**
 * The weighted mean of grader scores. A weight of 0 reports a grader without counting it; at least one must be above 0.
 * @example
 * weightedScore([1, 0], [1, 0.5]); // 0.6667
 */
export function weightedScore(scores: readonly number[], weights: readonly number[]): number {
  requireWeights(scores, weights);
  let total = 0;
  let sum = 0;
  scores.forEach((score, index) => {
    if (!Number.isFinite(score)) throw new RangeError(`scores must be finite, got ${score}`);
    const weight = weights[index] ?? 0;
    total += weight;
    sum += weight * score;
  });
  if (total === 0) throw new RangeError("weights must not all be 0: give at least one grader a weight above 0");
  return sum / total;
}

/**
 * The score of a budget grader: 1 up to the maximum, then decreasing to 0 at twice the maximum.
 * For maxima under 1 (usually dollars) it decreases by one per unit instead, so that a tiny budget is not a cliff.
 * @example
 * budgetScore(75_000, 50_000); // 0.5
 */
export function budgetScore(value: number, max: number): number {
  if (!(value >= 0)) throw new RangeError(`value must not be negative, got ${value}`);
  if (!(max >= 0)) throw new RangeError(`max must not be negative, got ${max}`);
  if (value <= max) return 1;
  return Math.max(0, 1 - (value - max) / Math.max(max, 1));
}

const SCORE_SCALES = {
  binary: { low: 0, high: 1 },
  scale_1_5: { low: 1, high: 5 },
  scale_1_10: { low: 1, high: 10 },
} as const;

/** The scales of a judge's answer. */
export type ScoreScale = keyof typeof SCORE_SCALES;

/**
 * Maps a judge's answer linearly to [0, 1]; throws a RangeError if it is outside its scale.
 * @example
 * normalizeJudgeScore(4, "scale_1_5"); // 0.75
 */
export function normalizeJudgeScore(score: number, scale: ScoreScale): number {
  if (!Object.hasOwn(SCORE_SCALES, scale)) {
    throw new RangeError(`scale must be one of ${Object.keys(SCORE_SCALES).join(", ")}, got ${String(scale)}`);
  }
  const { low, high } = SCORE_SCALES[scale];
  if (!(score >= low && score <= high)) {
    throw new RangeError(`score must be from ${low} to ${high} on ${scale}, got ${score}`);
  }
  // 0.5 is not an answer to a yes-or-no question.
  if (scale === "binary" && !Number.isInteger(score))
    throw new RangeError(`score must be 0 or 1 on binary, got ${score}`);
  return (score - low) / (high - low);
}

/** The metrics without any trials. */
export const NO_TRIALS: Readonly<MultiTrialMetrics> = Object.freeze({
  perTrialPassRate: 0,
  passAtK: 0,
  passToTheK: 0,
  k: 0,
});

/**
 * Pass rate, pass@k and p^k of the trials of one test case, with k = the number of trials.
 * @example
 * computeMultiTrialMetrics([true, true, false, true, true]); // { perTrialPassRate: 0.8, passAtK: 1, passToTheK: 0.32768, k: 5 }
 */
export function computeMultiTrialMetrics(trialPassed: readonly boolean[]): MultiTrialMetrics {
  const k = trialPassed.length;
  if (k === 0) throw new RangeError("trialPassed must contain at least one trial");
  const passes = trialPassed.filter(Boolean).length;
  const perTrialPassRate = passes / k;
  return { perTrialPassRate, passAtK: passAtK(k, passes, k), passToTheK: passToTheK(perTrialPassRate, k), k };
}

/**
 * Combines the graded trials of one test case; unscored without graders or trials.
 * @example
 * computeStimulusScore("adds-tests-first", [{ grade, passed: true }], true).aggregateScore;
 */
export function computeStimulusScore(
  name: string,
  trialGrades: readonly TrialGrade[],
  hasGraders: boolean,
): StimulusScore {
  const n = trialGrades.length;
  const passes = trialGrades.filter((trial) => trial.passed).length;
  return {
    stimulusName: name,
    trialResults: trialGrades.map(({ grade }) => grade.details ?? [grade]),
    aggregateScore: mean(trialGrades.map(({ grade }) => grade.score)),
    multiTrial: n === 0 ? { ...NO_TRIALS } : computeMultiTrialMetrics(trialGrades.map((trial) => trial.passed)),
    unscored: !hasGraders || n === 0,
    flaky: passes > 0 && passes < n,
    flakinessPercent: n === 0 ? 0 : (100 * Math.min(passes, n - passes)) / n,
  };
}

/** The mean of decimal scores may miss a decimal threshold by an invisible rounding error. */
const ROUNDING_TOLERANCE = 1e-12;

function computeAverageMetrics(metrics: readonly MultiTrialMetrics[]): MultiTrialMetrics {
  if (metrics.length === 0) return { ...NO_TRIALS };
  return {
    perTrialPassRate: mean(metrics.map((metric) => metric.perTrialPassRate)),
    passAtK: mean(metrics.map((metric) => metric.passAtK)),
    passToTheK: mean(metrics.map((metric) => metric.passToTheK)),
    k: Math.min(...metrics.map((metric) => metric.k)),
  };
}

/**
 * Combines the test cases of one skill. Unscored ones are excluded; without any scored one the skill does not pass.
 * @example
 * computeSkillScore("test-first", stimulusScores, 0.8).passed;
 */
export function computeSkillScore(
  skillName: string,
  stimulusScores: readonly StimulusScore[],
  threshold: number,
): SkillScore {
  if (!Number.isFinite(threshold)) throw new RangeError(`threshold must be a finite number, got ${threshold}`);
  const scored = stimulusScores.filter((stimulus) => !stimulus.unscored);
  const overallScore = mean(scored.map((stimulus) => stimulus.aggregateScore));
  return {
    skillName,
    stimulusScores,
    overallScore,
    overallMultiTrial: computeAverageMetrics(scored.map((stimulus) => stimulus.multiTrial)),
    passed: scored.length > 0 && overallScore >= threshold - ROUNDING_TOLERANCE,
  };
}
