/** Graders: trajectory and workspace to verdict; judges. */
import type { GraderFactory } from "../core/index.js";
import { registry } from "../core/index.js";
import { createBuiltInFactories } from "./make-grader.js";
/**
 * The built-in graders by type. `GraderEvaluator` finds them without registration.
 * @example
 * graderFactories["file-exists"]?.({ path: "add.js" });
 */
export const graderFactories: Readonly<Record<string, GraderFactory>> = createBuiltInFactories(registry);
export { findGraderInput, type GraderFacts, type GraderInput, graderFacts } from "./facts.js";
export { findMatchingFiles, isGlob, listFilesBelow, readGlob } from "./glob.js";
export { GraderError, UnknownGraderTypeError } from "./grader-error.js";
export { GraderEvaluator, type GraderEvaluatorOptions } from "./grader-evaluator.js";
export { type CalibrateOptions, type CalibrationProgress, calibrateJudge } from "./judge/calibrate.js";
export {
  type BadLabel,
  type Calibration,
  type Disagreement,
  type Estimate,
  type Finding,
  type JudgeAgreement,
  type LengthBias,
  listFindings,
  type PairLengthBias,
  type PositionBias,
} from "./judge/calibration.js";
export type { EstimateOptions, JudgingCost } from "./judge/estimate.js";
export type { JudgeAnswer, JudgeModel, JudgeModelSource, JudgeRequest } from "./judge/judge-model.js";
export { JudgeError, type Judgement, type JudgeVote, type PanelRule } from "./judge/judgement.js";
export { type Label, type LabelRow, readLabel } from "./judge/labels.js";
export { LLMJudge } from "./judge/llm-judge.js";
export { type JudgeModelPlace, registerJudgeGraders } from "./judge/register-judge-graders.js";
export type { JudgeScale } from "./judge/scale.js";
export type { LLMJudgeOptions } from "./judge/settings.js";
export {
  checkGraders,
  createBuiltInFactories,
  type ExampleGrader,
  makeExampleGraders,
  makeGrader,
  VERDICT,
  WEIGHTED_SCORE,
} from "./make-grader.js";
export { readPattern, testPattern } from "./pattern.js";
export { computeTrialVerdict, type TrialVerdict, type WeightedGrade } from "./verdict.js";
