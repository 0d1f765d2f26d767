export { type CalibrateOptions, type CalibrationProgress, calibrateJudge } from "./calibrate.js";
export type {
  BadLabel,
  Calibration,
  Estimate,
  JudgeAgreement,
  LengthBias,
  PairLengthBias,
  PositionBias,
} from "./calibration.js";
export { type Finding, findingsOf } from "./calibration.js";
export type { EstimateOptions, JudgingCost } from "./estimate.js";
export type { JudgeAnswer, JudgeModel, JudgeModelSource, JudgeRequest } from "./judge-model.js";
export type { PanelRule } from "./judgement.js";
export { JudgeError, type Judgement, type JudgeVote } from "./judgement.js";
export { type LabelRow, readLabel } from "./labels.js";
export { LLMJudge } from "./llm-judge.js";
export type { JudgeScale } from "./scale.js";
export type { LLMJudgeOptions } from "./settings.js";
