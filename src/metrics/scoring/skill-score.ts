import { mean } from "../../stats/index.js";
import { NO_TRIALS } from "./multi-trial.js";
import type { MultiTrialMetrics, SkillScore, StimulusScore } from "./types.js";

/** A mean of decimal scores may miss a decimal threshold by its rounding; nobody sees that difference in a report. */
const ROUNDING = 1e-12;

function averageMetrics(metrics: readonly MultiTrialMetrics[]): MultiTrialMetrics {
  if (metrics.length === 0) return { ...NO_TRIALS };
  return {
    perTrialPassRate: mean(metrics.map((metric) => metric.perTrialPassRate)),
    passAtK: mean(metrics.map((metric) => metric.passAtK)),
    passToTheK: mean(metrics.map((metric) => metric.passToTheK)),
    k: Math.min(...metrics.map((metric) => metric.k)),
  };
}

/**
 * Folds the stimuli of one skill into its score; unscored stimuli are left out, and a skill with none scored does not pass.
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
    overallMultiTrial: averageMetrics(scored.map((stimulus) => stimulus.multiTrial)),
    passed: scored.length > 0 && overallScore >= threshold - ROUNDING,
  };
}
