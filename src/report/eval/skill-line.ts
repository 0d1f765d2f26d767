import { type EvalRow, isScored } from "../../core/row.js";
import { computeSkillScore, computeStimulusScore, type TrialGrade } from "../../metrics/scoring/index.js";

/** How well a skill, or an eval without one, came off over all its stimuli. */
export interface SkillLine {
  /** Null for an eval that is about none. */
  readonly skill: string | null;
  /** The mean over stimuli of their mean weighted score; null when nothing was scored. */
  readonly score: number | null;
  /** Stimuli with a verdict, and all of them. */
  readonly scored: number;
  readonly stimuli: number;
  /** The smallest number of trials, which the two after it are for. */
  readonly k: number;
  readonly passAtK: number | null;
  readonly passRate: number | null;
}

/** The score of a skill from the trials of its stimuli; those without a verdict are left out. */
export function skillLine(skill: string | null, groups: ReadonlyMap<string, readonly EvalRow[]>): SkillLine {
  const stimuli = [...groups].map(([name, rows]) => computeStimulusScore(name, gradesOf(rows), true));
  const { overallScore, overallMultiTrial } = computeSkillScore(skill ?? "", stimuli, 0);
  const scored = stimuli.filter(({ unscored }) => !unscored).length;
  const known = <T>(value: T) => (scored === 0 ? null : value);
  return {
    skill,
    score: known(overallScore),
    scored,
    stimuli: stimuli.length,
    k: overallMultiTrial.k,
    passAtK: known(overallMultiTrial.passAtK),
    passRate: known(overallMultiTrial.perTrialPassRate),
  };
}

/** A row without graders has its verdict for a score. */
function gradesOf(rows: readonly EvalRow[]): TrialGrade[] {
  return rows.filter(isScored).map(({ passed, scores, primaryField }) => {
    const isPass = passed === true;
    const score = scores.weighted_score ?? scores[primaryField ?? ""] ?? (isPass ? 1 : 0);
    return { passed: isPass, grade: { name: "trial", kind: "code", passed: isPass, score, evidence: "" } };
  });
}
