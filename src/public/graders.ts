/** The built-in graders and judge calibration. */
import "../index.js";

export { GraderError, graderFactories } from "../graders/index.js";
export {
  type BadLabel,
  type CalibrateOptions,
  type Calibration,
  type CalibrationProgress,
  calibrateJudge,
  type Finding,
  findingsOf,
  type JudgeAgreement,
  JudgeError,
  type LabelRow,
  type LengthBias,
  type PairLengthBias,
  type PositionBias,
} from "../graders/judge/index.js";
export { type JudgeModelPlace, registerJudgeGraders } from "../graders/judge/register-judge-graders.js";
