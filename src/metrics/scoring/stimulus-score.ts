import { mean } from "../../stats/index.js";
import { computeMultiTrialMetrics, NO_TRIALS } from "./multi-trial.js";
import type { StimulusScore, TrialGrade } from "./types.js";

/**
 * Folds the graded trials of one stimulus into its score; without graders or trials it is unscored.
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
