export type { OracleTask } from "./check-stimulus.js";
export { oracleTasks, runOracle } from "./oracle.js";
export {
  type CheckedStimulus,
  commandsOf,
  isSurvivor,
  type LeftOut,
  type OracleProgress,
  type StateVerdict,
  type StimulusCheck,
  type StimulusPlace,
  type TriedOmission,
} from "./result.js";
