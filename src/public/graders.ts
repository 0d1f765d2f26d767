/** The built-in graders and judge calibration. */
import "../index.js";

export {
  type BadLabel,
  type CalibrateOptions,
  type Calibration,
  type CalibrationProgress,
  calibrateJudge,
  type Disagreement,
  type Finding,
  GraderError,
  graderFactories,
  type JudgeAgreement,
  JudgeError,
  type JudgeModelPlace,
  type LabelRow,
  type LengthBias,
  listFindings,
  type PairLengthBias,
  type PositionBias,
  registerJudgeGraders,
} from "../graders/index.js";
