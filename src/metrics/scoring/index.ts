export { budgetScore } from "./budget-score.js";
export { type JudgeScale, normalizeJudgeScore } from "./judge-scale.js";
export { computeMultiTrialMetrics } from "./multi-trial.js";
export { computeSkillScore } from "./skill-score.js";
export { computeStimulusScore } from "./stimulus-score.js";
export type { GraderResult, MultiTrialMetrics, SkillScore, StimulusScore, TrialGrade } from "./types.js";
export { weightedScore } from "./weighted-score.js";
