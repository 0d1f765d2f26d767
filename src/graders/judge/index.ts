export { type CalibrateOptions, type CalibrationProgress, calibrateJudge } from "./calibrate.js";
export {
  type BadLabel,
  type Calibration,
  type Estimate,
  type Finding,
  findingsOf,
  type JudgeAgreement,
  type LabelRow,
  type LengthBias,
  type PairLengthBias,
  type PositionBias,
  readLabel,
} from "./calibration.js";
export type { EstimateOptions, JudgingCost } from "./estimate.js";

export type { JudgeAnswer, JudgeModel, JudgeModelSource, JudgeRequest } from "./judge-model.js";
export { JudgeError, type Judgement, type JudgeVote } from "./judgement.js";

export { LLMJudge } from "./llm-judge.js";
export type { PanelRule } from "./panel.js";
export type { JudgeScale } from "./scale.js";
export type { LLMJudgeOptions } from "./settings.js";
